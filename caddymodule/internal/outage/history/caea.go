package history

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// CAEA is a CAEA that an issuer had in an outage.
type CAEA struct {
	Cuit wsfev1.CUIT
	// Code is empty if no request for one is on record.
	Code string
	When time.Time
	By   story.Place
}

// CAEAs returns the CAEA of each issuer that asked for invoices: of each fortnight that the outage touches the newest one
// that it had got when the outage ended. One whose fortnight is not kept may be of any. An issuer without has one entry
// without a Code. cuits are issuers whose CAEA is told too if they asked for none, as one that issued under it from the
// first minute on.
func (o *Outage) CAEAs(ctx context.Context, store audit.Store, logs []string, invoices *Invoices, cuits ...wsfev1.CUIT) (all []CAEA, err error) {
	asked := map[wsfev1.CUIT]bool{}
	for _, one := range invoices.All {
		if !asked[one.Cuit] {
			asked[one.Cuit] = true
			cuits = append(cuits, one.Cuit)
		}
	}
	seen := map[wsfev1.CUIT]bool{}
	for _, cuit := range cuits {
		if seen[cuit] {
			continue
		}
		seen[cuit] = true
		had, err := o.caeasOf(ctx, store, logs, cuit)
		switch {
		case err != nil:
			return nil, fmt.Errorf("looking for the CAEA: %w", err)
		case len(had) == 0 && asked[cuit]:
			had = []CAEA{{Cuit: cuit}}
		}
		all = append(all, had...)
	}
	return all, nil
}

// earliest is how long before an outage the CAEA of a fortnight that it touches may have been asked for, and some days.
const earliest = 31 * 24 * time.Hour

// caeasOf looks for the CAEAs of one issuer. A repeat got the recorded answer, which proves nothing about when it was given.
func (o *Outage) caeasOf(ctx context.Context, store audit.Store, logs []string, cuit wsfev1.CUIT) (had []CAEA, err error) {
	query := audit.Query{Cuit: cuit, Operation: "FECAEASolicitar", Since: o.Began.Add(-earliest), Until: o.Ended, SummaryOnly: true}
	seen := map[wsfev1.Fortnight]bool{}
	for r, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, err
		}
		code := story.FirstCode(r)
		if code == "" || story.IsRepeat(r) || story.ClassOf(r) != story.Good || o.isElsewhere(environment.Of(r)) {
			continue
		}
		whole, err := store.Get(ctx, r.Log, r.Index)
		if err != nil {
			return nil, err
		}
		if of, touches := o.fortnight(whole.Answer); touches && !seen[of] {
			seen[of] = true
			had = append(had, CAEA{cuit, code, r.Time, story.Place{Log: r.Log, Index: r.Index}})
		}
	}
	return had, nil
}

// fortnight returns the fortnight of a CAEA, by the answer that gave it, and whether the outage touches it, or may touch it.
func (o *Outage) fortnight(answer []byte) (of wsfev1.Fortnight, touches bool) {
	var given struct {
		ResultGet struct {
			Periodo int32
			Orden   int16
		}
	}
	if json.Unmarshal(answer, &given) != nil {
		return of, true
	}
	of, known := wsfev1.FortnightOf(given.ResultGet.Periodo, given.ResultGet.Orden)
	return of, !known || (o.Lasts() || wsfev1.DateOf(o.Ended) >= of.From) && wsfev1.DateOf(o.Began) <= of.To
}
