package caddymodule_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// TestStormOfTablesDoesNotHoldUpAnIssue: the tables hang at the service, as many as may be
// there; one more is turned away, and an issue and a query pass.
func TestStormOfTablesDoesNotHoldUpAnIssue(t *testing.T) {
	arrived, proceed := make(chan struct{}, 16), make(chan struct{})
	release := sync.OnceFunc(func() { close(proceed) })
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "FEParamGet") {
			arrived <- struct{}{}
			<-proceed
			answering(200, `{"ResultGet":{}}`)(w, r)
			return
		}
		answering(200, approval)(w, r)
	})
	t.Cleanup(release)
	s := start(t, proxyTo(upstream.URL), "in_flight tables 3 wait 20ms")
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { s.post("FEParamGetTiposIva", "{"+authText+"}") })
	}
	for range 3 {
		<-arrived
	}
	got := s.post("FEParamGetTiposIva", "{"+authText+"}")
	if got.status != 503 || got.codes(t)[0] != "gateway.in_flight" || got.header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v %s", got.status, got.header, got.body)
	}
	if r := s.last(); r.Outcome != "busy" || r.Certainty != audit.NotSent {
		t.Errorf("recorded %s, %s", r.Outcome, r.Certainty)
	}
	begun := time.Now()
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 || string(got.body) != approval {
		t.Errorf("the issue: %d %s", got.status, got.body)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("the issue took %s", took)
	}
	release()
	group.Wait()
	if got := s.post("FEParamGetTiposIva", "{"+authText+"}"); got.status != 200 {
		t.Errorf("when there is room again: %d %s", got.status, got.body)
	}
}

// TestOwnQuestionsAreNotCounted: an issue that was lost is settled although clients hold
// all the room for queries.
func TestOwnQuestionsAreNotCounted(t *testing.T) {
	arrived, proceed := make(chan struct{}, 16), make(chan struct{})
	release := sync.OnceFunc(func() { close(proceed) })
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "FECAESolicitar"):
			hangUp("")(w, r)
		case strings.HasSuffix(r.URL.Path, "FECompTotXRequest"):
			arrived <- struct{}{}
			<-proceed
			answering(200, `{"RegXReq":250}`)(w, r)
		default:
			answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
		}
	})
	t.Cleanup(release)
	s := start(t, proxyTo(upstream.URL), "in_flight queries 1 wait 10ms", "recover within 200ms")
	done := make(chan response, 1)
	go func() { done <- s.post("FECompTotXRequest", "{"+authText+"}") }()
	<-arrived
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 502 || got.codes(t)[0] != "once.not_issued" {
		t.Errorf("%d %s", got.status, got.body)
	}
	release()
	<-done
}

// TestEachFamilyHasItsDeadline: what is asked ends, what issues goes on.
func TestEachFamilyHasItsDeadline(t *testing.T) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	release := make(chan struct{})
	defer close(release)
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			silent(release)(w, r)
			return
		}
		arrived <- struct{}{}
		<-proceed
		answering(200, approval)(w, r)
	})
	s := start(t, proxyTo(upstream.URL), "deadline query 30ms", "deadline health 30ms")
	issued := heldRequest(t, s, arrived)
	for _, operation := range []string{"FECompTotXRequest", "FEDummy"} {
		body := "{" + authText + "}"
		if operation == "FEDummy" {
			body = "{}"
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if got := s.do(s.request(ctx, operation, body)); got.status != 504 {
			t.Errorf("%s: %d %s", operation, got.status, got.body)
		}
		cancel()
	}
	close(proceed)
	if got := <-issued; got.status != 200 {
		t.Errorf("the issue: %d %s", got.status, got.body)
	}
}
