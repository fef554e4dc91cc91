package invoice

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// columns are the first line of a table.
var columns = []string{
	"index", "kind", "intent", "time", "operation", "cuit", "pto_vta", "cbte_tipo", "cbte_desde", "cbte_hasta",
	"cbte_fch", "imp_total", "mon_id", "resultado", "code", "decision", "outcome", "certainty", "status", "duration_ms",
}

// JoinWindow is how many records an intent may stand before its outcome so that the
// outcome's row has what only the intent holds. It bounds the memory, and is part of
// the form of an export.
const JoinWindow = 1 << 16

// subject is what an intent holds of its invoices.
type subject struct {
	operation        string
	cuit             wsfev1.CUIT
	ptoVta, cbteTipo int32
	vouchers         []audit.Voucher
	details          []Detail
}

// Table makes the rows of invoices, one for each invoice of each record, in the
// order of the log. A row depends on its record and on the intent of that, if there is
// one among the JoinWindow records before it; on nothing else.
type Table struct {
	intents map[uint64]*subject
	// swept is the index below which intents were forgotten.
	swept uint64
	// about and cells are the memory of a record's rows.
	about subject
	cells []string
}

// NewTable returns a table that knows no intents.
func NewTable() *Table { return &Table{intents: map[uint64]*subject{}} }

// Rows passes the rows of the next record to write, as cells that write must not keep. It keeps nothing of
// the record.
func (t *Table) Rows(r *audit.Record, details []Detail, write func([]string) error) error {
	about := &t.about
	*about = subject{
		operation: r.Operation, cuit: r.Cuit, ptoVta: r.PtoVta, cbteTipo: r.CbteTipo,
		vouchers: r.Vouchers, details: details,
	}
	switch r.Kind {
	case audit.KindIntent:
		t.keepIntent(r.Index, about)
	case audit.KindOutcome:
		t.joinIntent(r, about)
	}
	for i := range about.vouchers {
		t.cells = appendRow(t.cells[:0], r, about, i)
		if err := write(t.cells); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) keepIntent(index uint64, about *subject) {
	intent := *about
	intent.vouchers = slices.Clone(about.vouchers) // whose memory is the record's
	t.intents[index] = &intent
	if index >= t.swept+2*JoinWindow {
		t.swept = index - JoinWindow
		maps.DeleteFunc(t.intents, func(intent uint64, _ *subject) bool { return intent < t.swept })
	}
}

// joinIntent completes what an outcome is about by its intent. An outcome that is final is
// the last one.
func (t *Table) joinIntent(r *audit.Record, about *subject) {
	intent := t.intents[r.Intent]
	if intent == nil || r.IntentLog != "" || r.Index-r.Intent > JoinWindow {
		return
	}
	if r.Certainty != audit.Unknown {
		delete(t.intents, r.Intent)
	}
	about.operation = cmp.Or(about.operation, intent.operation)
	about.cuit = cmp.Or(about.cuit, intent.cuit)
	about.ptoVta, about.cbteTipo = cmp.Or(about.ptoVta, intent.ptoVta), cmp.Or(about.cbteTipo, intent.cbteTipo)
	if len(about.vouchers) == 0 {
		about.vouchers = intent.vouchers
	}
	if len(about.vouchers) == len(intent.vouchers) {
		about.details = intent.details
	}
}

// appendRow appends the cells of the i-th invoice of a record.
func appendRow(cells []string, r *audit.Record, about *subject, i int) []string {
	var detail Detail
	if len(about.details) == len(about.vouchers) {
		detail = about.details[i]
	}
	voucher := &about.vouchers[i]
	intent, duration := "", ""
	if r.Kind == audit.KindOutcome {
		intent = strconv.FormatUint(r.Intent, 10)
	}
	if r.Kind != audit.KindIntent {
		duration = strconv.FormatInt(r.Duration.Milliseconds(), 10)
	}
	return append(cells,
		strconv.FormatUint(r.Index, 10), r.Kind.String(), intent,
		r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:04:05.000"), Cell(about.operation),
		figure(about.cuit), figure(about.ptoVta), figure(about.cbteTipo), figure(voucher.CbteDesde), figure(voucher.CbteHasta),
		Cell(detail.date), detail.total, Cell(detail.currency), Cell(voucher.Resultado), Cell(voucher.Code),
		Cell(string(r.Decision)), Cell(string(r.Outcome)), Cell(string(r.Certainty)), figure(r.Status), duration)
}

func figure[N ~int | ~int32 | ~int64](n N) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

// Cell makes a text safe for a spreadsheet, which takes one that begins with such a
// character for a formula and would run what a client wrote: an apostrophe comes before.
func Cell(text string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠'", first) {
		return "'" + text
	}
	return text
}

// File writes rows as CSV (RFC 4180, lines end in a line feed).
type File struct {
	csv *csv.Writer
	// Rows counts the rows, without the first line.
	Rows uint64
}

// NewFile begins a file with its first line.
func NewFile(w io.Writer) (*File, error) {
	f := &File{csv: csv.NewWriter(w)}
	if err := f.csv.Write(columns); err != nil {
		return nil, fmt.Errorf("writing invoices: %w", err)
	}
	return f, nil
}

// Write writes a row.
func (f *File) Write(cells []string) error {
	f.Rows++
	return f.csv.Write(cells)
}

// Flush passes everything on.
func (f *File) Flush() error {
	f.csv.Flush()
	return f.csv.Error()
}

// RowError is the error of a Comparer. Line is the first line that differs, from 1.
type RowError struct{ Line int }

// Error implements error.
func (e *RowError) Error() string {
	return fmt.Sprintf("line %d is not what the records give", e.Line)
}

// Comparer is a writer that compares the bytes written to it with an existing file.
type Comparer struct {
	there  io.Reader
	buffer []byte
	line   int // complete lines that were equal
}

// NewComparer returns a comparer with an existing file.
func NewComparer(there io.Reader) *Comparer { return &Comparer{there: there} }

// Write implements io.Writer. A difference is a RowError.
func (c *Comparer) Write(p []byte) (int, error) {
	if cap(c.buffer) < len(p) {
		c.buffer = make([]byte, len(p))
	}
	n, err := io.ReadFull(c.there, c.buffer[:len(p)])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	for i := range p {
		if i >= n || p[i] != c.buffer[i] {
			return i, &RowError{c.line + bytes.Count(p[:i], []byte("\n")) + 1}
		}
	}
	c.line += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

// End reports what follows after the last expected row.
func (c *Comparer) End() error {
	n, err := c.there.Read(make([]byte, 1))
	if n > 0 {
		return &RowError{c.line + 1}
	}
	if err != nil && err != io.EOF {
		return err
	}
	return nil
}
