package exchange

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// showAccess shows a reading of the trail, or what was done to its content.
func (p *exchangePage) showAccess(r *audit.Record) {
	p.Heading = cmp.Or(p.T("access."+string(r.Outcome)), p.T("access."))
	p.Title = p.Heading
	who, way := r.Reader()
	p.addFact(p.T("when"), p.Moment(r.Time))
	if r.Duration > 0 && r.Outcome == "" {
		p.addFact(p.T("access.until"), p.Moment(story.Ended(r)))
	}
	p.addFact(p.T("access.who"), story.Clean(who))
	p.addFact(p.T("access.way"), p.T("access.way."+string(way)))
	p.addFact(p.T("access.from"), story.Clean(r.ClientAddress))
	p.addFact(p.T("access.what"), story.Clean(p.mask.Numbers(r.Detail)))
	p.addFact(p.T("issuer"), story.IssuerOf(r))
	p.addFact(p.T("node"), story.Clean(r.Node))
	switch r.Presence {
	case audit.Purged:
		p.addFact(p.T("access.what"), p.T("purged"))
	case audit.Sealed:
		p.addFact(p.T("access.what"), p.T("sealed"))
	}
	if r.IsTableOfClients() && r.Presence == audit.Present {
		p.addFact(p.T("access.table"), cmp.Or(story.Clean(string(r.Request)), p.T("access.no_table")))
	}
	if s := r.Purge; s != nil {
		p.addFact(p.T("purge.before"), s.Before.String())
		p.addFact(p.T("purge.records"), fmt.Sprintf("%s/%d – %s/%d", r.Log, s.First, r.Log, int64(s.Next)-1))
		p.addFact(p.T("purge.count"), p.Count(int64(s.Records)))
		p.addFact(p.T("purge.held"), p.Count(int64(s.HeldRecords)))
		if s.Retention != nil {
			p.addFact(p.T("purge.retention"), strconv.FormatUint(s.Retention.Years, 10))
			p.addFact(p.T("purge.override"), story.Clean(s.Retention.Override))
		}
	}
	p.linkProof(r)
}

// showOutage shows a time in which the service did not answer.
func (p *exchangePage) showOutage(ctx context.Context, source *site.Source, r *audit.Record) error {
	p.Heading = p.T("kind.outage")
	p.Title = p.Heading
	began, ended := r, r
	for one, err := range source.Store.Search(ctx, audit.Query{Log: r.Log, ID: r.ID, Kind: audit.KindOutage, Limit: 2}) {
		if err != nil {
			return fmt.Errorf("looking for the other record of the outage: %w", err)
		}
		if one.Outcome == outage.Ended {
			ended = one
		} else {
			began = one
		}
	}
	p.addFact(p.T("outage.began"), p.Moment(began.Time))
	p.Outcome, p.Class = p.T("outage.lasts"), "open"
	if ended.Outcome == outage.Ended {
		p.Outcome, p.Class = p.T("outage.over"), "good"
		p.addFact(p.T("outage.ended"), p.Moment(story.Ended(ended)))
		p.addFact(p.T("duration"), p.voice.Duration(ended.Duration))
	}
	p.addFact(p.T("upstream"), p.voice.Upstream(r))
	if r.Presence != audit.Present {
		p.addFact(p.T("detail"), p.T(r.Presence.String()))
	} else if o, err := outage.Read(ended); err == nil {
		p.addOutageEvidence(o)
	}
	p.linkProof(r)
	for key, one := range map[string]*audit.Record{"outage.began": began, "outage.ended": ended} {
		if one.Index != r.Index {
			p.Links = append(p.Links, link{p.T(key), one.Address(), p.AddressOf(one.Log, one.Index)})
		}
	}
	p.Links = append(p.Links, link{p.T("link.outages"), p.T("nav.outages"), p.Base + "/outages"})
	return nil
}

// addOutageEvidence adds what shows that the service did not answer.
func (p *exchangePage) addOutageEvidence(o *outage.Incident) {
	p.addFact(p.T("outage.service"), story.Clean(o.Service))
	scope := "outage.everything"
	if o.Scope != "" {
		scope = "outage.changes"
	}
	p.addFact(p.T("outage.scope"), p.T(scope))
	var failures []string
	for _, class := range audit.FailureClasses {
		if n := o.Failures[class]; n > 0 {
			failures = append(failures, fmt.Sprintf("%d %s", n, cmp.Or(p.T("failure."+string(class)), string(class))))
		}
	}
	p.addFact(p.T("outage.failures"), strings.Join(failures, ", "))
	for _, one := range []struct{ key, record string }{{"outage.first", o.First}, {"outage.last", o.Last}, {"outage.answer", o.Answer}} {
		if one.record != "" {
			p.Facts = append(p.Facts, fact{p.T(one.key), story.Clean(one.record), p.recordAddress(one.record)})
		}
	}
}
