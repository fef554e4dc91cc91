package totalscmd

import (
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/wsfev1"
)

// printed is the report for programs. Amounts are numbers as they were sent, in the currency of the row.
type printed struct {
	Month      string             `json:"month"`
	By         closing.By         `json:"by"`
	Rows       []printedRow       `json:"rows"`
	Elsewhere  int64              `json:"lots_elsewhere"`
	Damaged    int64              `json:"damaged_records"`
	Comparison *printedComparison `json:"comparison,omitzero"`
}

type printedRow struct {
	Environment environment.Environment   `json:"environment"`
	Cuit        wsfev1.CUIT               `json:"cuit"`
	CbteTipo    int32                     `json:"cbte_tipo"`
	PtoVta      int32                     `json:"pto_vta"`
	Currency    string                    `json:"currency"` // empty if it is not known
	Count       int64                     `json:"count"`
	First       int64                     `json:"first"`
	Last        int64                     `json:"last"`
	Net         wsfev1.Amount             `json:"net"`
	NotTaxed    wsfev1.Amount             `json:"not_taxed"`
	Exempt      wsfev1.Amount             `json:"exempt"`
	Taxes       wsfev1.Amount             `json:"taxes"`
	VAT         wsfev1.Amount             `json:"vat"`
	Total       wsfev1.Amount             `json:"total"`
	Rates       []printedRate             `json:"rates"`
	Skipped     int64                     `json:"skipped"`
	Gaps        []closing.Gap             `json:"gaps"` // the first of them
	Voided      int64                     `json:"voided"`
	Credited    wsfev1.Amount             `json:"credited"`
	Missing     map[closing.Missing]int64 `json:"without_amounts"`
}

type printedRate struct {
	ID  int32         `json:"id"`
	Net wsfev1.Amount `json:"net"`
	VAT wsfev1.Amount `json:"vat"`
}

type printedComparison struct {
	Equal        int64                `json:"equal"`
	Tests        int64                `json:"tests"` // not compared
	Unknown      int64                `json:"without_amounts"`
	Differing    int64                `json:"differing"`
	MissingThere int64                `json:"missing_there"`
	MissingHere  int64                `json:"missing_here"`
	Doubled      []int                `json:"doubled_lines"`
	Differences  []closing.Difference `json:"differences"` // the first of each kind
}

func printJSON(w io.Writer, r *report) error {
	object := printed{Month: r.wanted.Month.String(), By: r.wanted.By, Rows: []printedRow{}, Elsewhere: r.lost.LotsElsewhere, Damaged: r.lost.Damaged}
	for _, row := range r.rows {
		one := printedRow{
			Environment: row.Environment, Cuit: row.Issuer, CbteTipo: row.CbteTipo, PtoVta: row.PtoVta, Currency: row.Currency,
			Count: row.Count, First: row.First, Last: row.Last, Net: row.ImpNeto(), NotTaxed: row.NotTaxed, Exempt: row.Exempt, Taxes: row.Taxes,
			VAT: row.VAT, Total: row.Total, Skipped: row.Skipped, Gaps: row.Gaps, Voided: row.Voided, Credited: row.Credited, Missing: row.Missing,
		}
		for _, rate := range row.Rates {
			one.Rates = append(one.Rates, printedRate{rate.ID, rate.Base, rate.VAT})
		}
		object.Rows = append(object.Rows, one)
	}
	if c := r.comparison; c != nil {
		here, count := c.MissingHere()
		object.Comparison = &printedComparison{
			Equal: c.Equal, Tests: r.tests, Unknown: c.Unknown, Differing: c.DifferingCount, MissingThere: c.MissingThereCount, MissingHere: count,
			Doubled: r.book.Doubled, Differences: append(append(append([]closing.Difference{}, c.Differing...), c.MissingThere...), here...),
		}
	}
	line, err := json.Marshal(object, json.Deterministic(true))
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// differs reports whether a comparison found a difference.
func (r *report) differs() bool {
	if r.comparison == nil {
		return false
	}
	_, here := r.comparison.MissingHere()
	return here > 0 || r.comparison.MissingThereCount > 0 || r.comparison.DifferingCount > 0 || len(r.book.Doubled) > 0
}

// mostDifferences is how many differences of each kind people get.
const mostDifferences = 20

// printComparison prints a comparison for people.
func (r *report) printComparison(w io.Writer) error {
	c := r.comparison
	if c == nil {
		return nil
	}
	here, count := c.MissingHere()
	lines := []string{"", fmt.Sprintf("%d alike, %d differ, %d are missing in the table, %d are missing in the trail", c.Equal, c.DifferingCount, c.MissingThereCount, count)}
	if c.Unknown > 0 {
		lines = append(lines, fmt.Sprintf("%d could not be compared: the trail or the table has no total of them", c.Unknown))
	}
	if r.tests > 0 {
		lines = append(lines, fmt.Sprintf("%d of services for tests were not compared", r.tests))
	}
	for _, line := range r.book.Doubled[:min(mostDifferences, len(r.book.Doubled))] {
		lines = append(lines, fmt.Sprintf("  line %d has an invoice that an earlier line has", line))
	}
	lines = append(lines, list(c.Differing, c.DifferingCount, func(d closing.Difference) string {
		return fmt.Sprintf("%s is %s in the trail (%s), and %s in line %d", d.Column, d.Here, d.Record, d.There, d.Line)
	})...)
	lines = append(lines, list(c.MissingThere, c.MissingThereCount, func(d closing.Difference) string { return "not in the table; in the trail at " + d.Record })...)
	return printLines(w, append(lines, list(here, count, func(d closing.Difference) string {
		return fmt.Sprintf("not in the trail of the month; in the table at line %d", d.Line)
	})...))
}

// list words the first differences of a kind.
func list(some []closing.Difference, count int64, text func(closing.Difference) string) (lines []string) {
	for _, d := range some[:min(mostDifferences, len(some))] {
		number := strconv.FormatInt(d.First, 10)
		if d.Last > d.First {
			number += "-" + strconv.FormatInt(d.Last, 10)
		}
		lines = append(lines, fmt.Sprintf("  %d-%d-%s: %s", d.CbteTipo, d.PtoVta, number, text(d)))
	}
	if count > mostDifferences {
		lines = append(lines, fmt.Sprintf("  and %d more like these: --format json lists them", count-mostDifferences))
	}
	return lines
}
