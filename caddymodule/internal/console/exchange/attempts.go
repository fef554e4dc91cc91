package exchange

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// maxAttempts is how many earlier attempts are linked.
const maxAttempts = 5

// findAttempts finds what other exchanges made of the same number: the one that authorised it, where this
// exchange did not, else the earlier ones that did not.
func (a *related) findAttempts(ctx context.Context, source *site.Source, c *story.Exchange) error {
	r := c.Result()
	if story.IsQuestion(r) || story.IsRepeat(r) || r.Cuit == 0 || r.PtoVta == 0 || r.CbteTipo == 0 || !story.Changes(r) {
		return nil
	}
	number, authorised := c.Number()
	if number == 0 {
		return nil
	}
	a.number = number
	if authorised {
		return a.findRefused(ctx, source, c)
	}
	found, err := invoiceAt(ctx, source, r, number)
	if err == nil && found != nil && found.ID != r.ID && story.Authorises(found, number) {
		a.approved = found
	}
	return err
}

// findRefused finds the earlier exchanges that did not authorise the number, newest first, one more than is
// shown.
func (a *related) findRefused(ctx context.Context, source *site.Source, c *story.Exchange) error {
	r := c.Request()
	seen, looked := map[string]bool{r.ID: true}, 0
	query := audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: a.number, Until: r.Time.Add(time.Microsecond)}
	for one, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return fmt.Errorf("looking for earlier attempts at number %d: %w", a.number, err)
		}
		if one.Kind != audit.KindIntent && story.Changes(one) && !story.IsQuestion(one) && !story.IsRepeat(one) && !seen[one.ID] {
			seen[one.ID] = true
			if !story.Authorises(one, a.number) {
				a.refused = append(a.refused, one)
			}
		}
		if looked++; len(a.refused) > maxAttempts || looked == maxLooked {
			break
		}
	}
	return nil
}

// noteAttempts says what other exchanges made of the same number.
func (p *exchangePage) noteAttempts(c *story.Exchange, about *related) {
	number := spanish.Number(c.Request().PtoVta, about.number)
	if r := about.approved; r != nil {
		key := "note.approved"
		if story.Ended(r).Before(c.Request().Time) {
			key = "note.approved_before"
		}
		text := fmt.Sprintf(p.T(key), number, p.Moment(story.Ended(r)))
		p.Notes = append(p.Notes, note{text, p.AddressOf(r.Log, r.Index), p.voice.Verdict(r)})
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
	return p.Moment(r.Time) + " · " + p.voice.Outcome(r)
}
