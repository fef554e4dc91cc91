package invoice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/standing"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// The largest numbers of the contract.
const (
	maxType   = 999
	maxPtoVta = 99_999
	maxNumber = 99_999_999
)

// queryOf reads the invoice that the path of a page names.
func queryOf(r *http.Request) (audit.Query, error) {
	cuit, err := wsfev1.ParseCUIT(r.PathValue("cuit"))
	if err != nil {
		return audit.Query{}, site.ErrNotFound
	}
	wanted := audit.Query{Cuit: cuit, Limit: standing.MaxExchanges + 1}
	for _, part := range []struct {
		name string
		most uint64
		set  func(uint64)
	}{
		{"tipo", maxType, func(n uint64) { wanted.CbteTipo = int32(n) }},
		{"ptovta", maxPtoVta, func(n uint64) { wanted.PtoVta = int32(n) }},
		{"nro", maxNumber, func(n uint64) { wanted.Number = int64(n) }},
	} {
		n, err := strconv.ParseUint(r.PathValue(part.name), 10, 32)
		if err != nil || n == 0 || n > part.most {
			return audit.Query{}, site.ErrNotFound
		}
		part.set(n)
	}
	return wanted, nil
}

// flagsOf names an invoice as the flags of the command do.
func flagsOf(q audit.Query) string {
	return fmt.Sprintf("--cuit %d --pto-vta %d --cbte-tipo %d --nro %d", int64(q.Cuit), q.PtoVta, q.CbteTipo, q.Number)
}

// part is what one source has about the invoice.
type part struct {
	*evidence.Sheet
	source *site.Source
}

// found is what all sources have about the invoice.
type found struct {
	wanted audit.Query
	parts  []part
	// best is the part whose state counts, nil where no source has anything.
	best *part
	// hide hides the documents that any of the exchanges holds; nil hides nothing.
	hide    *mask.Mask
	tooMany bool
}

// findIn reads the invoice from the sources. masks: documents of receivers are hidden.
func findIn(ctx context.Context, sources []site.Source, wanted audit.Query, masks bool) (*found, error) {
	f := &found{wanted: wanted}
	for i := range sources {
		sheet, err := evidence.SheetOf(ctx, sources[i].Store, sources[i].Logs, wanted)
		switch {
		case errors.Is(err, evidence.ErrTooMany):
			f.tooMany = true
		case errors.Is(err, evidence.ErrNone):
		case err != nil:
			return nil, err
		default:
			f.parts = append(f.parts, part{sheet, &sources[i]})
		}
	}
	for i := range f.parts {
		if f.best == nil || standing.Compare(&f.parts[i].Standing, &f.best.Standing) < 0 {
			f.best = &f.parts[i]
		}
	}
	if masks {
		return f, f.collect(ctx)
	}
	return f, nil
}

// collect makes the mask. Sentences quote any of the exchanges, so it needs the documents of all.
func (f *found) collect(ctx context.Context) error {
	var all []*audit.Record
	for _, part := range f.parts {
		for _, s := range part.Invoice.Entries {
			for _, at := range []story.Place{s.Place, s.Intent} {
				if at.Log == "" {
					continue
				}
				r, err := part.source.Store.Get(ctx, at.Log, at.Index)
				if err != nil && !errors.Is(err, damage.ErrMissed) && (at != s.Intent || !errors.Is(err, audit.ErrNotFound)) {
					return fmt.Errorf("reading record %s: %w", at.Address(), err)
				}
				if err == nil {
					all = append(all, r)
				}
			}
		}
	}
	f.hide = mask.Of(f.wanted.Cuit, all...)
	return nil
}
