package exchange

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/wsfev1"
)

// How many records are read to find related ones.
const (
	maxRepeats  = 20
	maxLooked   = 50
	maxOutages  = 40
	maxSameName = 20
)

// related is what else belongs to an exchange.
type related struct {
	// origin is the address of the record whose answer was given again; empty for none.
	origin string
	// repeats are the requests that got the answer of this one again, newest first.
	repeats []*audit.Record
	// previous and next are about the neighbours in the series.
	previous, next *audit.Record
	outages        []gap
	// number is one of the exchange. approved is about another exchange, which authorised it; refused are
	// about earlier ones that did not, where this exchange did.
	number   int64
	approved *audit.Record
	refused  []*audit.Record
}

// gap is an outage that an exchange fell into. ended is nil while it lasts.
type gap struct{ began, ended *audit.Record }

// relatedTo looks for what belongs to an exchange.
func relatedTo(ctx context.Context, source *site.Source, c *chain) (*related, error) {
	a := &related{origin: originOf(c.at)}
	for _, look := range []func(context.Context, *site.Source, *chain) error{a.findRepeats, a.findNeighbours, a.findAttempts, a.findOutages} {
		if err := look(ctx, source, c); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// originPattern is how records of builds before 2026-12 name the one whose answer was given again.
var originPattern = regexp.MustCompile(`^answered as (?:record )?([^\s/]+)/(\d+)(?:,|$)`)

// originOf returns the address of the record whose answer a record gives again; empty for none.
func originOf(r *audit.Record) string {
	if r.Decision != audit.DecisionReplay && r.Decision != audit.DecisionCache {
		return ""
	}
	if r.Origin != "" {
		return r.Origin
	}
	if found := originPattern.FindStringSubmatch(r.Detail); found != nil {
		return found[1] + "/" + found[2]
	}
	return ""
}

// findRepeats finds the repeats: they are about the same invoices and have the fingerprint of what came or of what was sent.
func (a *related) findRepeats(ctx context.Context, source *site.Source, c *chain) error {
	r := c.request()
	query := audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Operation: r.Operation, Decision: audit.DecisionReplay}
	first, _ := numbersOf(r)
	switch {
	case isOwn(r) || r.Decision == audit.DecisionReplay || r.Fingerprint == ([16]byte{}) || r.Cuit == 0:
		return nil
	case first > 0:
		query.Number = first
	case site.CodeOf(c.result()) != "":
		query.Code = site.CodeOf(c.result())
	default:
		return nil
	}
	looked := 0
	for one, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return fmt.Errorf("looking for repeats: %w", err)
		}
		if one.ID != r.ID && (one.Fingerprint == r.Fingerprint || one.Fingerprint == r.SentFingerprint) {
			a.repeats = append(a.repeats, one)
		}
		if looked++; len(a.repeats) == maxRepeats || looked == maxLooked {
			break
		}
	}
	return nil
}

// numbersOf returns the first and the last number of a record's invoices, 0 for none.
func numbersOf(r *audit.Record) (first, last int64) {
	for _, v := range r.Vouchers {
		if v.CbteDesde > 0 && (first == 0 || v.CbteDesde < first) {
			first = v.CbteDesde
		}
		last = max(last, v.CbteHasta)
	}
	return first, last
}

// findNeighbours finds the invoices before and after in the series.
func (a *related) findNeighbours(ctx context.Context, source *site.Source, c *chain) (err error) {
	first, last := numbersOf(c.at)
	if first == 0 || c.at.Cuit == 0 || c.at.PtoVta == 0 || c.at.CbteTipo == 0 {
		return nil
	}
	if first > 1 {
		if a.previous, err = invoiceAt(ctx, source, c.at, first-1); err != nil {
			return err
		}
	}
	a.next, err = invoiceAt(ctx, source, c.at, last+1)
	return err
}

// invoiceAt returns the record that shows best what became of a number of the same series: the one that
// authorised it, else the newest that tried; nil for none.
func invoiceAt(ctx context.Context, source *site.Source, of *audit.Record, number int64) (best *audit.Record, err error) {
	looked := 0
	query := audit.Query{Cuit: of.Cuit, PtoVta: of.PtoVta, CbteTipo: of.CbteTipo, Number: number}
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for number %d of the series: %w", number, err)
		}
		if changes(r) && r.Decision != audit.DecisionReplay && isAuthorised(r, number) {
			return r, nil
		}
		if best == nil && changes(r) {
			best = r
		}
		if looked++; looked == maxSameName {
			break
		}
	}
	return best, nil
}

// isAuthorised reports whether a record authorises the invoice with this number.
func isAuthorised(r *audit.Record, number int64) bool {
	for _, v := range r.Vouchers {
		if v.CbteDesde <= number && number <= v.CbteHasta && v.Resultado == wsfev1.Aprobado && v.Code != "" {
			return true
		}
	}
	return false
}

// findOutages finds the outages that the exchange fell into: the outages in its log that had begun before
// it ended, and had not ended before it began.
func (a *related) findOutages(ctx context.Context, source *site.Source, c *chain) error {
	if !feelsOutage(c) {
		return nil
	}
	began, ended := c.request().Time, endOf(c)
	seen, looked := map[string]*audit.Record{}, 0
	for r, err := range source.Store.Search(ctx, audit.Query{Log: c.request().Log, Kind: audit.KindOutage, Until: ended.Add(time.Microsecond)}) {
		if err != nil {
			return fmt.Errorf("looking for outages: %w", err)
		}
		if r.Outcome == outage.Ended {
			seen[r.ID] = r
		} else if end := seen[r.ID]; end == nil || !endedAt(end).Before(began) {
			a.outages = append(a.outages, gap{r, end})
		}
		if looked++; looked == maxOutages {
			break
		}
	}
	return nil
}

// endedAt returns when a record was made.
func endedAt(r *audit.Record) time.Time { return r.Time.Add(r.Duration) }

// endOf returns when the newest record of the exchange was made.
func endOf(c *chain) (last time.Time) {
	for _, r := range c.all() {
		if at := endedAt(r); at.After(last) {
			last = at
		}
	}
	return last
}

// feelsOutage reports whether it matters to the exchange that the service does not answer.
func feelsOutage(c *chain) bool {
	r := c.result()
	switch r.Outcome {
	case audit.OutcomeOutage, audit.OutcomeUnsettled, audit.OutcomeNotSent, audit.OutcomeRecovered, audit.OutcomeNotIssued, audit.OutcomeUnknown, audit.OutcomeUpstreamError:
		return true
	}
	return r.Certainty == audit.Unknown
}

// recordAddress reads the address of a record, log/index.
func (p *exchangePage) recordAddress(address string) string {
	for i := len(address) - 1; i > 0; i-- {
		if address[i] == '/' {
			if index, err := strconv.ParseUint(address[i+1:], 10, 64); err == nil {
				return p.AddressOf(address[:i], index)
			}
			break
		}
	}
	return ""
}
