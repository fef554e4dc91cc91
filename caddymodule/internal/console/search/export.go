package search

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/wsfev1"
)

// exportPart is how many rows are read at a time.
const exportPart = 500

// exporter writes all that matches as a table.
//
// Its form is that which Excel opens with a click where Argentina is set: semicolons between the
// cells, a comma in amounts, and the mark that says UTF-8.
type exporter struct {
	room  *room
	r     *http.Request
	w     http.ResponseWriter
	frame site.Frame
	asked *request
	start
	mayGo func() bool
	rows  int
	made  bytes.Buffer
	table *csv.Writer
	begun bool
}

// export sends the table. The trail is open while a part is read, and not while it is sent: a reload does not
// wait for a slow reader.
func (m *room) export(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	e := &exporter{room: m, r: r, w: w, frame: m.Frame(r, page, "search", "search.last"), asked: parseRequest(values, m.Now())}
	if !e.asked.isEmpty() && !e.asked.isReadable() || e.asked.Record != nil {
		return site.ErrBadRequest
	}
	if !m.exports.enter() {
		return site.ErrBusy
	}
	defer m.exports.leave()
	e.everything, e.mayGo = values.Get("all") != "", within(m.exportTime)
	e.table = csv.NewWriter(&e.made)
	e.table.Comma, e.table.UseCRLF = ';', true
	err := m.Read(r, e.asked.log, e.asked.note("export"), e.part)
	for err == nil && e.at != nil {
		if !e.send() {
			return nil
		}
		err = m.ReadUnnoted(r, e.part)
	}
	if err != nil && !e.begun {
		return err
	}
	if err != nil {
		m.logFailure(r, err)
		e.say(e.frame.T("csv.failed"))
	}
	e.send()
	return nil
}

// part reads some rows. After it, at is the place of the next part, nil at the end.
func (e *exporter) part(sources []site.Source) error {
	ctx := e.r.Context()
	if e.rows == 0 && !e.begun {
		e.head()
	}
	want := min(exportPart, e.room.exportRows-e.rows)
	a, err := search(ctx, sources, e.asked, e.start, want, e.mayGoOn(within(e.room.patience)), within(e.room.glance))
	if err != nil {
		return err
	}
	for _, f := range a.records {
		one, err := rowOf(ctx, &e.frame, f)
		if err != nil {
			return err
		}
		e.write(&one)
	}
	e.rows += len(a.records)
	e.at, e.everything = a.rest, a.everything
	switch {
	case e.at == nil:
	case e.rows >= e.room.exportRows:
		e.at = nil
		e.say(fmt.Sprintf(e.frame.T("csv.cut"), e.rows))
	case !e.mayGo() || ending(e.room.Ending):
		e.at = nil
		e.say(e.frame.T("csv.late"))
	}
	return nil
}

// mayGoOn bounds a part as well as the whole.
func (e *exporter) mayGoOn(part func() bool) func() bool {
	return func() bool { return part() && e.mayGo() }
}

func ending(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// head makes the first line.
func (e *exporter) head() {
	e.made.WriteString("\ufeff")
	var names []string
	for _, key := range []string{"when", "voucher", "issuer", "receiver", "total", "currency", "outcome", "code", "codes", "operation", "certainty", "record", "exchange"} {
		names = append(names, e.frame.T(key))
	}
	_ = e.table.Write(names) // into memory
}

func (e *exporter) write(one *row) {
	r := one.record
	total := ""
	if one.detail.hasTotal {
		total = strings.Replace(one.detail.total.Trim().String(), ".", ",", 1)
	}
	cells := []string{
		r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:04:05"), one.Voucher, one.Issuer, one.Receiver, total, printable.OneLine(one.detail.currency),
		one.Outcome, one.Code, strings.Join(one.codes, " "), one.operation, e.certainty(r), r.Address(), r.ID,
	}
	for i, cell := range cells {
		if i != 4 { // an amount is a number, and may be negative
			cells[i] = harmless(cell)
		}
	}
	_ = e.table.Write(cells)
}

func (e *exporter) certainty(r *audit.Record) string {
	if r.Certainty == "" {
		return ""
	}
	return e.frame.T("certainty." + string(r.Certainty))
}

// say makes a last line that says why there is no more.
func (e *exporter) say(text string) { _ = e.table.Write([]string{text}) }

// harmless returns a text that no program takes for a formula, and that has no control characters.
func harmless(text string) string {
	text = printable.OneLine(text)
	if strings.IndexAny(text, "=+-@＝＋－＠") == 0 { // the wide ones too
		return "'" + text
	}
	return text
}

// send sends the lines made so far, and reports whether the reader is still there.
func (e *exporter) send() bool {
	e.table.Flush()
	if !e.begun {
		e.begun = true
		header := e.w.Header()
		header.Set("Content-Type", "text/csv; charset=utf-8")
		header.Set("Content-Disposition", `attachment; filename="fielato-`+e.room.Now().In(wsfev1.Argentina).Format("2006-01-02-1504")+`.csv"`)
	}
	to := http.NewResponseController(e.w)
	_ = to.SetWriteDeadline(time.Now().Add(stuck)) // a connection without deadlines is of a test
	_, err := e.w.Write(e.made.Bytes())
	e.made.Reset()
	return err == nil
}
