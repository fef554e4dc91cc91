package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// inDollars is an invoice in dollars at a rate.
func inDollars(number int, rate string) string {
	return strings.Replace(caddytest.Invoice(number), `"MonId":"PES","MonCotiz":1`, `"MonId":"DOL","MonCotiz":`+rate, 1)
}

// foundIn returns the text of a finding of a record, no text if it has none of the code.
func foundIn(r *audit.Record, code string) string {
	for _, f := range r.Findings {
		if f.Code == code {
			return f.Action + ": " + f.Text
		}
	}
	return ""
}

// TestACachedRateIsComparedWithThatOfAnInvoice: once a client has asked for it, and the gateway
// never asks for one by itself.
func TestACachedRateIsComparedWithThatOfAnInvoice(t *testing.T) {
	// The built-in service has 1130.034 for 2026-07-17, a Friday.
	const ask = "{" + caddytest.AuthText + `,"MonId":"DOL"}`
	const observed = "observe: La cotización oficial de DOL del 17/07/2026 es 1130,034: MonCotiz debe estar entre el 2 % y el 400 % de ella; se informó 4520,137"
	for _, c := range []struct {
		name, options, question string
		want, outcome           string
	}{
		{"asked", "cache 5m", ask, observed, "rejected"},
		{"asked for the day", "cache 5m", strings.Replace(ask, `"DOL"`, `"DOL","FchCotiz":"20260717"`, 1), observed, "rejected"},
		{"enforced", "cache 5m\n\t\trule 10119 enforce", ask, strings.Replace(observed, "observe", "refuse", 1), "refused"},
		{"not asked", "cache 5m", "", "", "rejected"},
		{"asked for another currency", "cache 5m", strings.Replace(ask, "DOL", "060", 1), "", "rejected"},
		{"without a cache", "cache off", ask, "", "rejected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := strings.Replace(caddytest.WithBackend(t), "{", "{\n\t\tclock fixed 2026-07-20T12:00:00-03:00", 1)
			s := caddytest.Start(t, next, c.options)
			questions := 0
			if c.question != "" {
				s.Post("FEParamGetCotizacion", c.question)
				questions++
			}
			s.Post("FECAESolicitar", inDollars(1, "1130.5"))
			if r := s.Last(); foundIn(r, "10119") != "" || r.Outcome != "approved" {
				t.Errorf("the rate: %s, %v", r.Outcome, r.Findings)
			}
			s.Post("FECAESolicitar", inDollars(2, "4520.137"))
			if r := s.Last(); foundIn(r, "10119") != c.want || string(r.Outcome) != c.outcome {
				t.Errorf("%s, %q, want %s, %q", r.Outcome, foundIn(r, "10119"), c.outcome, c.want)
			}
			for _, r := range s.Records() {
				if r.Operation == "FEParamGetCotizacion" {
					questions--
				}
			}
			if questions != 0 {
				t.Errorf("the gateway has asked by itself: %d", -questions)
			}
		})
	}
}

// TestARateIsKnownAgainAfterAReload, as soon as its cached answer was given again.
func TestARateIsKnownAgainAfterAReload(t *testing.T) {
	const ask = "{" + caddytest.AuthText + `,"MonId":"DOL"}`
	next := strings.Replace(caddytest.WithBackend(t), "{", "{\n\t\tclock fixed 2026-07-20T12:00:00-03:00", 1)
	s := caddytest.Start(t, next, "cache 5m")
	s.Post("FEParamGetCotizacion", ask)
	s.Load(strings.Replace(s.Config(s.WithAudit("cache 5m"), next), "grace_period 20s", "grace_period 21s", 1))
	if got := s.Post("FEParamGetCotizacion", ask); got.Header.Get("Wsfev1-Outcome") != "cached" {
		t.Fatalf("%v %s", got.Header, got.Body)
	}
	s.Post("FECAESolicitar", strings.Replace(inDollars(1, "1130"), `"MonCotiz":1130`, `"MonCotiz":1130,"CanMisMonExt":"S"`, 1))
	if got := foundIn(s.Last(), "10038"); !strings.HasPrefix(got, "observe: La cotización oficial de DOL del 17/07/2026 es 1130,034: con CanMisMonExt S") {
		t.Errorf("%s, %v", got, s.Last().Findings)
	}
}
