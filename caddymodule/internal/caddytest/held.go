package caddytest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
)

// HeldRequest sends an issuing request through s and returns once it is held by
// the upstream. release lets the upstream answer; the answer comes from done.
func HeldRequest(t *testing.T, s *Site, arrived <-chan struct{}) (done <-chan Response) {
	t.Helper()
	return HeldRequestOf(t, s, arrived, Invoice(1))
}

// HeldRequestOf is HeldRequest with any body.
func HeldRequestOf(t *testing.T, s *Site, arrived <-chan struct{}, body string) (done <-chan Response) {
	t.Helper()
	answers := make(chan Response, 1)
	go func() { answers <- s.Post("FECAESolicitar", body) }()
	<-arrived
	return answers
}

// Holding is an upstream that says when a request has arrived and answers when it
// is told to.
func Holding(t *testing.T) (upstream *Stub, arrived chan struct{}, release func()) {
	t.Helper()
	arrived = make(chan struct{}, 16)
	proceed := make(chan struct{})
	upstream = NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-proceed
		Answering(200, Approval)(w, r)
	})
	release = sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(release)
	return upstream, arrived, release
}

// Kinds counts intents and outcomes.
func Kinds(records []*audit.Record) (intents, outcomes int) {
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

// Plus is the value of a metric, raised by n.
func Plus(t *testing.T, text string, n int) string {
	t.Helper()
	var value int
	if _, err := fmt.Sscan(text, &value); err != nil {
		t.Fatalf("metric %q: %v", text, err)
	}
	return fmt.Sprint(value + n)
}
