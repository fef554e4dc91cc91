package closing_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/wsfev1"
)

// sum has the figures of a series.
type sum struct {
	count, first, last, skipped, missing, voided int64
	net, vat, total                              wsfev1.Amount
}

func (s *sum) String() string {
	return fmt.Sprintf("%d from %d to %d, %d skipped, %d without amounts, %d voided, net %s, VAT %s, total %s",
		s.count, s.first, s.last, s.skipped, s.missing, s.voided, s.net.Trim(), s.vat.Trim(), s.total.Trim())
}

// sums adds up with the pencil: by environment, series and currency.
func (m *month) sums(wanted closing.Wanted) map[string]*sum {
	since, until := wanted.Month.Bounds()
	around := 11 * 24 * time.Hour
	slices.SortStableFunc(m.pen, func(a, b *written) int { return cmp.Compare(a.first, b.first) })
	sums, last, credits := map[string]*sum{}, map[series]int64{}, map[string]wsfev1.Amount{}
	var in []*written
	for _, one := range m.pen {
		if wanted.Issuer != 0 && one.cuit != wanted.Issuer || one.recorded.Before(since.Add(-around)) || !one.settled && !one.recorded.Before(until.Add(around)) {
			continue
		}
		date, purged := one.date, m.store.purged[one.request]
		if purged || wanted.By == closing.ByAuthorised {
			date = wsfev1.DateOf(one.known)
		}
		before := last[one.series]
		last[one.series] = one.last
		if date < wsfev1.DateOf(since) || date >= wsfev1.DateOf(until) {
			continue
		}
		currency := one.currency
		if purged {
			currency = ""
		}
		s := sums[one.key(currency)]
		if s == nil {
			s = &sum{first: one.first}
			sums[one.key(currency)] = s
		}
		s.count, s.last = s.count+one.last-one.first+1, one.last
		if before > 0 {
			s.skipped += one.first - before - 1
		}
		if purged {
			s.missing += one.last - one.first + 1
			continue
		}
		in = append(in, one)
		s.net, s.vat, s.total = s.net.Add(one.net), s.vat.Add(one.vat), s.total.Add(one.net.Add(one.vat))
		if one.note > 0 {
			about := *one
			about.tipo = 1
			of := fmt.Sprintf("%s/%d", about.key(currency), one.note)
			credits[of] = credits[of].Add(one.net.Add(one.vat))
		}
	}
	for _, one := range in {
		if taken, ok := credits[fmt.Sprintf("%s/%d", one.key(one.currency), one.first)]; ok && one.first == one.last && taken.Cmp(one.net.Add(one.vat)) >= 0 {
			sums[one.key(one.currency)].voided++
		}
	}
	return sums
}

func (w *written) key(currency string) string {
	return fmt.Sprintf("%s %d %d %d %s", environment.Of(&audit.Record{Upstream: w.upstream}), w.cuit, w.tipo, w.pto, currency)
}

// TestTheTotalsAreThoseOfAPencil: random trails with lots, ranges, repeats, questions, rejections, answers that were
// lost and found out about by any gateway, gaps, credit notes and purges.
func TestTheTotalsAreThoseOfAPencil(t *testing.T) {
	for seed := range runs(t) {
		m := newMonth(t, uint64(seed))
		m.fill(400)
		for _, by := range []closing.By{closing.ByDate, closing.ByAuthorised} {
			for _, issuer := range []wsfev1.CUIT{0, issuers[0]} {
				wanted := closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: by, Issuer: issuer}
				totals := closing.NewTotals()
				for i, err := range closing.Invoices(t.Context(), m.store, []string{"one", "two"}, wanted, nil) {
					if err != nil {
						t.Fatal(err)
					}
					totals.Add(i)
				}
				got := map[string]*sum{}
				for _, row := range totals.Rows() {
					s := &sum{row.Count, row.First, row.Last, row.Skipped, 0, row.Voided, row.Net, row.VAT, row.Total}
					for _, n := range row.Missing {
						s.missing += n
					}
					if len(row.Rates) > 0 && !row.Rates[0].VAT.Equal(row.VAT) {
						t.Errorf("VAT by rate %+v of %s", row.Rates, row.VAT)
					}
					got[fmt.Sprintf("%s %d %d %d %s", row.Environment, row.Issuer, row.CbteTipo, row.PtoVta, row.Currency)] = s
				}
				want := m.sums(wanted)
				if text := lines(got); text != lines(want) || len(want) < 6 {
					t.Fatalf("by %s, issuer %d:\n%s\nwant\n%s", by, issuer, text, lines(want))
				}
			}
		}
	}
}

func lines(sums map[string]*sum) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		all = append(all, key+": "+sums[key].String())
	}
	return strings.Join(all, "\n")
}

// TestPurchasesAreInNoSum: type 49 is issued by the one who buys.
func TestPurchasesAreInNoSum(t *testing.T) {
	totals := closing.NewTotals()
	for _, cbteTipo := range []int32{6, 8, 49} {
		one := closing.Invoice{Series: closing.Series{CbteTipo: cbteTipo, PtoVta: 1}, First: 1, Last: 2, Currency: "PES"}
		one.Net, one.VAT, one.Total = wsfev1.MustAmount("100"), wsfev1.MustAmount("21"), wsfev1.MustAmount("121")
		one.Rates = []closing.Rate{{ID: 5, Base: one.Net, VAT: one.VAT}}
		if cbteTipo == 6 {
			one.Total = wsfev1.MustAmount("122.50")
		}
		totals.Add(&one)
	}
	sums := closing.SumsOf(totals.Rows())
	if len(sums) != 1 || len(sums[0].Rows) != 3 || sums[0].Count != 4 || sums[0].Total.String() != "1.50" ||
		sums[0].VAT.Sign() != 0 || len(sums[0].Rates) != 1 || sums[0].Rates[0].Base.Sign() != 0 {
		t.Errorf("%+v", sums[0])
	}
}

// TestTheNumberOfInvoicesIsBounded where somebody wants that, and before any was read it is known how many there are.
func TestTheNumberOfInvoicesIsBounded(t *testing.T) {
	m := newMonth(t, 5)
	m.fill(2000)
	wanted := closing.Wanted{Month: closing.Month{Year: 2026, Month: time.October}, By: closing.ByDate}
	var told []string
	tell := func(done, total int) { told = append(told, fmt.Sprintf("%v/%v", done > 0, total > 0)) }
	for _, err := range closing.Invoices(t.Context(), m.store, []string{"one", "two"}, wanted, &closing.Reading{Progress: tell}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(told) < 2 || told[0] != "false/true" || told[len(told)-1] != "true/true" {
		t.Errorf("%q", told)
	}
	wanted.Most = 10
	for i, err := range closing.Invoices(t.Context(), m.store, []string{"one", "two"}, wanted, nil) {
		if i != nil || !errors.Is(err, closing.ErrTooMany) {
			t.Fatalf("%v %v", i, err)
		}
	}
}
