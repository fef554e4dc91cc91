package simulator_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// twoServices are two sites, each with a built-in service of its own lines.
func twoServices(first, second string) string {
	var sites strings.Builder
	for i, lines := range []string{first, second} {
		fmt.Fprintf(&sites, "http://localhost:%d {\n wsfev1_backend {\n%s\n }\n}\n", 81+i, lines)
	}
	return sites.String()
}

// TestThereIsOneListOfFaults for all handlers of a configuration.
func TestThereIsOneListOfFaults(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, c := range []struct{ first, second, want string }{
		{"fault drop", "fault drop", ""},
		{"fault drop\nfault_seed 1", "fault_seed 1\nfault drop", ""},
		{"fault drop", "", ""},
		{"", "fault drop {\nprobability 0.5\n}", ""},
		{"fault drop {\nprobability 0.5\n}", "fault drop {\nprobability 0.6\n}", "all handlers share one list"},
		{"fault drop", "fault drop\nfault drop", "all handlers share one list"},
		{"fault drop\nfault_seed 1", "fault drop\nfault_seed 2", "all handlers share one list"},
	} {
		err := caddytest.Provision(t, []byte(twoServices(c.first, c.second)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q and %q: %v, want %q", c.first, c.second, err, c.want)
		}
	}
}

// TestFaultsStrikeWhicheverHandlerServes: the handlers of a service share one list.
func TestFaultsStrikeWhicheverHandlerServes(t *testing.T) {
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next)
	other := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	ledger := "ledger sqlite " + filepath.Join(t.TempDir(), "other.db")
	s.Load(s.Config("audit sqlite "+s.Store, next) + fmt.Sprintf(
		"%s {\n bind %s\n wsfev1_backend {\n %s\n fault error_500 {\n count 2\n }\n }\n}\n", other.URL, caddytest.Loopback, ledger))
	for i, c := range []struct {
		*caddytest.Site
		want string
	}{{s, "500"}, {other, "500"}, {s, ""}, {other, ""}} {
		if got := c.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); caddytest.FirstError(t, got) != c.want {
			t.Errorf("request %d: %s", i+1, got.Body)
		}
	}
}

// TestFaultsInJSONAreValidatedToo: they do not pass through the Caddyfile.
func TestFaultsInJSONAreValidatedToo(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, c := range []struct{ members, want string }{
		{`"faults":[{"kind":"drop"},{"kind":"dorp"}]`, `fault 2: unknown kind "dorp"`},
		{`"faults":[{"kind":"drop","percent":1}]`, "percent"},
		{`"fault_seed":-1`, "fault_seed"},
		{`"fault_seed":4294967296`, "fault_seed"},
		{`"fault_seed":4294967295,"faults":[{"kind":"drop"}]`, ""},
	} {
		config := new(caddy.Config)
		text := `{"apps":{"http":{"servers":{"s":{"listen":[":80"],"routes":[{"handle":[{"handler":"wsfev1_backend",` + c.members + `}]}]}}}}}`
		if err := json.Unmarshal([]byte(text), config); err != nil {
			t.Fatal(err)
		}
		if err := caddy.Validate(config); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.members, err, c.want)
		}
	}
}

// TestAnErrorOfTheInformativeRegimeKeepsItsForm: with status 400, as the contract
// declares it.
func TestAnErrorOfTheInformativeRegimeKeepsItsForm(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, "fault expired_ticket {\n count 1\n}", "fault error_501"), "mode observe", "rule 1434 off")
	body := strings.NewReplacer("FeCAEReq", "FeCAEARegInfReq", "FECAEDetRequest", "FECAEADetRequest", `"CbteDesde"`,
		`"CAEA":"41234567890123","CbteFchHsGen":"20261120120000","CbteDesde"`).Replace(caddytest.Invoice(1))
	for _, c := range []struct{ code, outcome string }{{"600", "rejected"}, {"501", "upstream_error"}} {
		got := s.Post("FECAEARegInformativo", body)
		if codes := got.Codes(t); got.Status != 400 || len(codes) != 1 || codes[0] != c.code {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
		if r := s.Last(); string(r.Outcome) != c.outcome || r.Certainty != "answered" {
			t.Errorf("%s is recorded as %s, %s", c.code, r.Outcome, r.Certainty)
		}
	}
}
