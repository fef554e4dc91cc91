package console_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// The invoices of outageTrail: each was asked for so often while the service did not answer.
const (
	outageInvoices = 6
	outageAttempts = 4
)

// outageTrail makes a trail of an outage of two hours that has just ended. Of its invoices one was recovered, and the
// others were issued afterwards.
func outageTrail(t *testing.T) (path string, ended time.Time) {
	t.Helper()
	ended = time.Now().Truncate(time.Second)
	began := ended.Add(-2 * time.Hour)
	ask := func(number int64, at time.Time, outcome audit.Outcome) *audit.Record {
		r := &audit.Record{
			Kind: audit.KindExchange, ID: fmt.Sprint(number, at), Time: at, Operation: "FECAESolicitar", Cuit: caddytest.IssuerOf(64), PtoVta: 1, CbteTipo: 6,
			Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}}, Decision: audit.DecisionForward, Outcome: outcome, Certainty: audit.Answered,
		}
		switch outcome {
		case audit.OutcomeOutage:
			r.Decision, r.Certainty = audit.DecisionRefuse, audit.NotSent
		default:
			r.Upstream, r.Resultado = "service.example:443", wsfev1.Aprobado
			r.Vouchers[0].Code, r.Vouchers[0].Resultado = "76470000000018", wsfev1.Aprobado
		}
		return r
	}
	var records []*audit.Record
	for attempt := range outageAttempts {
		for number := int64(1); number <= outageInvoices; number++ {
			at := began.Add(time.Duration(attempt)*20*time.Minute + time.Duration(number)*time.Second)
			if attempt == 0 && number == 1 { // the first failure
				at = began
			}
			outcome := audit.OutcomeOutage
			if attempt == outageAttempts-1 && number == 1 {
				outcome = audit.OutcomeRecovered
			}
			records = append(records, ask(number, at, outcome))
		}
	}
	records = append(records, &audit.Record{
		Kind: audit.KindOutage, ID: "outage", Time: began, Duration: ended.Sub(began), Upstream: "service.example:443", Outcome: "outage_ended",
		Detail: `{"failures":{"network":24},"first":"gateway-1/0"}`,
	})
	for number := int64(2); number <= outageInvoices; number++ {
		records = append(records, ask(number, ended.Add(time.Duration(number)*time.Millisecond), audit.OutcomeApproved))
	}
	return caddytest.KeptTrail(t, records...).Store, ended
}

// bookkeeper is an issuer whom nobody else sends for. The answer to the first request is lost.
const bookkeeper = 60

// sale has the amounts of an invoice in cents: those taxed at 21 % and at 10.5 %, and the exempt one.
type sale struct{ at21, at105, exempt int64 }

// vat returns the tax, rounded at each rate.
func (s sale) vat() (at21, at105 int64) { return (s.at21*21 + 50) / 100, (s.at105*105 + 500) / 1000 }

// pesos writes cents as requests do.
func pesos(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// voucher is the sale as a voucher of a request. more are further members.
func (s sale) voucher(number int, more string) string {
	at21, at105 := s.vat()
	return fmt.Sprintf(`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%[1]d,"CbteHasta":%[1]d,"ImpTotal":%[2]s,"ImpTotConc":0,"ImpNeto":%[3]s,"ImpOpEx":%[4]s,"ImpTrib":0,"ImpIVA":%[5]s,`+
		`"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,"Iva":{"AlicIva":[{"Id":5,"BaseImp":%[6]s,"Importe":%[7]s},{"Id":4,"BaseImp":%[8]s,"Importe":%[9]s}]}%[10]s}`,
		number, pesos(s.at21+s.at105+s.exempt+at21+at105), pesos(s.at21+s.at105), pesos(s.exempt), pesos(at21+at105), pesos(s.at21), pesos(at21), pesos(s.at105), pesos(at105), more)
}

// sums is what a month adds up to, in cents.
type sums struct{ count, net, vat, total int64 }

// add adds a sale, or takes it off where the sign is -1.
func (s *sums) add(one sale, sign int64) {
	at21, at105 := one.vat()
	s.count++
	s.net += sign * (one.at21 + one.at105)
	s.vat += sign * (at21 + at105)
	s.total += sign * (one.at21 + one.at105 + one.exempt + at21 + at105)
}

// sell sends invoices of the bookkeeper, of which some come again and some are refused, and a credit note. It adds up
// the requests that were approved.
func (p *place) sell(t *testing.T) (sold sums) {
	t.Helper()
	random := rand.New(rand.NewPCG(37, 1))
	some := func() sale { return sale{1 + random.Int64N(4e6), 1 + random.Int64N(2e6), random.Int64N(1e6)} }
	send := func(kind int, vouchers ...string) (body, outcome string) {
		t.Helper()
		body = fmt.Sprintf(`{%s,"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":%d},"FeDetReq":{"FECAEDetRequest":[%s]}}}`,
			caddytest.AuthOf(bookkeeper), len(vouchers), kind, strings.Join(vouchers, ","))
		return body, p.Post("FECAESolicitar", body).Header.Get("Wsfev1-Outcome")
	}
	number := 0
	for size := range 5 {
		var lot []sale
		var vouchers []string
		for range 1 + size%3 {
			one := some()
			number++
			lot, vouchers = append(lot, one), append(vouchers, one.voucher(number, ""))
		}
		body, outcome := send(6, vouchers...)
		for tries := 0; outcome == "unknown" && tries < 20; tries++ { // a busy machine needs longer to find out
			outcome = p.Post("FECAESolicitar", body).Header.Get("Wsfev1-Outcome")
		}
		if want := map[bool]string{true: "recovered", false: "approved"}[size == 0]; outcome != want {
			t.Fatalf("the lot %d was %s, want %s", size, outcome, want)
		}
		for _, one := range lot {
			sold.add(one, 1)
		}
		if again := p.Post("FECAESolicitar", body).Header.Get("Wsfev1-Outcome"); again != "replayed" {
			t.Fatalf("the lot %d again was %s", size, again)
		}
		wrong := strings.Replace(some().voucher(number+1, ""), `"ImpTrib":0`, `"ImpTrib":1`, 1)
		if _, outcome := send(6, wrong); outcome != "refused" {
			t.Fatalf("a wrong total was %s", outcome)
		}
	}
	note := some()
	if _, outcome := send(8, note.voucher(1, `,"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":1}]}`)); outcome != "observed" {
		t.Fatalf("the credit note was %s", outcome)
	}
	sold.add(note, -1)
	return sold
}
