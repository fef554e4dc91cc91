package backend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// desk asks a backend as it is without any setting but the rules: with the default
// register.
type desk struct {
	*scenario
	t *testing.T
	// caeas are the codes of issuers for the fortnight of the desk's day.
	caeas map[wsfev1.CUIT]string
	// unnamed is the offset of the last CUIT that the desk made up.
	unnamed wsfev1.CUIT
}

func newDesk(t *testing.T, now time.Time) *desk {
	t.Helper()
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ledger.Close() })
	rules, err := rules.NewRules(rules.Settings{DecidesState: true, Environment: rules.Production})
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{now: now, answered: map[string]bool{}}
	s.service, err = backend.New(ledger, backend.Options{
		Clock: func() time.Time { return now }, Rules: rules, Judge: rules.Judge,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{scenario: s, t: t, caeas: map[wsfev1.CUIT]string{}}
}

// somebody returns a new CUIT, which no register names and which has issued nothing.
func (d *desk) somebody() wsfev1.CUIT {
	for {
		d.unnamed++
		if cuit := 20_300_000_000 + d.unnamed; cuit.Valid() {
			return cuit
		}
	}
}

// as asks in the name of an issuer.
func (d *desk) as(cuit wsfev1.CUIT, operation, members string) string {
	d.t.Helper()
	return string(d.ask(d.t, fmt.Sprintf(`%s {"Auth":{"Token":"token","Sign":"sign","Cuit":%d},%s}`, operation, cuit, members)))
}

// authorise asks for the CAE of one invoice, the next of its series.
func (d *desk) authorise(cuit wsfev1.CUIT, ptoVta, cbteTipo int, members string) string {
	return d.as(cuit, "FECAESolicitar", fmt.Sprintf(
		`"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":%d,"CbteTipo":%d},"FeDetReq":{"FECAEDetRequest":[{{invoice %d %s}}]}}`,
		ptoVta, cbteTipo, d.next(cuit, ptoVta, cbteTipo), "`{"+members+"}`"))
}

func (d *desk) next(cuit wsfev1.CUIT, ptoVta, cbteTipo int) int64 {
	var last wsfev1.FECompUltimoAutorizadoAnswer
	answer := d.as(cuit, "FECompUltimoAutorizado", fmt.Sprintf(`"PtoVta":%d,"CbteTipo":%d`, ptoVta, cbteTipo))
	if err := json.Unmarshal([]byte(answer), &last); err != nil {
		d.t.Fatal(err)
	}
	return last.CbteNro + 1
}

// caea returns the issuer's code for the fortnight of the desk's day, empty if refused.
func (d *desk) caea(cuit wsfev1.CUIT) string {
	if code, asked := d.caeas[cuit]; asked {
		return code
	}
	var granted wsfev1.FECAEASolicitarAnswer
	if err := json.Unmarshal([]byte(d.as(cuit, "FECAEASolicitar", d.fortnight())), &granted); err != nil {
		d.t.Fatal(err)
	}
	if granted.ResultGet != nil {
		d.caeas[cuit] = granted.ResultGet.CAEA
	}
	return d.caeas[cuit]
}

func (d *desk) fortnight() string {
	orden := 1
	if d.now.Day() > 15 {
		orden = 2
	}
	return fmt.Sprintf(`"Periodo":%s,"Orden":%d`, d.now.Format("200601"), orden)
}

// report reports one invoice under the code of the desk's fortnight.
func (d *desk) report(cuit wsfev1.CUIT, ptoVta, cbteTipo int, members string) string {
	return d.as(cuit, "FECAEARegInformativo", fmt.Sprintf(
		`"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":%d,"CbteTipo":%d},"FeDetReq":{"FECAEADetRequest":[{{advance %d %q %s}}]}}`,
		ptoVta, cbteTipo, d.next(cuit, ptoVta, cbteTipo), d.caea(cuit), "`{"+members+"}`"))
}

// provoke sends the service a request whose answer depends on who.
type provoke func(d *desk, who wsfev1.CUIT) string

// provocation is how a code shows up in an answer with the default register.
type provocation struct {
	code int32
	// who is the test CUIT that provokes the code, 0 if any does.
	who wsfev1.CUIT
	ask provoke
	// otherwise is a request with who that is answered without the code. If it is nil, the
	// same request is made with instead, or with a CUIT that the register does not name.
	otherwise provoke
	instead   wsfev1.CUIT
	// says is a text that the answer must contain besides the code.
	says string
	// at is when it is asked, unless that is processed.
	at time.Time
}

func TestTheDefaultRegisterProvokesItsCodes(t *testing.T) {
	now := newDesk(t, processed)
	for _, p := range slices.Concat(receiverProvocations, issuerProvocations, otherProvocations) {
		t.Run(fmt.Sprint(p.code, p.says), func(t *testing.T) {
			d := now
			if !p.at.IsZero() {
				d = newDesk(t, p.at)
			}
			mark := fmt.Sprintf(`"Code":%d,`, p.code)
			who, otherwise, instead := p.who, p.otherwise, p.instead
			if who == 0 {
				who = d.somebody()
			}
			if got := p.ask(d, who); !strings.Contains(got, mark) || !strings.Contains(got, p.says) {
				t.Errorf("%d does not provoke it: %s", who, got)
			}
			switch {
			case otherwise != nil:
				instead = who
			case instead == 0:
				instead = d.somebody()
			}
			if otherwise == nil {
				otherwise = p.ask
			}
			if got := otherwise(d, instead); strings.Contains(got, mark) && strings.Contains(got, p.says) {
				t.Errorf("%d provokes it too: %s", instead, got)
			}
		})
	}
}

// TestEveryStateCodeHasItsPlace lists how each code that the backend decides is provoked:
// with which CUIT of the default register, or by what else.
func TestEveryStateCodeHasItsPlace(t *testing.T) {
	provoked := map[int32][]string{}
	for _, p := range slices.Concat(receiverProvocations, issuerProvocations, otherProvocations) {
		who := "anybody"
		if p.who != 0 {
			who = p.who.String()
		}
		if !slices.Contains(provoked[p.code], who) {
			provoked[p.code] = append(provoked[p.code], who)
		}
	}
	var got strings.Builder
	for _, rule := range rules.Catalogue() {
		how, whom := elsewhere[rule.Code], provoked[rule.Code]
		switch {
		case how != "" && whom != nil:
			t.Errorf("%d is provoked by %s, and told to hang on %s", rule.Code, whom, how)
		case whom != nil:
			how = strings.Join(whom, " ")
		case rule.DecidedAt != rules.State && how == "":
			continue
		case how == "":
			how = "missing"
		}
		fmt.Fprintf(&got, "%5d  %s\n", rule.Code, how)
	}
	const golden = "testdata/register/default.golden"
	if *rewrite {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, string(want), got.String())
}

// TestANameTellsWhatItsTestCUITProvokes: it is how people find the one they need.
func TestANameTellsWhatItsTestCUITProvokes(t *testing.T) {
	for _, p := range slices.Concat(receiverProvocations, issuerProvocations, otherProvocations) {
		name := backend.DefaultRegister().Taxpayer(p.who).Name
		code := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, p.code))
		if p.who != 0 && (!code.MatchString(name) || !strings.Contains(name, strings.ToLower(p.says))) {
			t.Errorf("%d %q does not tell %d %s", p.who, name, p.code, p.says)
		}
	}
}

// elsewhere names the dependency of each code that no register decides.
var elsewhere = func() map[int32]string {
	m := map[int32]string{}
	for needed, codes := range map[string][]int32{
		"the ledger: what the issuer has issued, asked for or declared": {
			602, 702, 705, 780, 801, 818, 1200, 1201, 1202, 1203, 1209, 1414, 1424, 1457, 1477, 1478, 1479, 1488,
			10041, 10102, 10105, 10160, 10181, 10183, 10184, 10237, 15008, 15014,
		},
		"the official rates":        {821, 10119, 10240},
		"the ticket":                {600, 601},
		"a fault that is asked for": {500, 501, 502},
		"nothing that is known: no recorded grant has it": {15018},
	} {
		for _, code := range codes {
			m[code] = needed
		}
	}
	return m
}()
