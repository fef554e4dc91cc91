package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

// TestStrictTickets: the service itself refuses what the gateway in front leaves to
// it, and so it does without a gateway.
func TestStrictTickets(t *testing.T) {
	s := start(t, withOptions(t, "tickets strict"), "ticket off")
	for name, test := range map[string]struct{ body, refused string }{
		"in order":        {withTicket(invoice(1), ssoTicket("wsfe", inAnHour(), 20111111112), sign), ""},
		"seen before":     {withTicket(invoice(2), ssoTicket("wsfe", inAnHour(), 20111111112), sign), ""},
		"no ticket":       {invoice(1), "no es un ticket"},
		"expired":         {withTicket(invoice(1), ssoTicket("wsfe", time.Now().Add(-time.Hour), 20111111112), sign), "venció"},
		"to come":         {withTicket(invoice(1), ssoTicket("wsfe", time.Now().Add(20*time.Hour), 20111111112), sign), "vale desde"},
		"another service": {withTicket(invoice(1), ssoTicket("wsfex", inAnHour(), 20111111112), sign), "wsfex"},
		"another issuer":  {withTicket(invoice(1), ssoTicket("wsfe", inAnHour(), 30500010912), sign), "lista de relaciones"},
		"no Sign":         {withTicket(invoice(1), ssoTicket("wsfe", inAnHour(), 20111111112), ""), "Sign está vacío"},
	} {
		got := s.post("FECAESolicitar", test.body)
		switch {
		case test.refused == "" && strings.Contains(string(got.body), `"Code":600`),
			test.refused != "" && (got.status != 200 || got.at(t, "/Errors/Err/0/Code") != "600" ||
				!strings.Contains(got.at(t, "/Errors/Err/0/Msg"), test.refused) || got.at(t, "/FeCabResp") != ""):
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// TestStrictTicketsGoByTheClock that was moved, in the gateway and in the service.
func TestStrictTicketsGoByTheClock(t *testing.T) {
	for _, gateway := range []string{"ticket check", "ticket off"} {
		t.Run(gateway, func(t *testing.T) {
			s := startAdministered(t, withOptions(t, "tickets strict", "clock fixed 2026-11-02T12:00:00-03:00"), nil, gateway)
			ends := time.Date(2026, 11, 2, 20, 0, 0, 0, time.UTC) // 17:00 in Argentina
			if got := s.post("FECAESolicitar", withTicket(invoice(1), ssoTicket("wsfe", ends, 20111111112), sign)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("in force: %s", got.body)
			}
			moveTo(s, "2026-11-02T17:00:01-03:00")
			got := s.post("FECAESolicitar", withTicket(invoice(2), ssoTicket("wsfe", ends, 20111111112), sign))
			if got.at(t, "/Errors/Err/0/Code") != "600" || !strings.Contains(string(got.body), "2026-11-02T17:00:01-03:00") {
				t.Errorf("expired: %s", got.body)
			}
		})
	}
}

// TestInformIsRefusedWithTheErrorBody: the contract declares 400 for it, and to the
// gateway it is an answer, which rejects.
func TestInformIsRefusedWithTheErrorBody(t *testing.T) {
	s := start(t, withOptions(t, "tickets strict"), "mode observe")
	for operation := range answerTable {
		if operation == "FEDummy" {
			continue
		}
		got := s.post(operation, "{"+authText+requestMembers(operation)+"}")
		r := s.last()
		if r.Outcome != "rejected" || r.Certainty != audit.Answered || r.Status != got.status || string(r.Answer) != string(got.body) {
			t.Errorf("%s: recorded %s, %s, %d with %s", operation, r.Outcome, r.Certainty, r.Status, r.Answer)
		}
		if operation == "FECAEARegInformativo" {
			checkErrorBody(t, got, 400, "600")
		} else if got.status != 200 || got.at(t, "/Errors/Err/0/Code") != "600" {
			t.Errorf("%s: %d %s", operation, got.status, got.body)
		}
	}
}

// TestErrorBodiesOfInform: only the body that the contract declares is an answer;
// after anything else it may have been done.
func TestErrorBodiesOfInform(t *testing.T) {
	for _, test := range []struct {
		status        int
		body, outcome string
	}{
		{400, `{"Errors":{"Err":[{"Code":"600","Msg":"x"}]}}`, "rejected"},
		{400, `{"Errors":{"Err":[{"Code":"701","Msg":"x"},{"Code":"1300","Msg":"x"}]}}`, "rejected"},
		{400, `{"Errors":{"Err":[{"Code":"600","Msg":"x"},{"Code":"501","Msg":"x"}]}}`, "upstream_error"},
		{400, `{"Errors":{"Err":[]}}`, "upstream_error"},
		{400, `{"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`, "upstream_error"},
		{400, `{"FeCabResp":{"Resultado":"P"},"Errors":{"Err":[{"Code":"600","Msg":"x"}]}}`, "upstream_error"},
		{400, `<html>400</html>`, "upstream_error"},
		{500, `{"Errors":{"Err":[{"Code":"600","Msg":"x"}]}}`, "upstream_error"},
	} {
		s := start(t, proxyTo(newStub(t, answering(test.status, test.body)).URL), "mode observe")
		got := s.post("FECAEARegInformativo", "{"+authText+requestMembers("FECAEARegInformativo")+"}")
		if r := s.last(); got.status != test.status || string(got.body) != test.body || r.Outcome != test.outcome || r.Certainty != audit.Answered {
			t.Errorf("%d %s: %s, %s, the client got %d %s", test.status, test.body, r.Outcome, r.Certainty, got.status, got.body)
		}
	}
}

// TestStrictTicketsAreNotKept: a Token that is a ticket is a credential as well.
func TestStrictTicketsAreNotKept(t *testing.T) {
	v := openVault(t, withOptions(t, "tickets strict"), answering(200, approval))
	ticket := withTicket(token, ssoTicket("wsfe", inAnHour(), 20111111112), "")
	v.token = ticket
	for name, body := range requestsWithCredentials() {
		if got := v.post("FECAESolicitar", v.in(body)); got.header.Get("Wsfev1-Record") == "" {
			t.Errorf("%s: %d without a record", name, got.status)
		}
	}
	expired := withTicket(token, ssoTicket("wsfe", time.Now().Add(-time.Hour), 20111111112), "")
	v.load(strings.Replace(v.options, "audit sqlite", "ticket off\n audit sqlite", 1))
	v.post("FECAESolicitar", strings.ReplaceAll(v.in(requestsWithCredentials()["right"]), ticket, expired))
	for _, file := range []string{"default.log", "access.log", "audit.db"} {
		content, err := os.ReadFile(filepath.Join(v.folder, file))
		if err != nil || strings.Contains(string(content), expired[:60]) {
			t.Errorf("%s holds the Token: %v", file, err)
		}
	}
	v.search(t)
}
