package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// sampleOf returns a document of a shape with all of its members.
func sampleOf(shape *wsfev1.Shape) any {
	switch shape.Kind {
	case wsfev1.KindObject:
		object := map[string]any{}
		for _, m := range shape.Members {
			object[m.Name] = sampleOf(m.Shape)
		}
		return object
	case wsfev1.KindList:
		return []any{sampleOf(shape.Item)}
	case wsfev1.KindText:
		return "20261120"
	}
	return json.RawMessage("1")
}

// fittingSample returns a request of a query with what sampleOf has in its answer, any other as it is.
func fittingSample(op *wsfev1.Operation, request any) any {
	object, ok := request.(map[string]any)
	if !ok || op.Effect == wsfev1.EffectChanges {
		return request
	}
	for name, value := range object {
		switch name {
		case "PtoVta", "CbteTipo", "CbteNro", "Periodo", "Orden":
			object[name] = 1
		case "CAEA", "MonId":
			object[name] = "20261120"
		case "FeCompConsReq":
			fittingSample(op, value)
		}
	}
	return object
}

// unlikeSample reports whether a value may be another than sampleOf has, and the answer to another query with it.
func unlikeSample(value string) bool { return value != "1" && value != `"20261120"` && value != "null" }

// TestAnythingMayStandInAnAnswer is TestAnythingMayStandAnywhere for the service: whatever it
// answers to whatever operation, the client gets an answer that has a record, and nothing panics. It gets no
// answer that names what it has not asked for.
func TestAnythingMayStandInAnAnswer(t *testing.T) {
	var answer atomic.Pointer[[]byte]
	u := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) { caddytest.Answering(200, string(*answer.Load()))(w, r) })
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), "mode observe")
	server, before := s.Server(), s.Metric("wsfev1_panics_total")
	all := examples(t)
	for _, op := range wsfev1.Operations {
		body, err := json.Marshal(fittingSample(op, all[wsfev1.PathPrefix+op.Name]))
		if err != nil {
			t.Fatal(err)
		}
		whole := sampleOf(op.Answer)
		eachStrange(t, whole, func(value string, set func(any), now any) {
			set(json.RawMessage(value))
			text, err := json.Marshal(whole)
			set(now)
			if err != nil {
				t.Fatal(err)
			}
			answer.Store(&text)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+wsfev1.PathPrefix+op.Name, strings.NewReader(string(body)))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			withheld := op.Effect == wsfev1.EffectNone && w.Code == 502 && strings.Contains(w.Body.String(), "upstream.mismatch") && unlikeSample(value)
			if !withheld && (w.Code != 200 || w.Body.String() != string(text)) || w.Header().Get("Wsfev1-Record") == "" {
				t.Errorf("%s with %.40s: %d %.300s\n%.600s", op.Name, value, w.Code, w.Body, text)
			}
		})
	}
	if after := s.Metric("wsfev1_panics_total"); after != before {
		t.Errorf("panics: %s, then %s", before, after)
	}
}

// TestAnOddAmountOfTheServiceEndsNothing: the service answers with an amount that no invoice
// may have, about an invoice whose answer was lost. The client is told whose it is, questions are
// answered after a restart too, and the series goes on.
func TestAnOddAmountOfTheServiceEndsNothing(t *testing.T) {
	for amount, outcome := range map[string]string{
		`"ImpNeto":100.00000000000001`: "rejected", `"ImpNeto":0.001`: "rejected", `"ImpNeto":1e400`: "rejected",
		`"MonCotiz":12345.6`: "rejected", // pesos have another rate
	} {
		name, _, _ := strings.Cut(amount, ":")
		member := regexp.MustCompile(name + `:[0-9.]+`)
		odd := func(answer string) string { return member.ReplaceAllString(answer, amount) }
		t.Run(amount, func(t *testing.T) {
			var sick atomic.Bool
			sick.Store(true)
			u := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/FECAESolicitar") && sick.Load():
					panic(http.ErrAbortHandler)
				case strings.HasSuffix(r.URL.Path, "/FECAESolicitar"):
					caddytest.Answering(200, caddytest.ApprovalOf(2))(w, r)
				case sick.Load():
					caddytest.Answering(200, odd(consulted("1")))(w, r)
				default:
					caddytest.Answering(200, consulted("1"))(w, r)
				}
			})
			s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
			before := s.Metric("wsfev1_panics_total")
			if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != outcome {
				t.Errorf("%d %v %s, want %s", got.Status, got.Header, got.Body, outcome)
			}
			startAnew(s, s.Config(s.WithAudit(caddytest.Exactly...), caddytest.ProxyTo(u.URL)))
			if got := s.Post("FECompConsultar", "{"+caddytest.AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`); got.Status != 200 {
				t.Errorf("a question after the restart: %d %s", got.Status, got.Body)
			}
			sick.Store(false)
			caddytest.Eventually(t, "the series goes on", func() bool { return s.Post("FECAESolicitar", caddytest.Invoice(2)).Status == 200 })
			if after := s.Metric("wsfev1_panics_total"); after != before {
				t.Errorf("panics: %s, then %s", before, after)
			}
		})
	}
}
