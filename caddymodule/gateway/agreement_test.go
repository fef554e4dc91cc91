package gateway_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// agreementOf returns the counters of a code: both found it, the gateway alone, the
// upstream alone.
func agreementOf(s *caddytest.Site, code string) string {
	s.T.Helper()
	var counts []string
	scraped := s.Scrape("wsfev1_rule_agreement_total")
	for _, pair := range [][2]string{{"found", "found"}, {"found", "absent"}, {"absent", "found"}} {
		counts = append(counts, caddytest.ValueOf(scraped, fmt.Sprintf(`wsfev1_rule_agreement_total{code=%q,gateway=%q,upstream=%q}`, code, pair[0], pair[1])))
	}
	return strings.Join(counts, " ")
}

// grown subtracts two readings of agreementOf: the counters live as long as the
// process.
func grown(before, after string) string {
	var counts []string
	old := strings.Fields(before)
	for i, text := range strings.Fields(after) {
		now, _ := strconv.Atoi(text)
		then, _ := strconv.Atoi(old[i])
		counts = append(counts, strconv.Itoa(now-then))
	}
	return strings.Join(counts, " ")
}

// verdictOn is a stub's answer to invoice(1), rejected with codes.
func verdictOn(resultado string, codes ...int) string {
	answer := strings.ReplaceAll(caddytest.Approval, `"Resultado":"A"`, fmt.Sprintf("%q:%q", "Resultado", resultado))
	if resultado == "R" { // one with a CAE is not believed
		answer = strings.ReplaceAll(answer, `"CAE":"86470000000001"`, `"CAE":""`)
	}
	if len(codes) == 0 {
		return answer
	}
	var obs []string
	for _, code := range codes {
		obs = append(obs, fmt.Sprintf(`{"Code":%d,"Msg":"m"}`, code))
	}
	return strings.Replace(answer, `"CAE":`, `"Observaciones":{"Obs":[`+strings.Join(obs, ",")+`]},"CAE":`, 1)
}

// TestAgreementTellsWhetherBothFoundACode, in observe: the request goes on and the
// service has its own say.
func TestAgreementTellsWhetherBothFoundACode(t *testing.T) {
	wrong := strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150`, 1)
	for name, c := range map[string]struct{ body, answer, want string }{
		"both":                          {wrong, verdictOn("R", 10048), "1 0 0"},
		"both, twice in the answer":     {wrong, verdictOn("R", 10048, 10048), "1 0 0"},
		"the gateway alone":             {wrong, caddytest.Approval, "0 1 0"},
		"the gateway alone, another":    {wrong, verdictOn("R", 10051), "0 1 0"},
		"the upstream alone":            {caddytest.Invoice(1), verdictOn("R", 10048), "0 0 1"},
		"neither":                       {caddytest.Invoice(1), caddytest.Approval, "0 0 0"},
		"the upstream did not look":     {wrong, verdictOn("R"), "0 0 0"},
		"the upstream looked elsewhere": {wrong, `{"Errors":{"Err":[{"Code":10016,"Msg":"m"}]}}`, "0 0 0"},
		"the upstream looked at a date": {wrong, verdictOn("R", 10016), "0 0 0"},
		"the upstream's own Errors":     {wrong, `{"Errors":{"Err":[{"Code":10048,"Msg":"m"}]}}`, "1 0 0"},
		"no answer of the operation":    {wrong, `[]`, "0 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, c.answer)).URL), "mode observe")
			before := agreementOf(s, "10048")
			s.Post("FECAESolicitar", c.body)
			if got := grown(before, agreementOf(s, "10048")); got != c.want {
				t.Errorf("grew by %s, want %s", got, c.want)
			}
		})
	}
}

// TestAgreementSaysNothingOfWhatOnlyTheServiceCanDecide.
func TestAgreementSaysNothingOfWhatOnlyTheServiceCanDecide(t *testing.T) {
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, verdictOn("R", 10063, 77777))).URL), "mode observe")
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	for line := range strings.Lines(string(s.Scrape())) {
		agrees := strings.HasPrefix(line, "wsfev1_rule_agreement_total{")
		if agrees && strings.Contains(line, `code="10063"`) || strings.Contains(line, `code="77777"`) {
			t.Errorf("the code is a label: %s", line)
		}
	}
}

// TestAgreementIsSilentWhereOneOfTwoWasNotAsked: a rule that is off, the sequence, and rules that
// hang on a rate or on the register.
func TestAgreementIsSilentWhereOneOfTwoWasNotAsked(t *testing.T) {
	for code, number := range map[string]int{"10048": 10048, "10016": 10016, "10119": 10119, "10015": 10015} {
		s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, verdictOn("R", number))).URL), "mode observe", "rule 10048 off")
		before := agreementOf(s, code)
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		if got := grown(before, agreementOf(s, code)); got != "0 0 0" {
			t.Errorf("%s grew by %s", code, got)
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRulesHaveTheLevelsOfTheirOptions.
func TestRulesHaveTheLevelsOfTheirOptions(t *testing.T) {
	wrong := strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150`, 1)
	for option, want := range map[string]string{
		"rule 10048 enforce": "refused 10048 refuse",
		"rule 10048 observe": "approved 10048 observe",
		"rule 10048 off":     "approved",

		"mode observe\n\t\trule 10048 enforce": "refused 10048 refuse",
		"mode observe\n\t\trule 10051 enforce": "approved 10048 observe",
		"absolute_tolerance 29":                "approved",
		"absolute_tolerance 28.99":             "refused 10048 refuse",
		"relative_tolerance 0.2":               "approved",
	} {
		t.Run(option, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval)).URL), option)
			s.Post("FECAESolicitar", wrong)
			got := string(s.Last().Outcome)
			for _, f := range s.Last().Findings {
				got += " " + f.Code + " " + f.Action
			}
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
