package search

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
	"github.com/fielato/fielato/wsfev1"
)

// exportPart is how many rows are read at a time.
const exportPart = 500

// exporter writes all that matches as a table for a spreadsheet.
type exporter struct {
	room  *room
	r     *http.Request
	w     http.ResponseWriter
	frame site.Frame
	asked *request
	// at is where the next part begins, the zero place at the end.
	at    listing.Place
	mayGo func() bool
	rows  int
	made  bytes.Buffer
	table *spreadsheet.Table
	begun bool
}

// export sends the table. The trail is open while a part is read, and not while it is sent: a reload does not
// wait for a slow reader.
func (m *room) export(w http.ResponseWriter, r *http.Request) error {
	asked, err := m.requestOf(r)
	if err != nil {
		return err
	}
	e := &exporter{room: m, r: r, w: w, frame: m.Frame(r, page, "search", "search.last"), asked: asked}
	if !e.asked.isEmpty() && !e.asked.isReadable() || e.asked.Record != nil {
		return site.ErrBadRequest
	}
	if err := m.exports.Enter(r.Context(), 0); err != nil {
		return err
	}
	defer m.exports.Leave()
	e.mayGo = within(m.exportTime)
	e.table, _ = spreadsheet.New(&e.made) // into memory, as all that follows
	err = m.Read(r, e.asked.log, e.asked.note("export"), e.part)
	for err == nil && !e.at.IsNewest() {
		if !e.send() {
			return nil
		}
		err = m.ReadUnnoted(r, e.part)
	}
	if err != nil && !e.begun {
		return err
	}
	if err != nil {
		m.LogUnfinished(r, unfinished, err)
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
	a, err := listing.Search(ctx, sources, e.asked.listed(), e.at, want, e.mayGoOn(within(e.room.patience)))
	if err != nil {
		return err
	}
	if err := e.writeAll(ctx, sources, &a); err != nil {
		return err
	}
	e.rows += a.Rows()
	e.at = a.Rest
	switch {
	case e.at.IsNewest():
	case e.rows >= e.room.exportRows:
		e.at = listing.Place{}
		e.say(fmt.Sprintf(e.frame.T("csv.cut"), e.rows))
	case ending(e.room.Ending):
		e.at = listing.Place{}
		e.say(e.frame.T("csv.ended"))
	case !e.mayGo():
		e.at = listing.Place{}
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
	var names []string
	keys := []string{"when", "voucher", "issuer", "receiver", "total", "currency", "outcome", "code", "codes", "operation", "certainty", "record", "exchange"}
	if e.asked.listsInvoices() {
		keys = []string{"when", "voucher", "issuer", "date", "receiver", "total", "currency", "state", "code", "attempts"}
	}
	for _, key := range keys {
		names = append(names, e.frame.T(key))
	}
	_ = e.table.Write(names...)
}

// writeAll writes the rows of a part.
func (e *exporter) writeAll(ctx context.Context, sources []site.Source, a *listing.Answer) error {
	for _, f := range a.Records {
		one, err := rowOf(ctx, &e.frame, f)
		if err != nil {
			return err
		}
		e.write(&one)
	}
	invoices := sheets{frame: &e.frame, sources: sources}
	for i := range a.Invoices {
		one, err := invoices.rowOf(ctx, &a.Invoices[i])
		if err != nil {
			return err
		}
		e.writeInvoice(&one)
	}
	return nil
}

func (e *exporter) write(one *row) {
	r := one.record
	when := momentOf(r.Time)
	if listing.Unreadable(r) {
		when = ""
	}
	_ = e.table.Write(texts(when, one.Voucher, one.Issuer, one.Receiver, amount(one.detail.totalText()), spreadsheet.Currency(one.detail.currency),
		one.Outcome, one.Code, strings.Join(one.codes, " "), one.operation, e.certainty(r), one.Record, r.ID)...)
}

func (e *exporter) writeInvoice(one *invoiceRow) {
	_ = e.table.Write(texts(momentOf(one.at), one.Voucher, one.Issuer, one.Date, one.Receiver, amount(one.detail.totalText()), spreadsheet.Currency(one.detail.currency),
		one.State, one.Code, one.Attempts)...)
}

// momentOf returns a time as a spreadsheet reads it, empty for none.
func momentOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(wsfev1.Argentina).Format("2006-01-02 15:04:05")
}

// amount is a cell that is a number, and may be negative.
type amount string

// texts returns cells. Those that are no amounts are harmless.
func texts(cells ...any) []string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		if number, ok := cell.(amount); ok {
			all[i] = string(number)
		} else {
			all[i] = spreadsheet.Text(fmt.Sprint(cell))
		}
	}
	return all
}

func (e *exporter) certainty(r *audit.Record) string {
	if r.Certainty == "" {
		return ""
	}
	return e.frame.T("certainty." + string(r.Certainty))
}

// say makes a last line that says why there is no more.
func (e *exporter) say(text string) { _ = e.table.Write(text) }

// send sends the lines made so far, and reports whether the reader is still there.
func (e *exporter) send() bool {
	_ = e.table.Flush()
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
