package closing

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// maxDifferences bounds the differences that are kept of each kind.
const maxDifferences = 1000

// Difference is an invoice that the records and a book have differently.
type Difference struct {
	CbteTipo int32 `json:"cbte_tipo"`
	PtoVta   int32 `json:"pto_vta"`
	First    int64 `json:"first"`
	Last     int64 `json:"last"`
	// Line is the line of the book, 0 for none. Record is the address of the record, empty for none.
	Line   int    `json:"line,omitzero"`
	Record string `json:"record,omitzero"`
	// Column is what differs: total, net, vat or code; empty for an invoice that one of them lacks.
	Column string `json:"column,omitzero"`
	Here   string `json:"here,omitzero"`
	There  string `json:"there,omitzero"`
}

// Comparison compares invoices with a book.
type Comparison struct {
	book *Book
	seen map[entryKey]bool
	// Equal counts the invoices that both have alike, Unknown those of which one has no amounts.
	Equal, Unknown int64
	// MissingThere and Differing are the invoices that the book lacks, or has otherwise; the first of them.
	// Their numbers are counted in full.
	MissingThere, Differing           []Difference
	MissingThereCount, DifferingCount int64
}

// NewComparison returns a comparison with a book.
func NewComparison(b *Book) *Comparison {
	return &Comparison{book: b, seen: map[entryKey]bool{}}
}

// Add compares an invoice.
func (c *Comparison) Add(i *Invoice) {
	key := entryKey{i.CbteTipo, i.PtoVta, i.First, i.Last}
	d := Difference{CbteTipo: i.CbteTipo, PtoVta: i.PtoVta, First: i.First, Last: i.Last, Record: i.Record.Address()}
	there, ok := c.book.entries[key]
	c.seen[key] = true
	switch {
	case !ok:
		c.MissingThereCount++
		c.MissingThere = kept(c.MissingThere, d)
	case c.differs(i, there, d):
		c.DifferingCount++
	case i.Missing != "" || !there.hasTotal():
		c.Unknown++
	default:
		c.Equal++
	}
}

// differs reports whether an invoice differs, and keeps in what.
func (c *Comparison) differs(i *Invoice, there entry, d Difference) bool {
	d.Line = there.line
	differs := func(column, here, other string) bool {
		d.Column, d.Here, d.There = column, here, other
		c.Differing = kept(c.Differing, d)
		return true
	}
	if there.code != "" && i.Code != "" && there.code != i.Code {
		return differs("code", i.Code, there.code)
	}
	if i.Missing != "" {
		return false
	}
	for _, one := range []struct {
		column string
		here   wsfev1.Amount
	}{{"total", i.Total}, {"net", i.ImpNeto()}, {"vat", i.VAT}} {
		sum, ok := there.sums[one.column]
		alike := sum.Cmp(one.here) == 0 ||
			wsfev1.IsCreditNote(i.CbteTipo) && sum.Abs().Cmp(one.here) == 0 || // a book may have credit notes with a minus
			one.column == "net" && wsfev1.ClassOf(i.CbteTipo) == wsfev1.ClassC && sum.Sign() == 0 // and class C without a net
		if ok && !alike {
			return differs(one.column, one.here.String(), sum.String())
		}
	}
	return false
}

func kept(all []Difference, d Difference) []Difference {
	if len(all) < maxDifferences {
		return append(all, d)
	}
	return all
}

// MissingHere returns the invoices of the book that the records do not have, by line, and how many there are.
func (c *Comparison) MissingHere() (some []Difference, count int64) {
	for _, key := range slices.SortedFunc(maps.Keys(c.book.entries), func(a, b entryKey) int {
		return cmp.Compare(c.book.entries[a].line, c.book.entries[b].line)
	}) {
		if c.seen[key] {
			continue
		}
		count++
		some = kept(some, Difference{CbteTipo: key.cbteTipo, PtoVta: key.ptoVta, First: key.first, Last: key.last, Line: c.book.entries[key].line})
	}
	return some, count
}
