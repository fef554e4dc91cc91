package closing_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// month is a trail of two gateways with some months of invoices, and what a person who follows each of them
// with a pencil would write down.
type month struct {
	testing.TB
	random *rand.Rand
	store  *purging
	now    time.Time
	logs   map[string][]*audit.Record
	// next is the next number of a series, dates its last date.
	next  map[series]int64
	dates map[series]wsfev1.Date
	pen   []*written
}

type series struct {
	cuit      wsfev1.CUIT
	tipo, pto int32
	upstream  string
}

// written is an invoice as the pencil has it.
type written struct {
	series
	first, last int64
	date        wsfev1.Date
	known       time.Time
	recorded    time.Time // by the record that says so
	settled     bool
	code        string
	net, vat    wsfev1.Amount
	currency    string
	note        int64 // the number of the invoice of the same point of sale that a credit note is about
	request     place
}

type place struct {
	log   string
	index uint64
}

// purging is a store from which the content of some records was purged.
type purging struct {
	audit.Store
	purged map[place]bool
}

func (s *purging) shown(r *audit.Record) *audit.Record {
	if r == nil || !s.purged[place{r.Log, r.Index}] {
		return r
	}
	gone := *r
	gone.Presence, gone.Request, gone.Answer, gone.Detail = audit.Purged, nil, nil, ""
	return &gone
}

func (s *purging) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := s.Store.Get(ctx, log, index)
	return s.shown(r), err
}

func (s *purging) Search(ctx context.Context, q audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range s.Store.Search(ctx, q) {
			if !yield(s.shown(r), err) {
				return
			}
		}
	}
}

var issuers = []wsfev1.CUIT{20111111112, 30500010912}

func newMonth(t testing.TB, seed uint64) *month {
	t.Logf("the seed is %d", seed)
	return &month{
		TB: t, random: rand.New(rand.NewPCG(seed, 7)),
		store: &purging{audittest.NewMemory(), map[place]bool{}}, now: time.Date(2026, 9, 20, 12, 0, 0, 0, time.UTC),
		logs: map[string][]*audit.Record{}, next: map[series]int64{}, dates: map[series]wsfev1.Date{},
	}
}

// append appends a record to a log, and returns its index.
func (m *month) append(log string, r *audit.Record) uint64 {
	m.logs[log] = append(m.logs[log], r)
	return uint64(len(m.logs[log]) - 1)
}

// fill writes so many requests, and commits them.
func (m *month) fill(requests int) {
	m.Helper()
	for range requests {
		m.now = m.now.Add(time.Duration(m.random.IntN(4*3600)) * time.Second)
		m.request()
	}
	for log, records := range m.logs {
		if err := m.store.Commit(m.Context(), audittest.Seal(m.TB, m.store.Store, log, records...)); err != nil {
			m.Fatal(err)
		}
	}
}

// request is a request for some invoices, and all that comes of it.
func (m *month) request() {
	s := series{
		issuers[m.random.IntN(2)], []int32{1, 3, 6}[m.random.IntN(3)], 1 + m.random.Int32N(2),
		[]string{"servicios1.afip.gov.ar:443", "servicios1.afip.gov.ar:443", audit.BuiltInUpstream}[m.random.IntN(3)],
	}
	some := m.invoices(s)
	intent := m.record(audit.KindIntent, s, some)
	log := []string{"one", "two"}[m.random.IntN(2)]
	at := place{log, m.append(log, intent)}
	outcome := m.record(audit.KindOutcome, s, some)
	outcome.Intent, outcome.ID, outcome.Duration = at.index, intent.ID, time.Duration(m.random.IntN(90))*time.Second
	known, recorded, settled := outcome.Time.Add(outcome.Duration), outcome.Time, false
	switch m.random.IntN(8) {
	case 0: // refused: the numbers are free again
		outcome.Outcome, outcome.Certainty, outcome.Resultado = audit.OutcomeRejected, audit.Answered, wsfev1.Rechazado
		m.append(log, outcome)
		return
	case 1: // its answer was lost, and found out about much later, maybe by the other gateway
		outcome.Outcome, outcome.Certainty = audit.OutcomeUnknown, audit.Unknown
		m.append(log, outcome)
		settlement := m.record(audit.KindSettlement, s, some)
		settlement.ID, settlement.Intent = intent.ID, at.index
		settlement.Time = m.now.Add(time.Duration(m.random.IntN(40*24)) * time.Hour)
		if m.random.IntN(2) == 0 {
			settlement.IntentLog, log = log, map[string]string{"one": "two", "two": "one"}[log]
		}
		m.approve(settlement, some, audit.OutcomeRecovered)
		known, recorded, settled = settlement.Time, settlement.Time, true
		m.append(log, settlement)
	case 2: // nobody knows
		outcome.Outcome, outcome.Certainty = audit.OutcomeUnknown, audit.Unknown
		m.append(log, outcome)
		return
	default:
		m.approve(outcome, some, audit.OutcomeApproved)
		m.append(log, outcome)
		m.again(log, s, some)
	}
	if m.random.IntN(12) == 0 {
		m.store.purged[at] = true
	}
	for _, one := range some {
		one.known, one.recorded, one.settled, one.request = known, recorded, settled, at
		m.pen = append(m.pen, one)
		m.next[s], m.dates[s] = one.last+1, one.date
	}
}

