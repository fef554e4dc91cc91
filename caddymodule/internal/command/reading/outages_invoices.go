package reading

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
	"github.com/fielato/fielato/wsfev1"
)

// listedInvoices are the invoices that an issuer asked for in an outage.
type listedInvoices struct {
	Cuit wsfev1.CUIT `json:"cuit"`
	// Asked counts the invoices, Attempts the requests for them.
	Asked    int                  `json:"asked"`
	Attempts int                  `json:"attempts"`
	Fates    map[history.Fate]int `json:"fates"`
	// CAEA is the newest one of a fortnight of the outage, with its record. CAEAs are all: an outage may touch several.
	CAEA       string          `json:"caea,omitzero"`
	CAEARecord string          `json:"caea_record,omitzero"`
	CAEAs      []listedCAEA    `json:"caeas,omitempty"`
	More       bool            `json:"more,omitzero"`
	List       []listedInvoice `json:"list"`
}

type listedCAEA struct {
	CAEA   string `json:"caea"`
	Record string `json:"record"`
}

type listedInvoice struct {
	PtoVta   int32        `json:"pto_vta"`
	CbteTipo int32        `json:"cbte_tipo"`
	Number   int64        `json:"nro"`
	Attempts int          `json:"attempts"`
	Fate     history.Fate `json:"fate"`
	Record   string       `json:"record"`
}

// addInvoices adds the invoices that the issuer asked for.
func (l *listedOutage) addInvoices(ctx context.Context, store audit.Store, logs []string, o *history.Outage, cuit wsfev1.CUIT) (err error) {
	if l.of, err = o.Invoices(ctx, store, logs, cuit); err != nil {
		return err
	}
	if l.caeas, err = o.CAEAs(ctx, store, logs, l.of, cuit); err != nil {
		return err
	}
	l.Invoices = &listedInvoices{Cuit: cuit, Asked: len(l.of.All), Attempts: l.of.Attempts, Fates: l.of.Counts, More: l.of.More, List: []listedInvoice{}}
	for _, one := range l.of.All {
		l.Invoices.List = append(l.Invoices.List, listedInvoice{one.PtoVta, one.Tipo, one.Number, one.Attempts, one.Fate, one.By.Address()})
	}
	for _, had := range l.caeas {
		if had.Code != "" {
			l.Invoices.CAEAs = append(l.Invoices.CAEAs, listedCAEA{had.Code, had.By.Address()})
		}
	}
	if all := l.Invoices.CAEAs; len(all) > 0 {
		l.Invoices.CAEA, l.Invoices.CAEARecord = all[0].CAEA, all[0].Record
	}
	return nil
}

// printInvoices prints what became of the invoices, for people.
func (l *listedOutage) printInvoices(w io.Writer) error {
	if l.of == nil {
		return nil
	}
	ended := "it goes on"
	if !l.Ongoing {
		ended = "to " + view.Moment(l.ended) + ", " + l.ended.Sub(l.began).Round(time.Second).String()
	}
	var parts []string
	for _, fate := range history.Fates {
		if n := l.of.Counts[fate]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", fate, n))
		}
	}
	asked := fmt.Sprintf("%s from %s, %s: %s asked for, %s", l.Record, view.Moment(l.began), ended,
		cli.CountOf(uint64(len(l.of.All)), "invoice"), cli.CountOf(uint64(l.of.Attempts), "request"))
	if len(parts) > 0 {
		asked += ": " + strings.Join(parts, ", ")
	}
	fmt.Fprintln(w)
	if err := table.Line(w, asked); err != nil {
		return fmt.Errorf("printing the invoices: %w", err)
	}
	list := table.New(table.Column{Head: "INVOICE"}, table.Column{Head: "REQUESTS", Right: true, Drop: 1}, table.Column{Head: "FATE"}, table.Column{Head: "RECORD"})
	list.Indent = "  "
	for _, one := range l.of.All {
		list.Row(fmt.Sprintf("%d-%d-%d", one.Tipo, one.PtoVta, one.Number), strconv.Itoa(one.Attempts), string(one.Fate), one.By.Address())
	}
	if len(l.of.All) > 0 {
		if err := list.Print(w); err != nil {
			return fmt.Errorf("printing the invoices: %w", err)
		}
	}
	if l.of.More {
		fmt.Fprintf(w, "  and more than %d\n", history.MaxInvoices)
	}
	for _, had := range l.caeas {
		if had.Code == "" {
			fmt.Fprintln(w, "  no CAEA of that fortnight is on record")
		} else {
			if err := table.Linef(w, "  CAEA %s of that fortnight, asked for at %s, %s", had.Code, view.Moment(had.When), had.By.Address()); err != nil {
				return fmt.Errorf("printing the CAEA: %w", err)
			}
		}
	}
	return nil
}
