package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestStormOfTablesDoesNotHoldUpAnIssue: the tables hang at the service, as many as may be
// there; one more is turned away, and an issue and a query pass.
func TestStormOfTablesDoesNotHoldUpAnIssue(t *testing.T) {
	arrived, proceed := make(chan struct{}, 16), make(chan struct{})
	release := sync.OnceFunc(func() { close(proceed) })
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "FEParamGet") {
			arrived <- struct{}{}
			<-proceed
			caddytest.Answering(200, `{"ResultGet":{}}`)(w, r)
			return
		}
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	t.Cleanup(release)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "in_flight tables 3 wait 20ms")
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { s.Post("FEParamGetTiposIva", "{"+caddytest.AuthText+"}") })
	}
	for range 3 {
		<-arrived
	}
	got := s.Post("FEParamGetTiposIva", "{"+caddytest.AuthText+"}")
	if got.Status != 503 || got.Codes(t)[0] != "gateway.in_flight" || got.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v %s", got.Status, got.Header, got.Body)
	}
	if r := s.Last(); r.Outcome != "busy" || r.Certainty != audit.NotSent {
		t.Errorf("recorded %s, %s", r.Outcome, r.Certainty)
	}
	begun := time.Now()
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 || string(got.Body) != caddytest.Approval {
		t.Errorf("the issue: %d %s", got.Status, got.Body)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("the issue took %s", took)
	}
	release()
	group.Wait()
	if got := s.Post("FEParamGetTiposIva", "{"+caddytest.AuthText+"}"); got.Status != 200 {
		t.Errorf("when there is room again: %d %s", got.Status, got.Body)
	}
}

// TestOwnQuestionsAreNotCounted: an issue that was lost is settled although clients hold
// all the room for queries.
func TestOwnQuestionsAreNotCounted(t *testing.T) {
	arrived, proceed := make(chan struct{}, 16), make(chan struct{})
	release := sync.OnceFunc(func() { close(proceed) })
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "FECAESolicitar"):
			caddytest.HangUp("")(w, r)
		case strings.HasSuffix(r.URL.Path, "FECompTotXRequest"):
			arrived <- struct{}{}
			<-proceed
			caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
		default:
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
		}
	})
	t.Cleanup(release)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "in_flight queries 1 wait 10ms", "recover within 200ms")
	done := make(chan caddytest.Response, 1)
	go func() { done <- s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}") }()
	<-arrived
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 502 || got.Codes(t)[0] != "once.not_issued" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	release()
	<-done
}

// TestEachFamilyHasItsDeadline: a query ends, a request that issues goes on.
func TestEachFamilyHasItsDeadline(t *testing.T) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	release := make(chan struct{})
	defer close(release)
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			caddytest.Silent(release)(w, r)
			return
		}
		arrived <- struct{}{}
		<-proceed
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "deadline query 30ms", "deadline health 30ms")
	issued := caddytest.HeldRequest(t, s, arrived)
	for _, operation := range []string{"FECompTotXRequest", "FEDummy"} {
		body := "{" + caddytest.AuthText + "}"
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
