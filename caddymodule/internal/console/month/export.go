package month

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

const (
	// stuck is how long a reader may take for a part of the table, and hurry when its time is over.
	stuck, hurry = 30 * time.Second, time.Second
	// checked is after how many invoices it is asked again whether the reader may see them.
	checked = 500
)

// exporter writes the invoices of a month as a table.
type exporter struct {
	*monthPage
	w     http.ResponseWriter
	ctx   context.Context
	table *closing.Table // nil before the first part
	so    seen
	rows  int
	lost  closing.Lost
}

// export sends the table.
func (m *room) export(w http.ResponseWriter, r *http.Request) error {
	p := m.page(r)
	if len(p.Wrong) > 0 {
		return site.ErrBadRequest
	}
	if err := m.exports.Enter(r.Context(), m.patience); err != nil {
		return err
	}
	defer m.exports.Leave()
	ctx, stop := m.within(r.Context(), m.exportTime)
	defer stop()
	e := &exporter{monthPage: p, w: w, ctx: ctx}
	defer func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) }() // the connection goes on
	err := m.Read(r, "", "totals "+p.asked.flags()+" --invoices", e.writeAll)
	if err != nil && e.table == nil && !isCut(r, ctx, err) {
		return err
	}
	e.end(err)
	return nil
}

// end ends the table, with a line that says so if it is not whole.
func (e *exporter) end(err error) {
	if e.begin() != nil {
		return
	}
	switch {
	case err == nil:
		for _, text := range e.monthPage.lost(e.lost) {
			_ = e.table.Remark(text)
		}
	case isCut(e.r, e.ctx, err):
		_ = e.table.Remark(e.cut(e.so) + " " + fmt.Sprintf(e.T("csv.command"), e.asked.command()+" --invoices")) // a reader who has left gets nothing
	default:
		e.room.LogUnfinished(e.r, unfinished, err)
		_ = e.table.Remark(e.T("csv.failed"))
	}
	_ = e.table.Flush()
}

// begin begins the table, unless it has begun.
func (e *exporter) begin() (err error) {
	if e.table != nil {
		return nil
	}
	e.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	e.w.Header().Set("Content-Disposition", `attachment; filename="`+e.asked.file()+`"`)
	e.table, err = closing.NewTable(e)
	return err
}

// Write implements io.Writer for the table.
func (e *exporter) Write(part []byte) (int, error) {
	patience := stuck
	if e.ctx.Err() != nil {
		patience = hurry
	}
	_ = http.NewResponseController(e.w).SetWriteDeadline(time.Now().Add(patience)) // a connection without deadlines is of a test
	return e.w.Write(part)
}

func (e *exporter) writeAll(sources []site.Source) error {
	for i := range sources {
		wanted, before := e.asked.wanted, e.so
		wanted.Most = max(1, e.room.most-before.total)
		reading := &closing.Reading{Progress: func(done, total int) { e.so = seen{before.done + done, before.total + total} }}
		for invoice, err := range closing.Invoices(e.ctx, sources[i].Store, sources[i].Logs, wanted, reading) {
			if err == nil {
				err = e.write(invoice)
			}
			if err != nil {
				return err
			}
		}
		e.lost.Add(reading.Lost)
	}
	return nil
}

// write writes an invoice.
func (e *exporter) write(i *closing.Invoice) error {
	if e.rows++; e.rows%checked == 0 {
		if err := e.room.StillMay(e.r); err != nil {
			return err
		}
	}
	if err := e.begin(); err != nil {
		return err
	}
	if e.Masks {
		i.HiddenReceiver = true
		if i.Currency != "" && spanish.Currency(i.Currency) == "" {
			i.Currency = e.T("masked")
		}
	}
	return e.table.Write(i)
}
