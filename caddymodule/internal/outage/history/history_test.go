package history_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

const cuit, other wsfev1.CUIT = 20111111112, 30500010912

var began = time.Date(2026, 11, 20, 15, 6, 0, 0, wsfev1.Argentina)

// log is a log that a test writes.
type log struct {
	t     *testing.T
	store audit.Store
	w     *audit.Writer
	n     int
}

func newLog(t *testing.T) *log {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := audit.Open(t.Context(), store, "a", audittest.Key(t, "a"), audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{w.Close(), store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return &log{t: t, store: store, w: w}
}

func (l *log) add(r audit.Record) uint64 {
	l.t.Helper()
	index, err := l.w.Append(l.t.Context(), &r)
	if err != nil {
		l.t.Fatal(err)
	}
	return index
}

// asked is a request for an invoice so long after the outage began, with this outcome.
func (l *log) asked(cuit wsfev1.CUIT, number int64, after time.Duration, outcome audit.Outcome) audit.Record {
	l.n++
	r := audit.Record{
		Kind: audit.KindExchange, ID: fmt.Sprint("x", l.n), Time: began.Add(after), Operation: "FECAESolicitar", Cuit: cuit, PtoVta: 1, CbteTipo: 6,
		Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}}, Decision: "forward", Outcome: outcome,
	}
	if outcome == "approved" {
		r.Vouchers[0].Code, r.Vouchers[0].Resultado = "76470000000018", "A"
	}
	return r
}

// TestTheInvoicesOfAnOutage: six were asked for in 24 requests. Five were issued later, and one was issued and
// its answer was recovered.
func TestTheInvoicesOfAnOutage(t *testing.T) {
	l := newLog(t)
	intent := l.asked(cuit, 1, -20*time.Second, "")
	intent.Kind, intent.Certainty = audit.KindIntent, audit.Unknown
	first := l.add(intent)
	lost := intent
	lost.Kind, lost.Intent, lost.Outcome, lost.Duration = audit.KindOutcome, first, "unknown", 20*time.Second
	l.add(lost)
	end := began.Add(2*time.Hour + 3*time.Minute)
	for number := int64(2); number <= 6; number++ {
		for i := range 4 {
			l.add(l.asked(cuit, number, time.Duration(i+1)*20*time.Minute, "outage"))
		}
	}
	for i := range 3 {
		l.add(l.asked(cuit, 1, time.Duration(i+1)*10*time.Minute, "unsettled"))
	}
	l.add(l.asked(cuit, 9, time.Hour, "refused")) // for its content
	l.add(l.asked(other, 1, time.Hour, "outage"))
	began1 := audit.Record{Kind: audit.KindOutage, ID: "o", Time: began, Duration: time.Minute, Outcome: outage.Began, Detail: fmt.Sprintf(`{"failures":{"network":5},"first":"a/%d"}`, first)}
	l.add(began1)
	ended := began1
	ended.Outcome, ended.Duration = outage.Ended, end.Sub(began)
	at := l.add(ended)
	settlement := l.asked(cuit, 1, 3*time.Hour, "approved")
	settlement.Kind, settlement.ID, settlement.Intent, settlement.Outcome = audit.KindSettlement, intent.ID, first, "recovered"
	settled := l.add(settlement)
	for number := int64(2); number <= 6; number++ {
		l.add(l.asked(cuit, number, 3*time.Hour, "approved"))
	}
	o, err := history.At(t.Context(), l.store, "a", at-1)
	if err != nil || o.Length() != end.Sub(began) {
		t.Fatalf("%v %v", o, err)
	}
	got, err := o.Invoices(t.Context(), l.store, []string{"a"}, cuit)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.All) != 6 || got.Attempts != 24 || got.Counts[history.Later] != 5 || got.Counts[history.Recovered] != 1 {
		t.Errorf("%+v", got)
	}
	if one := got.All[0]; one.Number != 1 || one.Attempts != 4 || one.By.Index != settled {
		t.Errorf("%+v", one)
	}
	all, err := o.Invoices(t.Context(), l.store, []string{"a"})
	if err != nil || len(all.All) != 7 || all.Counts[history.NotIssued] != 1 {
		t.Errorf("%+v %v", all, err)
	}
	caeas, err := o.CAEAs(t.Context(), l.store, []string{"a"}, all)
	if err != nil || len(caeas) != 2 || caeas[0].Cuit != cuit || caeas[0].Code != "" {
		t.Errorf("%+v %v", caeas, err)
	}
}

