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
	upstream := NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "FEParamGet") {
			arrived <- struct{}{}
			<-proceed
			Answering(200, `{"ResultGet":{}}`)(w, r)
			return
		}
		Answering(200, Approval)(w, r)
	})
	t.Cleanup(release)
	s := Start(t, ProxyTo(upstream.URL), "in_flight tables 3 wait 20ms")
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { s.Post("FEParamGetTiposIva", "{"+AuthText+"}") })
	}
	for range 3 {
		<-arrived
	}
	got := s.Post("FEParamGetTiposIva", "{"+AuthText+"}")
	if got.Status != 503 || got.Codes(t)[0] != "gateway.in_flight" || got.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v %s", got.Status, got.Header, got.Body)
	}
	if r := s.Last(); r.Outcome != "busy" || r.Certainty != audit.NotSent {
		t.Errorf("recorded %s, %s", r.Outcome, r.Certainty)
	}
	begun := time.Now()
	if got := s.Post("FECAESolicitar", Invoice(1)); got.Status != 200 || string(got.Body) != Approval {
		t.Errorf("the issue: %d %s", got.Status, got.Body)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("the issue took %s", took)
	}
	release()
	group.Wait()
	if got := s.Post("FEParamGetTiposIva", "{"+AuthText+"}"); got.Status != 200 {
		t.Errorf("when there is room again: %d %s", got.Status, got.Body)
	}
}

// TestOwnQuestionsAreNotCounted: an issue that was lost is settled although clients hold
// all the room for queries.
func TestOwnQuestionsAreNotCounted(t *testing.T) {
	arrived, proceed := make(chan struct{}, 16), make(chan struct{})
	release := sync.OnceFunc(func() { close(proceed) })
	upstream := NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "FECAESolicitar"):
			HangUp("")(w, r)
		case strings.HasSuffix(r.URL.Path, "FECompTotXRequest"):
			arrived <- struct{}{}
			<-proceed
			Answering(200, `{"RegXReq":250}`)(w, r)
		default:
			Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
		}
	})
	t.Cleanup(release)
	s := Start(t, ProxyTo(upstream.URL), "in_flight queries 1 wait 10ms", "recover within 200ms")
	done := make(chan Response, 1)
	go func() { done <- s.Post("FECompTotXRequest", "{"+AuthText+"}") }()
	<-arrived
	if got := s.Post("FECAESolicitar", Invoice(1)); got.Status != 502 || got.Codes(t)[0] != "once.not_issued" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	release()
	<-done
}

// TestEachFamilyHasItsDeadline: what is asked ends, what issues goes on.
func TestEachFamilyHasItsDeadline(t *testing.T) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	release := make(chan struct{})
	defer close(release)
	upstream := NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			Silent(release)(w, r)
			return
		}
		arrived <- struct{}{}
		<-proceed
		Answering(200, Approval)(w, r)
	})
	s := Start(t, ProxyTo(upstream.URL), "deadline query 30ms", "deadline health 30ms")
	issued := HeldRequest(t, s, arrived)
	for _, operation := range []string{"FECompTotXRequest", "FEDummy"} {
		body := "{" + AuthText + "}"
		if operation == "FEDummy" {
			body = "{}"
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if got := s.Do(s.Request(ctx, operation, body)); got.Status != 504 {
			t.Errorf("%s: %d %s", operation, got.Status, got.Body)
		}
		cancel()
	}
	close(proceed)
	if got := <-issued; got.Status != 200 {
		t.Errorf("the issue: %d %s", got.Status, got.Body)
	}
}
