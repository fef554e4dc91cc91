package today

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

// maxOutages bounds the outages of a day that are told.
const maxOutages = 10

// readOutages adds the outages that last.
func (p *todayPage) readOutages(sources []site.Source) {
	for _, source := range sources {
		if source.Trail == nil {
			continue
		}
		for _, o := range source.Trail.Outages() {
			text := p.Plural(o.Failures, "need.outage")
			if since, err := time.Parse(time.RFC3339, o.Since); err == nil {
				text += " " + p.Moment(since)
			}
			p.need(o.Failures, "bad", strings.TrimSpace(text), p.Base+"/outages")
		}
	}
}

// tellOutages adds the day's outages that are over: they need nobody any more.
func (p *todayPage) tellOutages(ctx context.Context, sources []site.Source, day time.Time) error {
	seen := map[string]bool{}
	for _, source := range sources {
		query := audit.Query{Kind: audit.KindOutage, Since: day, Until: day.AddDate(0, 0, 1)}
		for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
			if err != nil {
				return fmt.Errorf("searching for outages: %w", err)
			}
			id := source.Key(r.Log) + "/" + r.ID
			if seen[id] {
				continue // the record of its beginning, which comes behind the record of its end
			}
			if seen[id] = true; len(seen) > maxOutages {
				p.Remarks = append(p.Remarks, remark{p.T("outages.more"), p.Base + "/outages"})
				return nil
			}
			if r.Outcome == outage.Ended {
				text := fmt.Sprintf(p.T("outages.was"), p.Moment(r.Time), p.Moment(r.Time.Add(r.Duration)), spanish.Duration(r.Duration))
				p.Remarks = append(p.Remarks, remark{text, p.Base + "/outages"})
			}
		}
	}
	if len(seen) == 0 {
		p.Remarks = append(p.Remarks, remark{Text: p.T("outages.none")})
	}
	return nil
}
