package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAResetBehindAGateway: with replay on, the trail answers for invoices that the ledger no longer has.
// With replay off, and with a trail of its own, the service alone says what there is; but with sequence as
// it is by default, numbers are still held against those before.
func TestAResetBehindAGateway(t *testing.T) {
	const asked = "{" + caddytest.AuthText + `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`
	for name, c := range map[string]struct {
		options  []string
		newTrail bool
		replayed bool
		observed string
	}{
		"replay on":                    {[]string{"replay on", "recover within 400ms"}, false, true, ""},
		"replay off":                   {[]string{"replay off", "recover within 400ms"}, false, false, "10016 observe"},
		"replay off, sequence enforce": {[]string{"replay off", "recover within 400ms", "sequence enforce"}, false, false, ""},
		"replay off, sequence off":     {[]string{"replay off", "recover within 400ms", "sequence off"}, false, false, ""},
		"another trail":                {[]string{"replay on", "recover within 400ms"}, true, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := filepath.Join(t.TempDir(), "ledger.db")
			next := "wsfev1_backend {\n\t\tledger sqlite " + ledger + "\n\t}"
			s := caddytest.Start(t, next, c.options...)
			for number := range 2 {
				if got := s.Post("FECAESolicitar", caddytest.Invoice(number+1)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
					t.Fatalf("%s", got.Body)
				}
			}
			_, said := mustRun(t, "", "ledger", "reset", "--ledger", "sqlite:"+ledger, "--yes")
			if strings.Count(said, "\n") != 2 || !strings.Contains(said, `"replay off" and "sequence off"`) {
				t.Errorf("said %q", said)
			}
			if c.newTrail {
				s.Store = filepath.Join(t.TempDir(), "next.db")
				s.Load(s.Config(s.WithAudit(c.options...), next))
			}
			for number := range 2 {
				got := s.Post("FECAESolicitar", caddytest.Invoice(number+1))
				outcome := got.Header.Get("Wsfev1-Outcome")
				if got.At(t, "/FeCabResp/Resultado") != `"A"` || (outcome == "replayed") != c.replayed {
					t.Errorf("number %d: %s %s", number+1, outcome, got.Body)
				}
			}
			found := s.Post("FECompConsultar", asked)
			if missing := strings.Contains(string(found.Body), `"Code":602`); missing != c.replayed {
				t.Errorf("the service: %s", found.Body)
			}
			observed := ""
			for _, r := range s.Records() {
				for _, f := range r.Findings {
					observed = f.Code + " " + f.Action
				}
			}
			if observed != c.observed {
				t.Errorf("observed %q, want %q", observed, c.observed)
			}
		})
	}
}
