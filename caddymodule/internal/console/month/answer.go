package month

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// answered are the sums, or why there are none.
type answered struct {
	Tables []table
	// Export is the address of the table of all invoices.
	Export string
	// Cut says how far the page has come, and Command adds up all; both are empty if the sums are whole.
	Cut, Command string
	// Lost says what hides invoices that are in no sum.
	Lost []string
	// Failed: the trail could not be read.
	Failed bool
}

// table is what an issuer has invoiced in one currency, at one service.
type table struct {
	// ID is its place on the page. Logs names the trail where there are several.
	ID                                  int
	Environment, Issuer, Currency, Logs string
	// BuiltIn, Test: the invoices are not valid.
	BuiltIn, Test bool
	Rows          []line
	// Count and the amounts are the sum. HasCredits: credit notes are taken off it. HasPurchases: they are not in it.
	Count, Net, VAT, Total   string
	HasCredits, HasPurchases bool
	Facts                    []fact
	Remarks                  []remark
}

// line adds up a type from a point of sale.
type line struct{ Voucher, Search, PtoVta, Count, Numbers, Net, VAT, Total string }

type fact struct{ Name, Value string }

// remark is something to know about a series.
type remark struct{ Series, Text string }

// Answer adds up. The template calls it when all above is made.
func (p *monthPage) Answer() *answered {
	if p.draft == nil {
		return nil
	}
	p.draft.Begin()
	a, err := p.answer()
	if err != nil {
		p.room.LogUnfinished(p.r, unfinished, err)
		return &answered{Failed: true}
	}
	return a
}

func (p *monthPage) answer() (*answered, error) {
	ctx, stop := p.room.within(p.r.Context(), p.room.patience)
	defer stop()
	var lost closing.Lost
	without := func(source site.Source) bool { return len(source.Logs) == 0 } // for this reader
	several := len(slices.DeleteFunc(slices.Clone(p.sources), without)) > 1
	a, so := &answered{Export: p.Base + "/month.csv" + p.asked.address(p.asked.wanted.Month)}, seen{}
	for i := range p.sources {
		source := &p.sources[i]
		rows, err := p.room.rows(ctx, source, p.asked.wanted, &so, &lost)
		if err != nil && isCut(p.r, ctx, err) {
			return &answered{Cut: p.cut(so), Command: p.asked.command()}, nil
		}
		if err != nil {
			return nil, err
		}
		sums := closing.SumsOf(rows)
		slices.SortStableFunc(sums, func(a, b *closing.Sum) int { return environment.Compare(a.Environment, b.Environment) })
		for _, sum := range sums {
			one := p.tableOf(sum)
			if one.ID = len(a.Tables); several {
				one.Logs = strings.Join(source.Logs, ", ")
			}
			a.Tables = append(a.Tables, one)
		}
	}
	a.Lost = p.lost(lost)
	return a, nil
}

// lost says what hides invoices. Nobody knows whose a damaged record is: how many there are is for readers of all issuers.
func (p *monthPage) lost(of closing.Lost) (all []string) {
	switch {
	case of.Damaged > 0 && p.IsBound():
		all = append(all, p.T("damaged.some"))
	case of.Damaged > 0:
		all = append(all, fmt.Sprintf(p.T("damaged"), p.Count(of.Damaged)))
	}
	if of.LotsElsewhere > 0 {
		all = append(all, fmt.Sprintf(p.T("elsewhere"), p.Count(of.LotsElsewhere)))
	}
	return all
}

// rows adds up the invoices of a source.
func (m *room) rows(ctx context.Context, source *site.Source, wanted closing.Wanted, so *seen, lost *closing.Lost) ([]*closing.Row, error) {
	totals, before := closing.NewTotals(), *so
	wanted.Most = m.most - before.total
	reading := &closing.Reading{Progress: func(done, total int) { so.done, so.total = before.done+done, before.total+total }}
	if wanted.Most <= 0 {
		return nil, closing.ErrTooMany
	}
	for i, err := range closing.Invoices(ctx, source.Store, source.Logs, wanted, reading) {
		if err != nil {
			return nil, err
		}
		totals.Add(i)
	}
	lost.Add(reading.Lost)
	return totals.Rows(), nil
}

// command is the command that adds up the whole month.
func (q *request) command() string { return "fielato wsfev1 audit totals " + q.flags() }

// cut says how far the page has come.
func (p *monthPage) cut(so seen) string {
	if so.done == 0 {
		return fmt.Sprintf(p.T("cut.found"), p.Count(int64(so.total)))
	}
	return fmt.Sprintf(p.T("cut.read"), p.Count(int64(so.done)), p.Count(int64(so.total)))
}

