package gateway_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestARefusedTicketIssuesNothingTwice: the request that it was used for is rejected and not sent
// again, the next one waits for another ticket, and the service is no less there for it.
func TestARefusedTicketIssuesNothingTwice(t *testing.T) {
	for _, echo := range []string{"", " $T"} {
		service := caddytest.NewStub(t, caddytest.Answering(200, caddytest.NewMarkers().In(`{"Errors":{"Err":[{"Code":600,"Msg":"ValidacionDeToken: No validaron las fechas del token`+echo+`"}]}}`)))
		login := caddytest.NewLogin(t, keptCuit)
		login.Mark(caddytest.NewMarkers())
		s := caddytest.NewSite(t)
		s.Load(s.Config(s.WithAudit(append(caddytest.Exactly, "breaker 1", "ticket off", login.Block("cuits "+keptCuit))...), caddytest.ProxyTo(service.URL)))
		got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1))
		if got.Header.Get("Wsfev1-Outcome") != "rejected" || service.Hits.Load() != 1 {
			t.Errorf("%d requests: %d %v %s", service.Hits.Load(), got.Status, got.Header, got.Body)
		}
		again := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1))
		if again.Header.Get("Wsfev1-Outcome") != "not_sent" || !bytes.Contains(again.Body, []byte("wsaa.no_ticket")) || service.Hits.Load() != 1 {
			t.Errorf("%d requests: %d %v %s", service.Hits.Load(), again.Status, again.Header, again.Body)
		}
		if intents, outcomes := caddytest.Kinds(s.Records()); intents != 1 || outcomes != 1 {
			t.Errorf("%d intents, %d outcomes", intents, outcomes)
		}
		// One with a ticket of its own is sent: no outage has begun.
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		if service.Hits.Load() != 2 {
			t.Errorf("%d requests", service.Hits.Load())
		}
	}
}

// TestAnInvoiceIsRecoveredByALaterTicket: the keeper has none when the answer is lost, and asks with
// the one of that moment.
func TestAnInvoiceIsRecoveredByALaterTicket(t *testing.T) {
	var back atomic.Bool
	var asked atomic.Pointer[string]
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") || !back.Load() {
			panic(http.ErrAbortHandler)
		}
		text := string(body)
		asked.Store(&text)
		caddytest.Answering(200, consulted("1"))(w, r)
	})
	s := caddytest.NewSite(t)
	load := func(mark string) {
		login := caddytest.NewLogin(t, keptCuit)
		login.Mark(caddytest.Markers{Token: mark, Sign: mark})
		s.URL = "http://" + caddytest.FreeAddress(t)
		s.Load(s.Config(s.WithAudit(append(caddytest.Exactly, "ticket off", login.Block("cuits "+keptCuit, "store memory"))...), caddytest.ProxyTo(service.URL)))
	}
	load("Zmlyc3QgdGlja2V0IG9mIGFsbA==")
	if got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	back.Store(true)
	const second = "YW5vdGhlciB0aWNrZXQgdGhhbiB0aGF0"
	load(second)
	got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1))
	if !bytes.Contains(got.Body, []byte("86470000000001")) {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if text := asked.Load(); text == nil || !strings.Contains(*text, second) {
		t.Errorf("it was asked with %v", text)
	}
	if last := s.Last(); last.Kind == audit.KindIntent {
		t.Errorf("an intent is the last record: %+v", last)
	}
}

// TestWithoutATicketALostInvoiceStaysUnknown: the service refuses the ticket while it is asked what
// became of an invoice. That is sent once, and its outcome is recorded.
func TestWithoutATicketALostInvoiceStaysUnknown(t *testing.T) {
	var sent atomic.Int64
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
			sent.Add(1)
			panic(http.ErrAbortHandler)
		}
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"ValidacionDeToken: Error al verificar hash"}]}}`)(w, r)
	})
	login := caddytest.NewLogin(t, keptCuit)
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), append(caddytest.Exactly, "ticket off", login.Block("cuits "+keptCuit))...)
	for range 3 {
		if got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") == "not_issued" || got.Status == 200 {
			t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
		}
	}
	if intents, outcomes := caddytest.Kinds(s.Records()); intents != 1 || outcomes != 1 || sent.Load() != 1 {
		t.Errorf("%d intents, %d outcomes, sent %d times", intents, outcomes, sent.Load())
	}
}
