package invoice

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// maxNamed is how many vouchers that the invoice names are shown.
	maxNamed = 50
	// maxNotesRead is how many notes are read to find those that name the invoice.
	maxNotesRead = 100
)

// referring is an invoice with the vouchers that it names, each of which may be of any shape.
type referring struct{ CbteDesde, CbteHasta, CbtesAsoc jsontext.Value }

// reference is a voucher that an invoice names. Without a Cuit it is of the same issuer.
type reference struct{ Tipo, PtoVta, Nro, Cuit jsontext.Value }

// number reads a number that is written as one or as a text; 0 for anything else.
func number(v jsontext.Value) int64 {
	n, err := strconv.ParseInt(strings.Trim(string(v), `" `), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// queryOf returns the invoice that a reference of this issuer's voucher names; false if it names none.
func (a *reference) queryOf(issuer wsfev1.CUIT) (audit.Query, bool) {
	q := audit.Query{Cuit: issuer, Number: number(a.Nro)}
	kind, point := number(a.Tipo), number(a.PtoVta)
	if cuit := number(a.Cuit); cuit != 0 {
		q.Cuit = wsfev1.CUIT(cuit)
	}
	q.CbteTipo, q.PtoVta = int32(min(kind, maxType+1)), int32(min(point, maxPtoVta+1))
	return q, kind > 0 && kind <= maxType && point > 0 && point <= maxPtoVta && q.Number > 0 && q.Number <= maxNumber && q.Cuit.Possible()
}

// references returns the vouchers that the invoice names.
func (i *referring) references() []reference {
	var list struct{ CbteAsoc []reference }
	if len(i.CbtesAsoc) == 0 || json.Unmarshal(i.CbtesAsoc, &list, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return list.CbteAsoc
}

// covers reports whether the invoice has this number.
func (i *referring) covers(nro int64) bool {
	first, last := number(i.CbteDesde), number(i.CbteHasta)
	return first > 0 && first <= nro && nro <= last
}

// addNotes adds the vouchers that belong to the invoice.
func (p *invoicePage) addNotes(ctx context.Context, f *found) error {
	all := bodies.Invoices[referring](f.best.Shown.Request().Request)
	if i := slices.IndexFunc(all, func(one referring) bool { return one.covers(f.wanted.Number) }); i >= 0 {
		p.addNamed(f, &all[i])
	}
	if !f.best.Found.IsAuthorised() || wsfev1.IsNote(f.wanted.CbteTipo) {
		return nil
	}
	return p.findNotes(ctx, f)
}

// addNamed adds the vouchers that the invoice names. The CUIT of another issuer may be the receiver's.
func (p *invoicePage) addNamed(f *found, one *referring) {
	for _, reference := range one.references() {
		q, ok := reference.queryOf(f.wanted.Cuit)
		if !ok || len(p.Named) == maxNamed {
			continue
		}
		named := note{Name: f.hide.Text(voucherOf(q))}
		switch {
		case q.Cuit == f.wanted.Cuit && named.Name == voucherOf(q):
			named.Address = p.InvoiceAddress(q.Cuit, q.CbteTipo, q.PtoVta, q.Number)
		case q.Cuit != f.wanted.Cuit && f.hide != nil:
			named.Detail = p.T("hidden")
		case q.Cuit != f.wanted.Cuit:
			named.Address, named.Detail = p.InvoiceAddress(q.Cuit, q.CbteTipo, q.PtoVta, q.Number), spanish.CUIT(q.Cuit)
		}
		p.Named = append(p.Named, named)
	}
}

func voucherOf(q audit.Query) string {
	return spanish.Voucher(q.CbteTipo) + " " + spanish.Number(q.PtoVta, q.Number)
}

// findNotes adds the authorised notes that name the invoice. Nothing leads from an invoice to its notes: the newest
// notes of the same class and point of sale since then are read.
func (p *invoicePage) findNotes(ctx context.Context, f *found) error {
	left := maxNotesRead
	for _, kind := range wsfev1.VoucherTypes() {
		if !wsfev1.IsNote(kind) || wsfev1.ClassOf(kind) != wsfev1.ClassOf(f.wanted.CbteTipo) || wsfev1.IsFCE(kind) != wsfev1.IsFCE(f.wanted.CbteTipo) {
			continue
		}
		query := audit.Query{Cuit: f.wanted.Cuit, PtoVta: f.wanted.PtoVta, CbteTipo: kind, Since: f.best.Found.By.Began}
		for r, err := range audit.SearchLogs(ctx, f.best.source.Store, f.best.source.Logs, query) {
			if err != nil {
				return fmt.Errorf("looking for notes about number %d: %w", f.wanted.Number, err)
			}
			if left == 0 {
				p.NotesCut = true
				return nil
			}
			left--
			if err := p.addNote(ctx, f, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// addNote adds the vouchers of a record that are authorised and name the invoice.
func (p *invoicePage) addNote(ctx context.Context, f *found, r *audit.Record) error {
	if !story.Changes(r) || story.IsRepeat(r) {
		return nil
	}
	x := story.ExchangeOf(r)
	if err := read.AddIntent(ctx, f.best.source.Store, x); err != nil {
		return fmt.Errorf("reading a note about number %d: %w", f.wanted.Number, err)
	}
	for _, one := range bodies.Invoices[referring](x.Request().Request) {
		first := number(one.CbteDesde)
		names := slices.ContainsFunc(one.references(), func(a reference) bool {
			q, ok := a.queryOf(f.wanted.Cuit)
			return ok && flagsOf(q) == flagsOf(f.wanted)
		})
		if !names || !story.Authorises(r, first) {
			continue
		}
		about := audit.Query{Cuit: f.wanted.Cuit, CbteTipo: r.CbteTipo, PtoVta: r.PtoVta, Number: first}
		address := p.InvoiceAddress(about.Cuit, about.CbteTipo, about.PtoVta, about.Number)
		if !slices.ContainsFunc(p.Notes, func(n note) bool { return n.Address == address }) {
			p.Notes = append(p.Notes, note{Name: voucherOf(about), Address: address, Detail: p.Moment(story.Ended(r))})
		}
	}
	return nil
}
