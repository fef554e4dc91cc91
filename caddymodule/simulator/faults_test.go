package simulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// faultCase is a fault that strikes the first invoice, and what shows of it.
type faultCase struct {
	name, fault string
	// The client gets status and code, and an answer that contains says.
	status     int
	code, says string
	certainty  audit.Certainty
	outcome    string
	issued     bool
}

// patience is how long the gateway waits: only where nothing comes is it short, so
// that a slow machine fails no test.
func (c faultCase) patience() string {
	if strings.HasPrefix(c.fault, "hang") || strings.Contains(c.fault, "10m") {
		return "upstream_timeout 700ms"
	}
	return "upstream_timeout 20s"
}

var faultCases = []faultCase{
	{"drop", "drop", 504, "upstream.unknown", "", audit.Unknown, "unknown", true},
	{"drop before", "drop {\n commit no\n", 504, "upstream.unknown", "", audit.Unknown, "unknown", false},
	{"hang", "hang", 504, "upstream.unknown", "", audit.Unknown, "unknown", true},
	{"hang before", "hang {\n commit no\n", 504, "upstream.unknown", "", audit.Unknown, "unknown", false},
	{"html_502", "html_502", 502, "", "<h1>502 Bad Gateway</h1>", audit.Answered, "upstream_error", true},
	{"html_502 before", "html_502 {\n commit no\n", 502, "", "<h1>502 Bad Gateway</h1>", audit.Answered, "upstream_error", false},
	{"truncate", "truncate", 504, "upstream.unknown", "", audit.Unknown, "unknown", true},
	{"not_json", "not_json", 200, "", "<p>Servicio en mantenimiento", audit.Answered, "upstream_error", true},
	{"not_json before", "not_json {\n commit no\n", 200, "", "<html>", audit.Answered, "upstream_error", false},
	{"delay", "delay {\n delay uniform 20ms 40ms\n", 200, "", `"Resultado":"A"`, audit.Answered, "approved", true},
	{"delay beyond patience", "delay {\n delay fixed 10m\n", 504, "upstream.unknown", "", audit.Unknown, "unknown", true},
	{"delay and drop", "drop {\n delay fixed 20ms\n", 504, "upstream.unknown", "", audit.Unknown, "unknown", true},
	{"error_500", "error_500", 200, "", `"Code":500`, audit.Answered, "upstream_error", false},
	{"error_501", "error_501", 200, "", `"Code":501`, audit.Answered, "upstream_error", false},
	{"error_502", "error_502", 200, "", `"Code":502`, audit.Answered, "upstream_error", false},
	{"error_501 after", "error_501 {\n commit yes\n", 200, "", `"Code":501`, audit.Answered, "upstream_error", true},
	{"expired_ticket", "expired_ticket", 200, "", `"Code":600`, audit.Answered, "rejected", false},
	{"dummy_only", "dummy_only", 200, "", `"Code":501`, audit.Answered, "upstream_error", false},
}

// TestEachFaultThroughTheGateway checks the client's answer, the trail, and whether the invoice
// is there once the fault is over; through both doors.
func TestEachFaultThroughTheGateway(t *testing.T) {
	for _, door := range caddytest.Doors {
		for _, c := range faultCases {
			t.Run(door.Name+"/"+c.name, func(t *testing.T) {
				s := door.Start(t, caddytest.WithFaults(t, caddytest.FaultOnce(c.fault)), c.patience())
				counted := `wsfev1_backend_faults_injected_total{kind="` + strings.Fields(c.fault)[0] + `"}`
				before := s.Metric(counted)
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				if got.Status != c.status || !strings.Contains(string(got.Body), c.says) {
					t.Errorf("got %d %s, want %d with %q", got.Status, got.Body, c.status, c.says)
				}
				if c.code != "" {
					if codes := got.Codes(t); len(codes) != 1 || codes[0] != c.code {
						t.Errorf("codes %v, want %s", codes, c.code)
					}
				}
				records := s.Records()
				if intents, outcomes := caddytest.Kinds(records); intents != 1 || outcomes != 1 {
					t.Fatalf("%d intents and %d outcomes, want one of each", intents, outcomes)
				}
				if r := records[1]; r.Certainty != c.certainty || string(r.Outcome) != c.outcome {
					t.Errorf("recorded %s, %s; want %s, %s", r.Certainty, r.Outcome, c.certainty, c.outcome)
				}
				if value := s.Metric(counted); value != caddytest.Plus(t, before, 1) {
					t.Errorf("%s went from %s to %s", counted, before, value)
				}
				checkIssued(t, s, c.issued)
			})
		}
	}
}

