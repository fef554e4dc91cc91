package rules_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// serviceSettings are the settings of the built-in service.
func serviceSettings() rules.Settings {
	return rules.Settings{DecidesState: true, Environment: rules.Production}
}

// TestWhatIsAcceptedUnjudgedHasNoFinding draws requests and makes some of their amounts large or wrong: whatever
// the service's rules accept from a gateway's, they find nothing in.
func TestWhatIsAcceptedUnjudgedHasNoFinding(t *testing.T) {
	gateways := []*rules.Rules{
		rulesUnder(t, rules.Settings{Environment: anywhere}), rulesUnder(t, rules.Settings{Environment: rules.Production}),
		rulesUnder(t, rules.Settings{Environment: rules.Testing}), rulesUnder(t, rules.Settings{Environment: anywhere, Tables: admitting{}}),
	}
	service := rulesUnder(t, serviceSettings())
	accepted, reached := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t, wish{})
		for i := range r.invoices {
			if d := &r.invoices[i]; rapid.IntRange(0, 3).Draw(t, "large") == 0 {
				large := wsfev1.AmountOf(rapid.Int64Range(400_000, 11_000_000).Draw(t, "total"), 0)
				d.ImpTotal = d.ImpTotal.Add(large)
				d.ImpTotConc = d.ImpTotConc.Add(large)
			}
		}
		request, shape := validate.Decode(wsfev1.OperationByName(r.operation()), r.body(t), validate.ARCA)
		if len(shape) > 0 {
			t.Skip("not of right shape")
		}
		found := service.Judge(request, r.now)
		for _, gateway := range gateways {
			_, clearance := gateway.JudgeAndClear(request, r.now)
			if !service.Accepts(clearance, request, r.now) {
				continue
			}
			if accepted++; len(found) > 0 {
				t.Fatalf("accepted, processed %s:\n%s\nin %s", r.now, strings.Join(lines(found), "\n"), r.body(t))
			}
		}
		if len(found) > 0 {
			reached++
		}
	})
	if accepted == 0 || reached == 0 {
		t.Errorf("%d requests were accepted, and %d had findings: the test shows nothing", accepted, reached)
	}
}

// admitting lists everything.
type admitting struct{}

func (admitting) Lists(string, string) bool       { return true }
func (admitting) Admits(wsfev1.Class, int32) bool { return true }

type lotsOf int

func (n lotsOf) Largest() int { return int(n) }

const plainInvoice = `Concepto=1 DocTipo=99 DocNro=0 CbteDesde=1 CbteHasta=1 ImpTotal=121.00 ImpTotConc=0 ImpNeto=100.00 ` +
	`ImpOpEx=0 ImpTrib=0 ImpIVA=21.00 MonId="PES" MonCotiz=1 CondicionIVAReceptorId=5 Iva=5/100.00/21.00`

func TestAServiceJudgesWhatOthersHaveJudgedByOtherRules(t *testing.T) {
	decode := func(invoices ...string) *validate.Request {
		request, shape := validate.Decode(wsfev1.OperationByName("FECAESolicitar"), []byte(lotJSON("FECAESolicitar", len(invoices), 6, invoices...)), validate.ARCA)
		if len(shape) > 0 {
			t.Fatal(shape)
		}
		return request
	}
	plain := decode(plainInvoice)
	at := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	levels := map[int32]validate.Level{10016: validate.Observe}
	second := strings.ReplaceAll(plainInvoice, "=1 CbteHasta=1", "=2 CbteHasta=2")
	large := strings.NewReplacer("121.00", "4100000.00", "ImpTotConc=0", "ImpTotConc=4099879.00").Replace(plainInvoice)
	unknown := strings.Replace(plainInvoice, "CondicionIVAReceptorId=5", "CondicionIVAReceptorId=77", 1)
	for _, test := range []struct {
		name             string
		gateway, service func(*rules.Settings)
		sent, served     *validate.Request
		later            time.Duration
		want             bool
	}{
		{name: "the same rules", want: true},
		{name: "an hour later", later: time.Hour, want: true},
		{name: "on another day", later: 24 * time.Hour},
		{name: "another request", served: decode(plainInvoice)},
		{name: "levels of the gateway alone", gateway: func(s *rules.Settings) { s.Levels = levels }},
		{name: "levels of the service alone", service: func(s *rules.Settings) { s.Levels = levels }},
		{
			name: "the same levels", want: true,
			gateway: func(s *rules.Settings) { s.Levels = levels }, service: func(s *rules.Settings) { s.Levels = levels },
		},
		{name: "another tolerance", gateway: func(s *rules.Settings) { s.AbsoluteTolerance = wsfev1.MustAmount("1") }},
		{name: "another threshold", gateway: func(s *rules.Settings) { s.ConsumerFinalThreshold = wsfev1.MustAmount("1000") }},
		{name: "another environment", gateway: func(s *rules.Settings) { s.Environment = rules.Testing }},
		{name: "the same environment", gateway: func(s *rules.Settings) { s.Environment = rules.Production }, want: true},
		{name: "an amount that only production does not refuse", sent: decode(large)},
		{name: "a condition that a table admits", sent: decode(unknown), gateway: func(s *rules.Settings) { s.Tables = admitting{} }},
		{name: "a table that admits nothing new", gateway: func(s *rules.Settings) { s.Tables = admitting{} }, want: true},
		{name: "a lot that is too large", sent: decode(plainInvoice, second), service: func(s *rules.Settings) { s.Lots = lotsOf(1) }},
		{name: "a gateway that decides state", gateway: func(s *rules.Settings) { s.DecidesState = true }, want: true},
		{
			name:    "a service that does not",
			gateway: func(s *rules.Settings) { s.DecidesState = true }, service: func(s *rules.Settings) { s.DecidesState = false },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			gateway, service := rules.Settings{Environment: anywhere}, serviceSettings()
			for settings, change := range map[*rules.Settings]func(*rules.Settings){&gateway: test.gateway, &service: test.service} {
				if change != nil {
					change(settings)
				}
			}
			if test.sent == nil {
				test.sent = plain
			}
			if test.served == nil {
				test.served = test.sent
			}
			_, clearance := rulesUnder(t, gateway).JudgeAndClear(test.sent, at)
			if got := rulesUnder(t, service).Accepts(clearance, test.served, at.Add(test.later)); got != test.want {
				t.Errorf("accepted: %t", got)
			}
		})
	}
}

func TestAFindingIsNoClearance(t *testing.T) {
	wrong := lotJSON("FECAESolicitar", 1, 6, strings.Replace(plainInvoice, "121.00", "122.00", 1))
	for name, settings := range map[string]rules.Settings{
		"refused":  {},
		"observed": {Levels: map[int32]validate.Level{10048: validate.Observe}},
	} {
		request, found := judge(t, "FECAESolicitar", wrong)
		if len(found) == 0 {
			t.Fatal("nothing is wrong with it")
		}
		own, at := rulesUnder(t, settings), time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
		if _, clearance := own.JudgeAndClear(request, at); own.Accepts(clearance, request, at) {
			t.Errorf("%s: what was found wrong is accepted", name)
		}
	}
}