// TestAnotherServiceHasInvoicesOfItsOwn: what was asked of it in the time of an outage, or issued by it since, says
// nothing about the invoices of the service that did not answer.
func TestAnotherServiceHasInvoicesOfItsOwn(t *testing.T) {
	l := newLog(t)
	at := func(r audit.Record, of audit.Environment) audit.Record { r.Environment = of; return r }
	l.add(at(l.asked(cuit, 1, time.Minute, "outage"), audit.EnvironmentProduction))
	l.add(at(l.asked(cuit, 2, time.Minute, "outage"), audit.EnvironmentTesting))
	l.add(l.asked(cuit, 3, time.Minute, "outage")) // of an earlier build
	index := l.add(audit.Record{Kind: audit.KindOutage, ID: "o", Time: began, Outcome: outage.Ended, Duration: time.Hour, Upstream: "servicios1.afip.gov.ar:443", Detail: `{"failures":{"network":5}}`})
	l.add(at(l.asked(cuit, 1, 3*time.Hour, "approved"), audit.EnvironmentTesting))
	l.add(at(l.asked(cuit, 3, 3*time.Hour, "approved"), audit.EnvironmentProduction))
	o, err := history.At(t.Context(), l.store, "a", index)
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.Invoices(t.Context(), l.store, []string{"a"})
	if err != nil || len(got.All) != 2 || got.Attempts != 2 || got.All[0].Fate != history.NotIssued || got.All[1].Number != 3 || got.All[1].Fate != history.Later {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestASettlementThatNamesNoNumber holds for each invoice of its request, as of a lot of CAEA.
func TestASettlementThatNamesNoNumber(t *testing.T) {
	for outcome, want := range map[audit.Outcome]history.Fate{"recovered": history.Recovered, "not_issued": history.NotIssued, "": history.Unknown} {
		l := newLog(t)
		lot := l.asked(cuit, 7, time.Minute, "")
		lot.Operation, lot.Kind, lot.Certainty = "FECAEARegInformativo", audit.KindIntent, audit.Unknown
		lost := lot
		lost.Kind, lost.Intent, lost.Outcome = audit.KindOutcome, l.add(lot), "unknown"
		l.add(lost)
		index := l.add(audit.Record{Kind: audit.KindOutage, ID: "o", Time: began, Outcome: outage.Ended, Duration: time.Hour, Detail: `{"failures":{"network":5}}`})
		if outcome != "" {
			settled := lost
			settled.Kind, settled.Outcome, settled.Vouchers = audit.KindSettlement, outcome, []audit.Voucher{{Code: "36470000000018"}}
			settled.Resultado = map[audit.Outcome]string{"recovered": "A"}[outcome]
			l.add(settled)
		}
		o, err := history.At(t.Context(), l.store, "a", index)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := o.Invoices(t.Context(), l.store, []string{"a"}); err != nil || len(got.All) != 1 || got.All[0].Fate != want {
			t.Errorf("%q: %+v, %v, want %s", outcome, got, err, want)
		}
	}
}

// TestOutagesWithinATime are all that lie in it in part, also those that began long before.
func TestOutagesWithinATime(t *testing.T) {
	l := newLog(t)
	for i, lasted := range []time.Duration{time.Hour, 0, 50 * time.Hour} {
		r := audit.Record{Kind: audit.KindOutage, ID: fmt.Sprint("o", i), Time: began.AddDate(0, 0, i), Outcome: outage.Began, Detail: `{"failures":{}}`}
		l.add(r)
		if lasted > 0 {
			r.Outcome, r.Duration = outage.Ended, lasted
			l.add(r)
		}
	}
	for days, want := range map[int]string{-1: "[]", 0: "[o0]", 1: "[o1]", 2: "[o2 o1]", 4: "[o2 o1]", 9: "[o1]"} {
		since := time.Date(2026, 11, 20+days, 0, 0, 0, 0, wsfev1.Argentina)
		all, err := history.Read(t.Context(), l.store, []string{"a"}, since, since.AddDate(0, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, o := range all {
			ids = append(ids, o.Record.ID)
		}
		if got := fmt.Sprint(ids); got != want {
			t.Errorf("day %d: %s, want %s", days, got, want)
		}
	}
}

// TestTheCAEAOfAnOutageIsThatOfItsFortnight: neither the next one, which may be asked for five days before, nor an earlier
// one. A repeat tells a later moment than the grant.
func TestTheCAEAOfAnOutageIsThatOfItsFortnight(t *testing.T) {
	const before, of, next, repeat, purged = "36460000000001", "36460000000002", "36480000000003", "repeat", "36480000000004"
	for name, test := range map[string]struct {
		granted []string
		lasted  time.Duration
		want    []string
		none    bool // the issuer asked for no invoice, and is named
	}{
		"its own":                    {granted: []string{before, of, next}, lasted: time.Hour, want: []string{of}},
		"asked for again":            {granted: []string{before, of, next, repeat}, lasted: time.Hour, want: []string{of}},
		"only others":                {granted: []string{before, next}, lasted: time.Hour, want: []string{""}},
		"one whose answer is purged": {granted: []string{before, purged, next}, lasted: time.Hour, want: []string{purged}},
		"over the end of the month":  {granted: []string{before, of, next}, lasted: 12 * 24 * time.Hour, want: []string{next, of}},
		"without a request":          {granted: []string{before, of, next}, lasted: time.Hour, want: []string{of}, none: true},
		"none and without a request": {granted: []string{before, next}, lasted: time.Hour, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t)
			places := map[string]uint64{}
			for i, code := range test.granted {
				r := l.asked(cuit, 1, time.Duration(i-10)*time.Minute, "approved")
				r.Operation, r.PtoVta, r.CbteTipo = "FECAEASolicitar", 0, 0
				fortnight := map[string]string{before: `"Periodo":202611,"Orden":1`, of: `"Periodo":202611,"Orden":2`, next: `"Periodo":202612,"Orden":1`}[code]
				if code == repeat {
					r.Decision, r.Outcome, code, fortnight = audit.DecisionReplay, audit.OutcomeReplayed, of, `"Periodo":202611,"Orden":2`
				}
				r.Vouchers = []audit.Voucher{{Code: code}}
				if fortnight != "" {
					r.Answer = fmt.Appendf(nil, `{"ResultGet":{"CAEA":%q,%s}}`, code, fortnight)
				}
				if at := l.add(r); r.Outcome == audit.OutcomeApproved {
					places[code] = at
				}
			}
			at := l.add(audit.Record{Kind: audit.KindOutage, ID: "o", Time: began, Outcome: outage.Ended, Duration: test.lasted, Upstream: "service:443", Detail: `{"failures":{"network":5}}`})
			var named []wsfev1.CUIT
			if test.none {
				named = []wsfev1.CUIT{cuit, cuit}
			} else {
				l.add(l.asked(cuit, 1, time.Minute, "outage"))
			}
			o, err := history.At(t.Context(), l.store, "a", at)
			if err != nil {
				t.Fatal(err)
			}
			invoices, err := o.Invoices(t.Context(), l.store, []string{"a"})
			if err != nil {
				t.Fatal(err)
			}
			all, err := o.CAEAs(t.Context(), l.store, []string{"a"}, invoices, named...)
			if err != nil || len(all) != len(test.want) {
				t.Fatalf("%+v, %v", all, err)
			}
			for i, want := range test.want {
				if all[i].Code != want || all[i].By.Index != places[want] {
					t.Fatalf("%+v, %v; want %s at %d", all, err, want, places[want])
				}
			}
		})
	}
}