func (p *monthPage) tableOf(sum *closing.Sum) table {
	one := table{
		Environment: p.T("environment." + string(sum.Environment)), BuiltIn: sum.Environment == environment.BuiltIn, Test: sum.Environment == environment.Testing,
		Issuer: spanish.CUIT(sum.Issuer), Currency: p.currency(sum.Currency),
		Count: p.Count(sum.Count), Net: p.Amount(sum.Net), VAT: p.Amount(sum.VAT), Total: p.Amount(sum.Total),
	}
	if sum.Missing == sum.Count {
		one.Net, one.VAT, one.Total = "", "", ""
	}
	for _, row := range sum.Rows {
		one.Rows = append(one.Rows, p.lineOf(row))
		one.HasCredits = one.HasCredits || wsfev1.IsCreditNote(row.CbteTipo)
		one.HasPurchases = one.HasPurchases || row.IsPurchase()
		one.Remarks = append(one.Remarks, p.remarksOf(row)...)
	}
	for _, rate := range sum.Rates {
		one.Facts = append(one.Facts, fact{p.rate(rate.ID), fmt.Sprintf(p.T("net_and_vat"), p.Amount(rate.Base), p.Amount(rate.VAT))})
	}
	for _, other := range []struct {
		key    string
		amount wsfev1.Amount
	}{{"class_c", sum.Subtotal}, {"not_taxed", sum.NotTaxed}, {"exempt", sum.Exempt}, {"taxes", sum.Taxes}} {
		if other.amount.Sign() != 0 {
			one.Facts = append(one.Facts, fact{p.T(other.key), p.Amount(other.amount)})
		}
	}
	return one
}

func (p *monthPage) lineOf(row *closing.Row) line {
	one := line{
		Voucher: spanish.Voucher(row.CbteTipo), Search: p.Base + "/search" + p.asked.search(&row.Series), PtoVta: strconv.Itoa(int(row.PtoVta)),
		Count: p.Count(row.Count), Numbers: span(row.First, row.Last),
		Net: p.Amount(row.Net), VAT: p.Amount(row.VAT), Total: p.Amount(row.Total),
	}
	if row.WithoutAmounts() == row.Count {
		one.Net, one.VAT, one.Total = "", "", ""
	}
	return one
}

// maxGaps is how many gaps of a series are listed.
const maxGaps = 10

// remarksOf says what has to be known about a series.
func (p *monthPage) remarksOf(row *closing.Row) (all []remark) {
	series := fmt.Sprintf(p.T("series"), spanish.Voucher(row.CbteTipo), row.PtoVta)
	if row.Skipped > 0 {
		var gaps []string
		for _, gap := range row.Gaps[:min(maxGaps, len(row.Gaps))] {
			gaps = append(gaps, span(gap.First, gap.Last))
		}
		if len(row.Gaps) > maxGaps {
			gaps = append(gaps, "…")
		}
		all = append(all, remark{series, fmt.Sprintf(p.T("gaps"), p.Count(row.Skipped), strings.Join(gaps, ", "))})
	}
	if row.Voided > 0 || row.Credited.Sign() != 0 {
		all = append(all, remark{series, fmt.Sprintf(p.T("voided"), p.Amount(row.Credited), p.Count(row.Voided))})
	}
	for _, why := range slices.Sorted(maps.Keys(row.Missing)) {
		all = append(all, remark{series, fmt.Sprintf(p.T("missing"), p.Count(row.Missing[why]), p.T("missing."+string(why)))})
	}
	return all
}

// rate names a rate of VAT.
func (p *monthPage) rate(id int32) string {
	if rate, known := wsfev1.IvaRate(id); known {
		return p.T("vat") + " " + spanish.PercentIn(p.Lang, rate)
	}
	return p.T("vat") + " (Id " + strconv.Itoa(int(id)) + ")"
}

// maxCurrency bounds the code of a currency that a client has sent, in characters; the service has three.
const maxCurrency = 12

// currency names a currency. A client may have sent any text as its code: one that nobody knows is hidden where
// documents are.
func (p *monthPage) currency(code string) string {
	name := spanish.Currency(code)
	switch {
	case code == "":
		return p.T("currency.unknown")
	case name != "":
		return name + " (" + code + ")"
	case p.Masks:
		return p.T("masked")
	}
	if runes := []rune(code); len(runes) > maxCurrency {
		code = string(runes[:maxCurrency]) + "…"
	}
	return printable.OneLine(code)
}

// span names the numbers of a range.
func span(first, last int64) string {
	if first == last {
		return strconv.FormatInt(first, 10)
	}
	return strconv.FormatInt(first, 10) + "–" + strconv.FormatInt(last, 10)
}
