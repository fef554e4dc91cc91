package closing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// resolve finds the invoices of settled lots by their requests. If a request is in a log that the
// store does not have, the invoices of its lot are in no sum: neither their numbers nor their amounts are known.
func (f *finder) resolve(ctx context.Context) error {
	seen := map[story.Place]bool{} // two of the searches may find the same settlement
	for _, lot := range f.lots {
		at := story.Place{Log: f.logs[lot.log], Index: lot.index}
		if seen[at] {
			continue
		}
		seen[at] = true
		intent, err := f.store.Get(ctx, f.logs[lot.source], lot.request)
		switch {
		case errors.Is(err, audit.ErrNotFound):
			if f.mayHave(&lot) {
				f.reading.LotsElsewhere++
			}
			continue
		case damage.Is(err):
			f.reading.Damaged++
			continue
		case err != nil:
			return fmt.Errorf("reading the request of %s: %w", at.Address(), err)
		}
		lot.series = f.seriesOf(Series{f.series[lot.series].Environment, intent.Cuit, intent.CbteTipo, intent.PtoVta})
		for _, v := range intent.Vouchers {
			if one := lot; 0 < v.CbteDesde && v.CbteDesde <= v.CbteHasta {
				one.first, one.last = v.CbteDesde, v.CbteHasta
				f.found = append(f.found, one)
			}
		}
	}
	f.lots = nil
	return nil
}

// mayHave reports whether the invoices of a settled lot may be of the month. Their dates are only in the request,
// and may be long before the settlement.
func (f *finder) mayHave(lot *found) bool {
	since, until := f.wanted.Month.Bounds()
	at := time.UnixMicro(lot.micros)
	return f.wanted.By != ByAuthorised || !at.Before(since) && at.Before(until)
}

// place finds the services of invoices whose own record does not tell, as settlements of builds before 2026-12.
// One that no other record tells either is Another.
func (f *finder) place(ctx context.Context) error {
	known := map[story.Place]environment.Environment{}
	for i := range f.found {
		one := &f.found[i]
		series := f.series[one.series]
		if series.Environment != "" {
			continue
		}
		at := story.Place{Log: f.logs[one.log], Index: one.index}
		of, ok := known[at]
		if !ok {
			r, err := f.store.Get(ctx, at.Log, at.Index)
			if err == nil {
				of, err = environment.Find(ctx, f.store, r)
			}
			if err != nil && !damage.Is(err) {
				return fmt.Errorf("finding the service of %s: %w", at.Address(), err)
			}
			if of == "" {
				of = environment.Another
			}
			known[at] = of
		}
		series.Environment = of
		one.series = f.seriesOf(series)
	}
	return nil
}
