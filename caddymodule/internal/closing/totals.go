package closing

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/fielato/fielato/wsfev1"
)

// MaxGaps is how many gaps of a Row are listed. All are counted.
const MaxGaps = 100

// Row adds up the invoices of a series in one currency.
type Row struct {
	Series
	Currency string
	Amounts
	// Count is how many invoices there are, First and Last their numbers.
	Count       int64
	First, Last int64
	// Gaps are numbers that the records do not have, MaxGaps of them; Skipped counts the numbers in all.
	Gaps    []Gap
	Skipped int64
	// Missing counts the invoices whose amounts are not known. They are in Count, and not in Amounts.
	Missing map[Missing]int64
	// Voided counts the invoices that credit notes of the month take back in full. Credited is what credit
	// notes of the month take back of any.
	Voided   int64
	Credited wsfev1.Amount
}

// WithoutAmounts counts the invoices whose amounts are not known.
func (r *Row) WithoutAmounts() (count int64) {
	for _, n := range r.Missing {
		count += n
	}
	return count
}

// IsPurchase reports whether the issuer is the one who buys: type 49, used goods from a consumer.
func (r *Row) IsPurchase() bool { return wsfev1.ClassOf(r.CbteTipo) == wsfev1.Class49 }

// Gap is a range of numbers.
type Gap struct {
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// Totals adds up invoices. It needs about 60 bytes for each of them.
type Totals struct {
	rows map[rowKey]*Row
	// known are the invoices by series and number, credits what credit notes say of them.
	known   []credited
	credits map[credit]wsfev1.Amount
}

type rowKey struct {
	Series
	currency string
}

// credited is an invoice to which a credit note may refer.
type credited struct {
	row         *Row
	first, last int64
	total       wsfev1.Amount
}

// credit names an invoice that a credit note is about.
type credit struct {
	rowKey
	number int64
}

// NewTotals returns Totals of nothing.
func NewTotals() *Totals {
	return &Totals{rows: map[rowKey]*Row{}, credits: map[credit]wsfev1.Amount{}}
}

// Add adds an invoice.
func (t *Totals) Add(i *Invoice) {
	row := t.row(rowKey{i.Series, i.Currency})
	row.Count += i.Count()
	if row.First == 0 || i.First < row.First {
		row.First = i.First
	}
	row.Last = max(row.Last, i.Last)
	if i.After > 0 && i.First > i.After+1 {
		row.Skipped += i.First - i.After - 1
		row.addGap(Gap{i.After + 1, i.First - 1})
	}
	if i.Missing != "" {
		row.Missing[i.Missing] += i.Count()
		return
	}
	row.add(&i.Amounts)
	if !wsfev1.IsCreditNote(i.CbteTipo) {
		t.known = append(t.known, credited{row, i.First, i.Last, i.Total})
		return
	}
	t.credit(i)
}

// addGap lists a gap in its place, if it is among the first.
func (r *Row) addGap(gap Gap) {
	at, _ := slices.BinarySearchFunc(r.Gaps, gap, func(a, b Gap) int { return cmp.Compare(a.First, b.First) })
	r.Gaps = slices.Insert(r.Gaps, at, gap)
	r.Gaps = r.Gaps[:min(MaxGaps, len(r.Gaps))]
}

// credit notes what a credit note takes back. One about several invoices does not say how much of each, so it
// counts for none.
func (t *Totals) credit(i *Invoice) {
	if len(i.Notes) != 1 || i.First != i.Last {
		return
	}
	about := i.Notes[0]
	series := i.Series
	series.Issuer, series.CbteTipo, series.PtoVta = cmp.Or(about.Issuer, i.Issuer), about.CbteTipo, about.PtoVta
	of := credit{rowKey{series, i.Currency}, about.Number}
	t.credits[of] = t.credits[of].Add(i.Total)
}

func (t *Totals) row(key rowKey) *Row {
	row := t.rows[key]
	if row == nil {
		row = &Row{Series: key.Series, Currency: key.currency, Missing: map[Missing]int64{}}
		t.rows[key] = row
	}
	return row
}

// Rows returns the sums, sorted by environment, issuer, type, point of sale and currency. Nothing may be added
// afterwards.
func (t *Totals) Rows() []*Row {
	slices.SortFunc(t.known, func(a, b credited) int {
		return cmp.Or(compareRows(a.row, b.row), cmp.Compare(a.first, b.first))
	})
	for of, total := range t.credits {
		t.take(of, total)
	}
	t.credits = nil
	return slices.SortedFunc(maps.Values(t.rows), compareRows)
}

// take counts what credit notes take back of an invoice, if that is of the month.
func (t *Totals) take(of credit, total wsfev1.Amount) {
	row := t.rows[of.rowKey]
	if row == nil {
		return
	}
	at := sort.Search(len(t.known), func(i int) bool {
		order := compareRows(t.known[i].row, row)
		return order > 0 || order == 0 && t.known[i].last >= of.number
	})
	if at == len(t.known) || t.known[at].row != row || t.known[at].first > of.number {
		return
	}
	row.Credited = row.Credited.Add(total)
	if one := &t.known[at]; one.first == one.last && total.Cmp(one.total) >= 0 {
		row.Voided++
	}
}

func compareRows(a, b *Row) int {
	return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.Issuer, b.Issuer), cmp.Compare(a.CbteTipo, b.CbteTipo),
		cmp.Compare(a.PtoVta, b.PtoVta), cmp.Compare(a.Currency, b.Currency))
}

// Sum is what an issuer has invoiced in one currency: credit notes are taken off, and purchases are left out.
type Sum struct {
	Series   // of all types and points of sale: 0
	Currency string
	Amounts
	Count   int64
	Missing int64
	// Rows are the rows that were added up, and the rows of purchases.
	Rows []*Row
}

// SumsOf adds up rows by environment, issuer and currency, in their order.
func SumsOf(rows []*Row) (sums []*Sum) {
	for _, row := range rows {
		series := Series{Environment: row.Environment, Issuer: row.Issuer}
		at := slices.IndexFunc(sums, func(s *Sum) bool { return s.Series == series && s.Currency == row.Currency })
		if at < 0 {
			at = len(sums)
			sums = append(sums, &Sum{Series: series, Currency: row.Currency})
		}
		sum := sums[at]
		sum.Rows = append(sum.Rows, row)
		if row.IsPurchase() {
			continue
		}
		sum.Count, sum.Missing = sum.Count+row.Count, sum.Missing+row.WithoutAmounts()
		amounts := row.Amounts
		if wsfev1.IsCreditNote(row.CbteTipo) {
			amounts = amounts.negated()
		}
		sum.add(&amounts)
	}
	return sums
}

// negated returns the amounts with the other sign.
func (a *Amounts) negated() (n Amounts) {
	minus := func(x wsfev1.Amount) wsfev1.Amount { return wsfev1.Amount{}.Sub(x) }
	n.NotTaxed, n.Exempt, n.Net, n.Subtotal = minus(a.NotTaxed), minus(a.Exempt), minus(a.Net), minus(a.Subtotal)
	n.VAT, n.Taxes, n.Total = minus(a.VAT), minus(a.Taxes), minus(a.Total)
	for _, rate := range a.Rates {
		n.Rates = append(n.Rates, Rate{rate.ID, minus(rate.Base), minus(rate.VAT)})
	}
	return n
}
