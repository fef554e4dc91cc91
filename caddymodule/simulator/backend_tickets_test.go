package simulator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

// TestStrictTickets: the service itself refuses the tickets that the gateway in front leaves to
// it, and so it does without a gateway.
func TestStrictTickets(t *testing.T) {
	s := caddytest.Start(t, withOptions(t, "tickets strict"), "ticket off")
	for name, test := range map[string]struct{ body, refused string }{
		"in order":        {caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", inAnHour(), 20111111112), caddytest.Sign), ""},
		"seen before":     {caddytest.WithTicket(caddytest.Invoice(2), caddytest.SSOTicket("wsfe", inAnHour(), 20111111112), caddytest.Sign), ""},
		"no ticket":       {caddytest.Invoice(1), "no es un ticket"},
		"expired":         {caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", time.Now().Add(-time.Hour), 20111111112), caddytest.Sign), "venció"},
		"to come":         {caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", time.Now().Add(20*time.Hour), 20111111112), caddytest.Sign), "vale desde"},
		"another service": {caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfex", inAnHour(), 20111111112), caddytest.Sign), "wsfex"},
		"another issuer":  {caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", inAnHour(), 30500010912), caddytest.Sign), "lista de relaciones"},
		"no Sign":         {caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", inAnHour(), 20111111112), ""), "Sign está vacío"},
	} {
		got := s.Post("FECAESolicitar", test.body)
		switch {
		case test.refused == "" && strings.Contains(string(got.Body), `"Code":600`),
			test.refused != "" && (got.Status != 200 || got.At(t, "/Errors/Err/0/Code") != "600" ||
				!strings.Contains(got.At(t, "/Errors/Err/0/Msg"), test.refused) || got.At(t, "/FeCabResp") != ""):
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
}

// TestStrictTicketsGoByTheClock that was moved, in the gateway and in the service.
func TestStrictTicketsGoByTheClock(t *testing.T) {
	for _, gateway := range []string{"ticket check", "ticket off"} {
		t.Run(gateway, func(t *testing.T) {
			s := caddytest.StartAdministered(t, withOptions(t, "tickets strict", "clock fixed 2026-11-02T12:00:00-03:00"), nil, gateway)
			ends := time.Date(2026, 11, 2, 20, 0, 0, 0, time.UTC) // 17:00 in Argentina
			if got := s.Post("FECAESolicitar", caddytest.WithTicket(caddytest.Invoice(1), caddytest.SSOTicket("wsfe", ends, 20111111112), caddytest.Sign)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("in force: %s", got.Body)
			}
			moveTo(s, "2026-11-02T17:00:01-03:00")
			got := s.Post("FECAESolicitar", caddytest.WithTicket(caddytest.Invoice(2), caddytest.SSOTicket("wsfe", ends, 20111111112), caddytest.Sign))
			if got.At(t, "/Errors/Err/0/Code") != "600" || !strings.Contains(string(got.Body), "2026-11-02T17:00:01-03:00") {
				t.Errorf("expired: %s", got.Body)
			}
		})
	}
}

// TestInformIsRefusedWithTheErrorBody: the contract declares 400 for it, and to the
// gateway it is an answer, which rejects.
func TestInformIsRefusedWithTheErrorBody(t *testing.T) {
	s := caddytest.Start(t, withOptions(t, "tickets strict"), "mode observe")
	for operation := range caddytest.AnswerTable {
		if operation == "FEDummy" {
			continue
		}
		got := s.Post(operation, "{"+caddytest.AuthText+caddytest.RequestMembers(operation)+"}")
		r := s.Last()
		if r.Outcome != "rejected" || r.Certainty != audit.Answered || r.Status != got.Status || string(r.Answer) != string(got.Body) {
			t.Errorf("%s: recorded %s, %s, %d with %s", operation, r.Outcome, r.Certainty, r.Status, r.Answer)
		}
		if operation == "FECAEARegInformativo" {
			caddytest.CheckErrorBody(t, got, 400, "600")
		} else if got.Status != 200 || got.At(t, "/Errors/Err/0/Code") != "600" {
			t.Errorf("%s: %d %s", operation, got.Status, got.Body)
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
		s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(test.status, test.body)).URL), "mode observe")
		got := s.Post("FECAEARegInformativo", "{"+caddytest.AuthText+caddytest.RequestMembers("FECAEARegInformativo")+"}")
		if r := s.Last(); got.Status != test.status || string(got.Body) != test.body || string(r.Outcome) != test.outcome || r.Certainty != audit.Answered {
			t.Errorf("%d %s: %s, %s, the client got %d %s", test.status, test.body, r.Outcome, r.Certainty, got.Status, got.Body)
		}
	}
}

// TestStrictTicketsAreNotKept: a Token that is a ticket is a credential as well.
func TestStrictTicketsAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, withOptions(t, "tickets strict"), caddytest.Answering(200, caddytest.Approval))
	ticket := caddytest.WithTicket(caddytest.Token, caddytest.SSOTicket("wsfe", inAnHour(), 20111111112), "")
	v.Token = ticket
	for name, body := range caddytest.RequestsWithCredentials() {
		if got := v.Post("FECAESolicitar", v.In(body)); got.Header.Get("Wsfev1-Record") == "" {
			t.Errorf("%s: %d without a record", name, got.Status)
		}
	}
	expired := caddytest.WithTicket(caddytest.Token, caddytest.SSOTicket("wsfe", time.Now().Add(-time.Hour), 20111111112), "")
	v.Load(strings.Replace(v.Options, "audit sqlite", "ticket off\n audit sqlite", 1))
	v.Post("FECAESolicitar", strings.ReplaceAll(v.In(caddytest.RequestsWithCredentials()["right"]), ticket, expired))
	for _, file := range []string{"default.log", "access.log", "audit.db"} {
		content, err := os.ReadFile(filepath.Join(v.Folder, file))
		if err != nil || strings.Contains(string(content), expired[:60]) {
			t.Errorf("%s holds the Token: %v", file, err)
		}
	}
	v.Search(t)
}