// checkIssued asks the service whether invoice(1) is there, and sends it again: that
// must be refused if it is, and approved if it is not.
func checkIssued(t *testing.T, s *caddytest.Site, issued bool) {
	t.Helper()
	last := s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`).At(t, "/CbteNro")
	found := s.Post("FECompConsultar", "{"+caddytest.AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`)
	again := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if issued && (last != "1" || found.At(t, "/ResultGet/Resultado") != `"A"` || caddytest.FirstError(t, again) != "10016") {
		t.Errorf("not issued once: last %s, found %s, again %s", last, found.Body, again.Body)
	}
	if !issued && (last != "0" || caddytest.FirstError(t, found) != "602" || again.At(t, "/FeCabResp/Resultado") != `"A"`) {
		t.Errorf("issued: last %s, found %s, again %s", last, found.Body, again.Body)
	}
}

// TestDummySaysOKWhileNothingElseWorks.
func TestDummySaysOKWhileNothingElseWorks(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, "fault dummy_only"))
	if got := s.Post("FEDummy", "{}"); got.At(t, "/AppServer") != `"OK"` || got.At(t, "/DbServer") != `"OK"` {
		t.Errorf("FEDummy: %s", got.Body)
	}
	for _, operation := range []string{"FECompTotXRequest", "FEParamGetTiposIva", "FEParamGetPtosVenta"} {
		if got := s.Post(operation, "{"+caddytest.AuthText+"}"); caddytest.FirstError(t, got) != "501" {
			t.Errorf("%s: %s", operation, got.Body)
		}
	}
}

// TestTicketsExpireFromNowOn: after some requests every ticket is refused, and only
// FEDummy, which has none, goes on.
func TestTicketsExpireFromNowOn(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, "fault expired_ticket {\n after 2\n}"))
	for i, code := range []string{"", "", "600", "600"} {
		if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); caddytest.FirstError(t, got) != code {
			t.Errorf("request %d: %s", i+1, got.Body)
		}
	}
	informed := s.Post("FECAEASinMovimientoInformar", "{"+caddytest.AuthText+`,"PtoVta":3,"CAEA":"41234567890123"}`)
	if caddytest.FirstError(t, informed) != "600" || informed.At(t, "/PtoVta") != "3" {
		t.Errorf("FECAEASinMovimientoInformar: %s", informed.Body)
	}
	if got := s.Post("FEDummy", "{}"); got.At(t, "/AppServer") != `"OK"` {
		t.Errorf("FEDummy: %s", got.Body)
	}
}

// TestSlowTablesAreRightAndLate: and nothing else is slow.
func TestSlowTablesAreRightAndLate(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, "fault slow_tables {\n delay fixed 60ms\n}"))
	series := `wsfev1_backend_faults_injected_total{kind="slow_tables"}`
	before := s.Metric(series)
	for _, operation := range []string{"FEParamGetTiposIva", "FECompTotXRequest", "FEParamGetPtosVenta"} {
		got := s.Post(operation, "{"+caddytest.AuthText+"}")
		r := s.Last()
		if got.Status != 200 || r.Outcome != "answered" || operation != "FECompTotXRequest" && r.Duration < 60*time.Millisecond {
			t.Errorf("%s: %d %s after %s", operation, got.Status, r.Outcome, r.Duration)
		}
	}
	if got := s.Metric(series); got != caddytest.Plus(t, before, 2) {
		t.Errorf("%s went from %s to %s", series, before, got)
	}
}
