package export

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

// invoiceColumns are the first line of a file of invoices.
var invoiceColumns = []string{
	"index", "kind", "intent", "time", "operation", "cuit", "pto_vta", "cbte_tipo", "cbte_desde", "cbte_hasta",
	"cbte_fch", "imp_total", "mon_id", "resultado", "code", "decision", "outcome", "certainty", "status", "duration_ms",
}

// joinWindow is how many records an intent may stand before its outcome so that the
// outcome's row has what only the intent holds. It bounds the memory, and is part of
// the form of an export.
const joinWindow = 1 << 16

// subject is what an intent holds of its invoices.
type subject struct {
	operation        string
	cuit             wsfev1.CUIT
	ptoVta, cbteTipo int32
	vouchers         []audit.Voucher
	details          []invoiceDetail
}

// invoiceTable makes the rows of invoices, one for each invoice of each record, in the
// order of the log. A row depends on its record and on the intent of that, if there is
// one among the joinWindow records before it; on nothing else.
type invoiceTable struct {
	intents map[uint64]*subject
	// swept is the index below which intents were forgotten.
	swept uint64
	// about and cells are the memory of a record's rows.
	about subject
	cells []string
}

func newInvoiceTable() *invoiceTable { return &invoiceTable{intents: map[uint64]*subject{}} }

// rows passes the rows of the next record to write, as cells that write must not keep. It keeps nothing of
// the record.
func (t *invoiceTable) rows(r *audit.Record, details []invoiceDetail, write func([]string) error) error {
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
		t.cells = appendInvoiceRow(t.cells[:0], r, about, i)
		if err := write(t.cells); err != nil {
			return err
		}
	}
	return nil
}

func (t *invoiceTable) keepIntent(index uint64, about *subject) {
	intent := *about
	intent.vouchers = slices.Clone(about.vouchers) // whose memory is the record's
	t.intents[index] = &intent
	if index >= t.swept+2*joinWindow {
		t.swept = index - joinWindow
		maps.DeleteFunc(t.intents, func(intent uint64, _ *subject) bool { return intent < t.swept })
	}
}

// joinIntent completes what an outcome is about by its intent. An outcome that is final is
// the last one.
func (t *invoiceTable) joinIntent(r *audit.Record, about *subject) {
	intent := t.intents[r.Intent]
	if intent == nil || r.IntentLog != "" || r.Index-r.Intent > joinWindow {
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

// appendInvoiceRow appends the cells of the i-th invoice of a record.
func appendInvoiceRow(cells []string, r *audit.Record, about *subject, i int) []string {
	var detail invoiceDetail
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

// invoiceFile writes rows as CSV (RFC 4180, lines end in a line feed).
type invoiceFile struct {
	csv  *csv.Writer
	rows uint64
}

func newInvoiceFile(w io.Writer) (*invoiceFile, error) {
	f := &invoiceFile{csv: csv.NewWriter(w)}
	if err := f.csv.Write(invoiceColumns); err != nil {
		return nil, fmt.Errorf("writing invoices: %w", err)
	}
	return f, nil
}

func (f *invoiceFile) write(cells []string) error {
	f.rows++
	return f.csv.Write(cells)
}

func (f *invoiceFile) flush() error {
	f.csv.Flush()
	return f.csv.Error()
}

// rowError is the error of a rowComparer.
type rowError struct{ line int }

func (e *rowError) Error() string {
	return fmt.Sprintf("line %d is not what the records give", e.line)
}

// rowComparer is a writer that compares the bytes written to it with an existing file.
type rowComparer struct {
	there  io.Reader
	buffer []byte
	line   int // complete lines that were equal
}

// Write implements io.Writer.
func (c *rowComparer) Write(p []byte) (int, error) {
	if cap(c.buffer) < len(p) {
		c.buffer = make([]byte, len(p))
	}
	n, err := io.ReadFull(c.there, c.buffer[:len(p)])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	for i := range p {
		if i >= n || p[i] != c.buffer[i] {
			return i, &rowError{c.line + bytes.Count(p[:i], []byte("\n")) + 1}
		}
	}
	c.line += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

// end reports what follows after the last expected row.
func (c *rowComparer) end() error {
	n, err := c.there.Read(make([]byte, 1))
	if n > 0 {
		return &rowError{c.line + 1}
	}
	if err != nil && err != io.EOF {
		return err
	}
	return nil
}
