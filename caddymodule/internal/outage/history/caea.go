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

// CAEAs returns the CAEA of each issuer that asked for invoices: the newest one that it had got when the outage ended,
// for a fortnight that the outage touches. A CAEA whose fortnight is not kept counts as one of these.
func (o *Outage) CAEAs(ctx context.Context, store audit.Store, logs []string, invoices *Invoices) (all []CAEA, err error) {
	for i, one := range invoices.All {
		if i > 0 && invoices.All[i-1].Cuit == one.Cuit {
			continue
		}
		had, err := o.caeaOf(ctx, store, logs, one.Cuit)
		if err != nil {
			return nil, fmt.Errorf("looking for the CAEA: %w", err)
		}
		all = append(all, had)
	}
	return all, nil
}

// caeaOf looks for the CAEA of one issuer. A repeat got the recorded answer, which proves nothing about when it was given.
func (o *Outage) caeaOf(ctx context.Context, store audit.Store, logs []string, cuit wsfev1.CUIT) (CAEA, error) {
	query := audit.Query{Cuit: cuit, Operation: "FECAEASolicitar", Until: o.Ended, SummaryOnly: true}
	for r, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return CAEA{}, err
		}
		code := story.FirstCode(r)
		if code == "" || story.IsRepeat(r) || story.ClassOf(r) != story.Good || o.isElsewhere(environment.Of(r)) {
			continue
		}
		whole, err := store.Get(ctx, r.Log, r.Index)
		if err != nil {
			return CAEA{}, err
		}
		if o.isIn(whole.Answer) {
			return CAEA{cuit, code, r.Time, story.Place{Log: r.Log, Index: r.Index}}, nil
		}
	}
	return CAEA{Cuit: cuit}, nil
}

// isIn reports whether the outage touches the fortnight of a CAEA, by the answer that gave it, or may touch it.
func (o *Outage) isIn(answer []byte) bool {
	var given struct {
		ResultGet struct {
			Periodo int32
			Orden   int16
		}
	}
	if json.Unmarshal(answer, &given) != nil {
		return true
	}
	fortnight, known := wsfev1.FortnightOf(given.ResultGet.Periodo, given.ResultGet.Orden)
	return !known || (o.Lasts() || wsfev1.DateOf(o.Ended) >= fortnight.From) && wsfev1.DateOf(o.Began) <= fortnight.To
}
