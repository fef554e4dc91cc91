package view

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
	"github.com/fielato/fielato/wsfev1"
)

// Printer writes records for people or for programs.
type Printer interface {
	// Row writes one record of several; Flush ends them.
	Row(Entry) error
	Flush() error
	// Full writes one record with all its fields, its other half and its settlement.
	Full(Entry) error
	// WithAddresses returns the printer for rows of several logs, where an index alone is
	// ambiguous.
	WithAddresses() Printer
}

// Entry is an exchange to print, by the record At.
type Entry struct {
	*story.Exchange
	// QRs are the QR codes of the invoices that the exchange has approved.
	QRs []qrcode.Code
	// ClientRow is the client's row in the table by which the request was judged, or why it is not known. It is
	// empty without a table.
	ClientRow string
}

// other returns the other half of an exchange: the intent, and for an intent what became of it; nil for none.
func (s Entry) other() *audit.Record {
	switch {
	case s.At.Kind != audit.KindIntent:
		return s.Intent
	case s.Result() != s.At:
		return s.Result()
	}
	return nil
}

// settlement returns the settlement of an outcome; nil for none.
func (s Entry) settlement() *audit.Record {
	if s.Outcome == nil {
		return nil
	}
	return s.Settlement
}

// tablePrinter writes a table of rows, or one record as a list of its fields.
type tablePrinter struct {
	out     io.Writer
	columns Columns
	rows    *table.Table
	// raw leaves bodies as they were sent.
	raw bool
	// half: nothing is known of the other half of an exchange.
	half bool
}

func NewTablePrinter(w io.Writer, columns Columns, raw bool) *tablePrinter {
	return &tablePrinter{out: w, columns: columns, raw: raw}
}

// Columns are the columns of one kind of table.
type Columns struct {
	list []table.Column
	row  func(*audit.Record) []string
	// colored: outcomes are painted.
	colored bool
}

// WithAddresses shows the record's address instead of its index.
func (c Columns) WithAddresses() Columns {
	row := c.row
	c.list = slices.Clone(c.list)
	c.list[0].Head, c.list[0].Usual = "RECORD", 20
	c.row = func(r *audit.Record) []string {
		cells := row(r)
		cells[0] = r.Address()
		return cells
	}
	return c
}

// ColumnsOf returns the columns for a kind of record. For 0 it returns the columns for exchanges.
func ColumnsOf(kind audit.Kind) Columns {
	moment := table.Moment("TIME")
	moment.Usual, moment.Drop = len("2006-01-02 15:04:05.000-03:00"), 7
	if kind == audit.KindAccess {
		return Columns{row: accessRow, list: []table.Column{
			{Head: "INDEX", Usual: 7}, moment, {Head: "IDENTITY", Usual: 20, Least: 14}, {Head: "CLIENT", Usual: 15, Drop: 1}, {Head: "WHAT", Usual: 40, Least: 24, Wrap: true},
		}}
	}
	return Columns{row: tableRow, list: []table.Column{
		{Head: "INDEX", Usual: 7},
		moment,
		{Head: "OPERATION", Usual: 22, Least: len("FECAESolicitar"), Drop: 6},
		{Head: "CUIT", Usual: 11, Drop: 5},
		{Head: "PTOVTA", Usual: 6, Drop: 4},
		{Head: "CBTETIPO", Usual: 8, Drop: 3},
		{Head: "NUMBER", Usual: 7},
		{Head: "CAE", Usual: 14, Short: 14},
		{Head: "CODES", Usual: 12, Drop: 2},
		{Head: "OUTCOME", Usual: 12, Drop: 8},
		{Head: "CERTAINTY", Usual: 9, Drop: 1},
	}}
}

// table returns the table without rows.
func (c Columns) table() *table.Table { return table.New(c.list...) }

// outcomeColumn is the index of OUTCOME in the columns of exchanges.
const outcomeColumn = 9

// accessRow returns the cells of an access to the trail.
func accessRow(r *audit.Record) []string {
	who, _ := r.Reader()
	return []string{
		strconv.FormatUint(r.Index, 10), tableTime(r), OrDash(printable.OneLine(who)), OrDash(r.ClientAddress),
		OrDash(printable.OneLine(detailText(r))),
	}
}

func tableTime(r *audit.Record) string {
	return r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:04:05.000Z07:00")
}

// Moment formats a time for a table, to the second: in Argentina, with its zone.
func Moment(t time.Time) string { return t.In(wsfev1.Argentina).Format("2006-01-02 15:04:05Z07:00") }

// RFC3339 formats a time for programs, to the second: in Argentina, with its zone.
func RFC3339(t time.Time) string { return t.In(wsfev1.Argentina).Format(time.RFC3339) }

// tableRow returns the cells of an exchange. CAE is a CAE or CAEA; CODES are the codes of the gateway's
// findings and of the service's messages.
func tableRow(r *audit.Record) []string {
	return []string{
		strconv.FormatUint(r.Index, 10), tableTime(r),
		OrDash(r.Operation), number(int64(r.Cuit)), number(int64(r.PtoVta)), number(int64(r.CbteTipo)),
		numbers(r.Vouchers), OrDash(printable.OneLine(codes(r.Vouchers))), OrDash(printable.OneLine(codesCell(r))), OrDash(OutcomeText(r)), string(r.Certainty),
	}
}

func (p *tablePrinter) Row(s Entry) error {
	if p.rows == nil {
		p.rows = p.columns.table()
	}
	p.rows.Row(p.columns.cells(s.At, s.settlement())...)
	return nil
}

func (p *tablePrinter) Flush() error {
	if p.rows == nil {
		return nil
	}
	return p.rows.Print(p.out)
}

func (p *tablePrinter) WithAddresses() Printer {
	p.columns = p.columns.WithAddresses()
	return p
}

// OutcomeText returns the outcome of the exchange; open for an intent.
func OutcomeText(r *audit.Record) string {
	if r.Kind == audit.KindIntent {
		return outcome.Open
	}
	return string(r.Outcome)
}

func number(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// numbers formats the first and last number of the exchange's invoices.
func numbers(vouchers []audit.Voucher) string {
	if len(vouchers) == 0 {
		return "-"
	}
	first, last := vouchers[0].CbteDesde, vouchers[len(vouchers)-1].CbteHasta
	if first == last {
		return number(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// codes formats the first CAE or CAEA of the exchange's invoices. Of a lot it adds how many
// invoices have one and were approved.
func codes(vouchers []audit.Voucher) string {
	first, granted := "", 0
	for _, v := range vouchers {
		if v.Code != "" && v.Resultado == wsfev1.Aprobado { // a report names its CAEA before anything is granted
			granted++
		}
		if first == "" {
			first = v.Code
		}
	}
	if first == "" || len(vouchers) == 1 {
		return first
	}
	return fmt.Sprintf("%s (%d of %d)", first, granted, len(vouchers))
}

// maxCodes is how many codes a row of a table shows.
const maxCodes = 3

func codesCell(r *audit.Record) string {
	all := r.Codes()
	if more := len(all) - maxCodes; more > 0 {
		all = append(all[:maxCodes:maxCodes], "+"+number(int64(more)))
	}
	return strings.Join(all, " ")
}
