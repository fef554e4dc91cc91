package today

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
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

// tellOutages adds the outages of the day, and returns how many fell into it.
func (p *todayPage) tellOutages(ctx context.Context, sources []site.Source, day time.Time) (int, error) {
	told := 0
	for _, source := range sources {
		all, err := history.Read(ctx, source.Store, source.Logs, day, day.AddDate(0, 0, 1))
		if err != nil {
			return 0, err
		}
		for _, o := range all {
			if told++; told > maxOutages {
				p.Remarks = append(p.Remarks, remark{p.T("outages.more"), p.Base + "/outages?month=" + day.Format("2006-01")})
				return told, nil
			}
			text := fmt.Sprintf(p.T("outages.since"), p.Moment(o.Began))
			if !o.Lasts() {
				text = fmt.Sprintf(p.T("outages.was"), p.Moment(o.Began), p.Moment(o.Ended), spanish.Duration(o.Length()))
			}
			p.Remarks = append(p.Remarks, remark{text, p.AddressOfOutage(source.Key(o.Record.Log), o.Record.Index)})
		}
	}
	if told == 0 {
		p.Remarks = append(p.Remarks, remark{Text: p.T("outages.none")})
	}
	return told, nil
}
