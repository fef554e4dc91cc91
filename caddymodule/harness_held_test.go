package caddymodule_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
)

// heldRequest sends an issuing request through s and returns once it is held by
// the upstream. release lets the upstream answer; the answer comes from done.
func heldRequest(t *testing.T, s *site, arrived <-chan struct{}) (done <-chan response) {
	t.Helper()
	return heldRequestOf(t, s, arrived, invoice(1))
}

func heldRequestOf(t *testing.T, s *site, arrived <-chan struct{}, body string) (done <-chan response) {
	t.Helper()
	answers := make(chan response, 1)
	go func() { answers <- s.post("FECAESolicitar", body) }()
	<-arrived
	return answers
}

// holding is an upstream that says when a request has arrived and answers when it
// is told to.
func holding(t *testing.T) (upstream *stub, arrived chan struct{}, release func()) {
	t.Helper()
	arrived = make(chan struct{}, 16)
	proceed := make(chan struct{})
	upstream = newStub(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-proceed
		answering(200, approval)(w, r)
	})
	release = sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(release)
	return upstream, arrived, release
}

func kinds(records []*audit.Record) (intents, outcomes int) {
	for _, r := range records {
		switch r.Kind {
		case audit.KindIntent:
			intents++
		case audit.KindOutcome:
			outcomes++
		}
	}
	return intents, outcomes
}

func plus(t *testing.T, text string, n int) string {
	t.Helper()
	var value int
	if _, err := fmt.Sscan(text, &value); err != nil {
		t.Fatalf("metric %q: %v", text, err)
	}
	return fmt.Sprint(value + n)
}
