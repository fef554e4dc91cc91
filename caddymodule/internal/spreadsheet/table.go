package spreadsheet

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/wsfev1"
)

// Mark stands before the first line: by it a program for tables knows that the text is UTF-8.
const Mark = "\ufeff"

// Table is a table that is being written.
type Table struct{ csv *csv.Writer }

// New begins a table, and writes the mark at once.
func New(w io.Writer) (*Table, error) {
	if _, err := io.WriteString(w, Mark); err != nil {
		return nil, fmt.Errorf("writing a table: %w", err)
	}
	return Resume(w), nil
}

// Resume goes on with a table that has its mark.
func Resume(w io.Writer) *Table {
	t := &Table{csv.NewWriter(w)}
	t.csv.Comma, t.csv.UseCRLF = ';', true
	return t
}

// Write adds a line. Its cells are written as they are: whatever a client or a service may have set goes through Text.
func (t *Table) Write(cells ...string) error {
	if err := t.csv.Write(cells); err != nil {
		return fmt.Errorf("writing a table: %w", err)
	}
	return nil
}

// Flush writes what Write has kept back.
func (t *Table) Flush() error {
	t.csv.Flush()
	return t.csv.Error()
}

// Text returns a text for a cell: no program takes it for a formula, and it has no control characters.
func Text(text string) string { return export.Cell(printable.OneLine(text)) }

// Currency returns the code of a currency for a cell, such as DOL. One of digits has its name beside it, 060 (Euro): alone
// it is a number for programs for tables, which take its zeros away.
func Currency(code string) string {
	if code == "" || strings.Trim(code, "0123456789") != "" {
		return Text(code)
	}
	for _, row := range wsfev1.Tables().Moneda {
		if row.Id == code {
			return code + " (" + row.Desc + ")"
		}
	}
	return code + " (moneda)"
}

// Amount returns an amount for a cell, with a decimal comma and without groups; empty for one that was not sent.
func Amount(a wsfev1.Amount) string {
	if !a.Sent() {
		return ""
	}
	return strings.Replace(a.String(), ".", ",", 1)
}
