package send

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

const approved = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"CantReg":1,"Resultado":"A"},
	"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"Resultado":"A","CAE":"71263951827760","CAEFchVto":"20261130"}]}}`

// outgoingInvoice is an invoice on its way, with its credentials.
func outgoingInvoice(t *testing.T, sendable func() error) (*Outgoing, *observer.ObservedLogs) {
	t.Helper()
	body := []byte(fixture.Invoice(1))
	op := wsfev1.OperationByName("FECAESolicitar")
	request, findings := validate.Decode(op, body, validate.ARCA)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	r := httptest.NewRequest(http.MethodPost, "/api/wsfev1/FECAESolicitar", http.NoBody)
	w := httptest.NewRecorder()
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, new(caddyhttp.Server))
	redactor := mask.NewRedactor([]byte("key"))
	auth := wsfev1.AuthOf(request.Body)
	credentials := []string{auth.Token.Reveal(), auth.Sign.Reveal()}
	core, logs := observer.New(zap.InfoLevel)
	return &Outgoing{
		Operation: op, Asked: request, Subject: wsfev1.SubjectOf(request.Body), Request: request, Document: body,
		HTTP: r, Prepared: w.Header(), Owner: t, Sendable: sendable, Repeatable: true,
		Memory:   &binding.AnswerReservation{Budget: binding.NewAnswerBudget(binding.DefaultMaxAnswers), MaxWait: time.Second, Most: binding.DefaultMaxAnswer},
		Redactor: redactor, Mask: redactor.Mask(nil), Headers: NewHeaderMask(redactor, credentials), Credentials: credentials,
		Spans: new(tracing.Spans), Logger: zap.New(core), Now: time.Now,
	}, logs
}

// handler makes the next handler of a function.
func handler(serve func(w http.ResponseWriter, r *http.Request) error) caddyhttp.Handler {
	return caddyhttp.HandlerFunc(serve)
}

// TestWhatBecameOfARequest is told by facts, whatever the next handler does.
func TestWhatBecameOfARequest(t *testing.T) {
	answer := func(text string) caddyhttp.Handler {
		return handler(func(w http.ResponseWriter, r *http.Request) error {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(w, text)
			return err
		})
	}
	late := func() error { return binding.ErrTooLate }
	for name, test := range map[string]struct {
		next      caddyhttp.Handler
		sendable  func() error
		certainty audit.Certainty
		outcome   audit.Outcome // of an answer
		refused   audit.Outcome // of a refusal
	}{
		"approved":          {answer(approved), nil, audit.Answered, audit.OutcomeApproved, ""},
		"another invoice's": {answer(strings.Replace(approved, `"CbteDesde":1`, `"CbteDesde":2`, 1)), nil, audit.Answered, audit.OutcomeUpstreamError, ""},
		"a page":            {answer("<html>"), nil, audit.Answered, audit.OutcomeUpstreamError, ""},
		"a status below 100": {handler(func(w http.ResponseWriter, r *http.Request) error {
			w.WriteHeader(99)
			return answer(approved).ServeHTTP(w, r)
		}), nil, audit.Answered, audit.OutcomeUpstreamError, ""},
		"nothing written": {handler(func(http.ResponseWriter, *http.Request) error { return nil }), nil, audit.NotSent, "", audit.OutcomeNotSent},
		"an error before": {handler(func(http.ResponseWriter, *http.Request) error { return errors.New("refused") }), nil, audit.NotSent, "", audit.OutcomeNotSent},
		"a panic after reading": {handler(func(_ http.ResponseWriter, r *http.Request) error {
			_, _ = io.Copy(io.Discard, r.Body)
			panic(fixture.Token)
		}), nil, audit.Unknown, "", audit.OutcomeUnknown},
		"too late": {handler(func(_ http.ResponseWriter, r *http.Request) error {
			_, err := io.Copy(io.Discard, r.Body)
			return err
		}), late, audit.NotSent, "", audit.OutcomeNotSent},
	} {
		sendable := test.sendable
		if sendable == nil {
			sendable = func() error { return nil }
		}
		o, logs := outgoingInvoice(t, sendable)
		s := Do(context.Background(), o, test.next)
		switch {
		case !s.Forwarded || s.Certainty != test.certainty:
			t.Errorf("%s: %s", name, s.Certainty)
		case test.refused == "" && (s.Refusal != nil || s.Outcome != test.outcome):
			t.Errorf("%s: %s, %v", name, s.Outcome, s.Refusal)
		case test.refused != "" && (s.Refusal == nil || s.Refusal.Outcome != test.refused):
			t.Errorf("%s: %+v", name, s.Refusal)
		}
		for _, line := range logs.All() {
			if text, _ := line.ContextMap()["panic"].(string); strings.Contains(text, fixture.Token) {
				t.Errorf("%s: the log has %q", name, text)
			}
		}
	}
}

// TestWhatAnotherClientsAnswerHeldIsInNoError: the rest of an answer that was too long breaks the next one, and net/http
// quotes it.
func TestWhatAnotherClientsAnswerHeldIsInNoError(t *testing.T) {
	broken := fmt.Errorf("net/http: HTTP/1.x transport connection broken: malformed HTTP response %q", `"CAE":"71263951827760"}]}}`)
	for _, returned := range []error{broken, caddyhttp.Error(http.StatusBadGateway, broken)} {
		o, _ := outgoingInvoice(t, func() error { return nil })
		s := Do(context.Background(), o, handler(func(_ http.ResponseWriter, r *http.Request) error {
			_, _ = io.Copy(io.Discard, r.Body)
			return returned
		}))
		if s.Refusal == nil || !errors.Is(s.Refusal, broken) || strings.Contains(s.Refusal.Error(), "71263951827760") {
			t.Errorf("%v", s.Refusal)
		}
	}
}
