package totalscmd

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
	"github.com/fielato/fielato/wsfev1"
)

// money formats an amount with a decimal point and two decimals at least.
func money(a wsfev1.Amount) string {
	text := a.Trim().String()
	if !a.Exact() {
		return text + " (not exact)"
	}
	whole, decimals, _ := strings.Cut(text, ".")
	return whole + "." + decimals + strings.Repeat("0", max(0, 2-len(decimals)))
}

// percent names a rate of VAT.
func percent(id int32) string {
	if rate, known := wsfev1.IvaRate(id); known {
		return rate.Trim().String() + " %"
	}
	return "Id " + strconv.Itoa(int(id))
}

func currency(text string) string { return cmp.Or(printable.OneLine(text), "?") }

// printTable prints the sums for people.
func printTable(w io.Writer, r *report) error {
	for i, sum := range closing.SumsOf(r.rows) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s  issuer %s  %s  %s\n", r.wanted.Month, sum.Issuer, sum.Environment, currency(sum.Currency))
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		rows := table.New(table.Column{Head: "TYPE", Right: true}, table.Column{Head: "POS", Right: true}, table.Column{Head: "COUNT", Right: true, Drop: 3},
			table.Column{Head: "FIRST", Right: true, Drop: 1}, table.Column{Head: "LAST", Right: true, Drop: 2},
			table.Column{Head: "NET", Right: true, Drop: 5}, table.Column{Head: "VAT", Right: true, Drop: 4}, table.Column{Head: "TOTAL", Right: true})
		rows.Indent = "  "
		for _, row := range sum.Rows {
			rows.Row(number(int64(row.CbteTipo)), number(int64(row.PtoVta)), number(row.Count), number(row.First), number(row.Last),
				money(row.Net), money(row.VAT), money(row.Total))
		}
		rows.Row("sum", "", number(sum.Count), "", "", money(sum.Net), money(sum.VAT), money(sum.Total))
		if err := rows.Print(w); err != nil {
			return err
		}
		if err := printLines(w, linesOf(sum)); err != nil {
			return err
		}
	}
	return r.printComparison(w)
}

// printLines prints lines, which continue below where the terminal has no room.
func printLines(w io.Writer, lines []string) error {
	for _, line := range lines {
		if err := table.Line(w, line); err != nil {
			return err
		}
	}
	return nil
}

// linesOf words all that has no column in the table of an issuer.
func linesOf(sum *closing.Sum) (lines []string) {
	if slices.ContainsFunc(sum.Rows, func(row *closing.Row) bool { return wsfev1.IsCreditNote(row.CbteTipo) }) {
		lines = append(lines, "  credit notes are taken off the sum")
	}
	if slices.ContainsFunc(sum.Rows, (*closing.Row).IsPurchase) {
		lines = append(lines, "  purchases of used goods (type 49) are not in the sum")
	}
	for _, rate := range sum.Rates {
		lines = append(lines, fmt.Sprintf("  at %s: net %s, VAT %s", percent(rate.ID), money(rate.Base), money(rate.VAT)))
	}
	for _, one := range []struct {
		name   string
		amount wsfev1.Amount
	}{{"class C, without VAT", sum.Subtotal}, {"not taxed", sum.NotTaxed}, {"exempt", sum.Exempt}, {"other taxes", sum.Taxes}} {
		if one.amount.Sign() != 0 {
			lines = append(lines, fmt.Sprintf("  %s: %s", one.name, money(one.amount)))
		}
	}
	for _, row := range sum.Rows {
		for _, note := range notesOf(row) {
			lines = append(lines, fmt.Sprintf("  type %d, point of sale %d: %s", row.CbteTipo, row.PtoVta, note))
		}
	}
	return lines
}

// notesOf words what has to be known about a series.
func notesOf(row *closing.Row) (notes []string) {
	if row.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("the trail does not have %d numbers: %s", row.Skipped, gaps(row)))
	}
	if row.Voided > 0 || row.Credited.Sign() != 0 {
		notes = append(notes, fmt.Sprintf("credit notes of the month take back %d whole, %s in all", row.Voided, money(row.Credited)))
	}
	for _, why := range slices.Sorted(maps.Keys(row.Missing)) {
		notes = append(notes, fmt.Sprintf("%d without amounts: %s", row.Missing[why], whys[why]))
	}
	return notes
}

var whys = map[closing.Missing]string{
	closing.Purged: "purged", closing.Sealed: "encrypted, give --encryption-key", closing.Hidden: "the gateway was configured not to keep them",
	closing.Unreadable: "the request is not there, or cannot be read",
}

// gaps lists the first gaps of a row.
func gaps(row *closing.Row) string {
	const most = 5
	var parts []string
	for _, gap := range row.Gaps[:min(most, len(row.Gaps))] {
		text := strconv.FormatInt(gap.First, 10)
		if gap.Last > gap.First {
			text += "-" + strconv.FormatInt(gap.Last, 10)
		}
		parts = append(parts, text)
	}
	if len(row.Gaps) > most {
		parts = append(parts, "… (--format json lists more)")
	}
	return strings.Join(parts, ", ")
}

// printCSV prints a line for each series and currency.
func printCSV(w io.Writer, r *report) error {
	table := csv.NewWriter(w)
	_ = table.Write([]string{
		"month", "environment", "cuit", "cbte_tipo", "pto_vta", "currency", "count", "first", "last", "net", "not_taxed", "exempt",
		"taxes", "vat", "total", "skipped", "voided", "credited", "without_amounts",
	})
	for _, row := range r.rows {
		count := func(n int64) string { return strconv.FormatInt(n, 10) }
		_ = table.Write([]string{
			r.wanted.Month.String(), string(row.Environment), row.Issuer.String(), count(int64(row.CbteTipo)), count(int64(row.PtoVta)), spreadsheet.Text(currency(row.Currency)),
			count(row.Count), count(row.First), count(row.Last), money(row.ImpNeto()), money(row.NotTaxed), money(row.Exempt), money(row.Taxes),
			money(row.VAT), money(row.Total), count(row.Skipped), count(row.Voided), money(row.Credited), count(row.WithoutAmounts()),
		})
	}
	table.Flush()
	return table.Error()
}