// invoices makes the invoices of a request. Now and then one has a number that leaves a gap, a range of
// numbers, or the currency of others.
func (m *month) invoices(s series) (all []*written) {
	next, date := max(1, m.next[s]), max(m.dates[s], wsfev1.DateOf(m.now.AddDate(0, 0, m.random.IntN(11)-5)))
	if m.random.IntN(10) == 0 {
		next += m.random.Int64N(4) // issued by another program
	}
	for range 1 + m.random.IntN(4) {
		one := &written{series: s, first: next, last: next, date: date, currency: "PES", code: fmt.Sprintf("7%013d", m.random.Int64N(1e13))}
		if s.tipo == 6 && m.random.IntN(8) == 0 {
			one.last += m.random.Int64N(50)
		}
		if m.random.IntN(6) == 0 {
			one.currency = "DOL"
		}
		one.net = wsfev1.AmountOf(1+m.random.Int64N(1e9), 2)
		one.vat = one.net.Mul(wsfev1.MustAmount("0.21")).Round(2)
		if s.tipo == 3 && one.first > 1 {
			one.note = 1 + m.random.Int64N(20)
		}
		next = one.last + 1
		all = append(all, one)
	}
	return all
}

func (m *month) record(kind audit.Kind, s series, some []*written) *audit.Record {
	r := &audit.Record{
		Kind: kind, ID: fmt.Sprintf("%016x", m.random.Uint64()), Time: m.now, Operation: "FECAESolicitar", Decision: audit.DecisionForward,
		Cuit: s.cuit, CbteTipo: s.tipo, PtoVta: s.pto, Certainty: audit.Unknown,
	}
	for _, one := range some {
		r.Vouchers = append(r.Vouchers, audit.Voucher{CbteDesde: one.first, CbteHasta: one.last})
	}
	if kind == audit.KindIntent {
		r.Request = m.body(some)
		return r
	}
	r.Upstream = s.upstream
	return r
}

// body is a request. A date that is not in it is answered.
func (m *month) body(some []*written) []byte {
	var lines []string
	for _, one := range some {
		date, notes := `"CbteFch":"`+string(one.date)+`",`, ""
		if one.note > 0 {
			notes = fmt.Sprintf(`,"CbtesAsoc":{"CbteAsoc":[{"Tipo":1,"PtoVta":%d,"Nro":%d}]}`, one.pto, one.note)
		}
		lines = append(lines, fmt.Sprintf(`{"Concepto":1,"DocTipo":80,"DocNro":30500010912,"CbteDesde":%d,"CbteHasta":%d,%s"ImpTotal":%s,`+
			`"ImpNeto":%s,"ImpIVA":%s,"MonId":"%s","MonCotiz":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":%s,"Importe":%s}]}%s}`,
			one.first, one.last, date, one.net.Add(one.vat), one.net, one.vat, one.currency, one.net, one.vat, notes))
	}
	return []byte(`{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":20111111112},"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[` +
		strings.Join(lines, ",") + `]}}}`)
}

func (m *month) approve(r *audit.Record, some []*written, word audit.Outcome) {
	r.Outcome, r.Certainty, r.Resultado, r.Status = word, audit.Answered, wsfev1.Aprobado, 200
	for i, one := range some {
		r.Vouchers[i].Code, r.Vouchers[i].Resultado = one.code, wsfev1.Aprobado
	}
}

// again repeats a request that was answered, and asks for its invoice.
func (m *month) again(log string, s series, some []*written) {
	for range m.random.IntN(3) {
		repeat := m.record(audit.KindExchange, s, some)
		m.approve(repeat, some, audit.OutcomeReplayed)
		repeat.Decision, repeat.Request = audit.DecisionReplay, m.body(some)
		m.append(log, repeat)
		question := m.record(audit.KindExchange, s, some[:1])
		question.Operation = "FECompConsultar"
		m.approve(question, some[:1], audit.OutcomeApproved)
		m.append(log, question)
	}
}

// runs returns how many random trails a test makes.
func runs(t *testing.T) int { return testrun.Size(t, 6, 200) }
