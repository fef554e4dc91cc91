package exchange

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// maxAttempts is how many earlier attempts are linked.
const maxAttempts = 5

// findAttempts finds what other exchanges made of the same number: the one that authorised it, where this
// exchange did not, else the earlier ones that did not.
func (a *related) findAttempts(ctx context.Context, source *site.Source, c *chain) error {
	r := c.result()
	if isOwn(r) || isRepeat(r) || r.Cuit == 0 || r.PtoVta == 0 || r.CbteTipo == 0 || !changes(r) {
		return nil
	}
	number, authorised := numberOf(c)
	if number == 0 {
		return nil
	}
	a.number = number
	if authorised {
		return a.findRefused(ctx, source, c)
	}
	found, err := invoiceAt(ctx, source, r, number)
	if err == nil && found != nil && found.ID != r.ID && isAuthorised(found, number) {
		a.approved = found
	}
	return err
}

// numberOf returns the number of an exchange that other exchanges may have been about: the first that it
// did not authorise, else the first. authorised reports which of the two.
func numberOf(c *chain) (number int64, authorised bool) {
	for _, v := range c.request().Vouchers {
		if v.CbteDesde <= 0 {
			continue
		}
		if !slices.ContainsFunc(c.all(), func(r *audit.Record) bool { return isAuthorised(r, v.CbteDesde) }) {
			return v.CbteDesde, false
		}
		if number == 0 {
			number = v.CbteDesde
		}
	}
	return number, number > 0
}

// findRefused finds the earlier exchanges that did not authorise the number, newest first, one more than is
// shown.
func (a *related) findRefused(ctx context.Context, source *site.Source, c *chain) error {
	r := c.request()
	seen, looked := map[string]bool{r.ID: true}, 0
	query := audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: a.number, Until: r.Time.Add(time.Microsecond)}
	for one, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return fmt.Errorf("looking for earlier attempts at number %d: %w", a.number, err)
		}
		if one.Kind != audit.KindIntent && changes(one) && !isOwn(one) && !isRepeat(one) && !seen[one.ID] {
			seen[one.ID] = true
			if !isAuthorised(one, a.number) {
				a.refused = append(a.refused, one)
			}
		}
		if looked++; len(a.refused) > maxAttempts || looked == maxLooked {
			break
		}
	}
	return nil
}

// changes reports whether a record is about an operation that changes something at the authority.
func changes(r *audit.Record) bool {
	op := wsfev1.OperationByName(r.Operation)
	return op != nil && op.Effect == wsfev1.EffectChanges
}

// isRepeat reports whether a record gives the answer of another one again.
func isRepeat(r *audit.Record) bool {
	return r.Decision == audit.DecisionReplay || r.Decision == audit.DecisionCache
}

// noteAttempts says what other exchanges made of the same number.
func (p *exchangePage) noteAttempts(c *chain, about *related) {
	number := spanish.Number(c.request().PtoVta, about.number)
	if r := about.approved; r != nil {
		key := "note.approved"
		if endedAt(r).Before(c.request().Time) {
			key = "note.approved_before"
		}
		text := fmt.Sprintf(p.T(key), number, p.Moment(endedAt(r)))
		p.Notes = append(p.Notes, note{text, p.AddressOf(r.Log, r.Index), p.verdict(r)})
	}
	if len(about.refused) == 0 {
		return
	}
	text := fmt.Sprintf(p.T("note.attempts"), len(about.refused), number)
	switch n := len(about.refused); {
	case n == 1:
		text = fmt.Sprintf(p.T("note.attempt"), number)
	case n > maxAttempts:
		text = fmt.Sprintf(p.T("note.attempts_more"), maxAttempts, number)
	}
	newest := about.refused[0]
	p.Notes = append(p.Notes, note{text, p.AddressOf(newest.Log, newest.Index), p.attempt(newest)})
}

// linkAttempts adds the earlier attempts.
func (p *exchangePage) linkAttempts(about *related) {
	for _, r := range about.refused[:min(len(about.refused), maxAttempts)] {
		p.Links = append(p.Links, link{p.T("link.attempt"), p.attempt(r), p.AddressOf(r.Log, r.Index)})
	}
}

// attempt names an attempt by its moment and outcome.
func (p *exchangePage) attempt(r *audit.Record) string {
	return p.Moment(r.Time) + " · " + p.OutcomeOf(r)
}
