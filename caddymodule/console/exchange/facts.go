package exchange

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/view"
	"github.com/fielato/fielato/caddymodule/console/site"
	"github.com/fielato/fielato/caddymodule/outage"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/caddymodule/spanish"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/wsfev1"
)

// maxLine is how much of a text stands in a line, in bytes.
const maxLine = 500

// clean returns a text as it stands in a line: bounded, and free of what would turn or hide its neighbours.
func (p *exchangePage) clean(text string) string {
	if len(text) > maxLine {
		return view.OneLine(strings.ToValidUTF8(text[:maxLine], "")) + "… (" + spanish.Grouped(strconv.Itoa(len(text))) + " bytes)"
	}
	return view.OneLine(text)
}

// took formats a duration.
func (p *exchangePage) took(d time.Duration) string {
	if p.Lang == "en" {
		return d.Round(time.Millisecond).String()
	}
	return spanish.Duration(d)
}

// codeName names what authorises the invoices of a record.
func (p *exchangePage) codeName(r *audit.Record) string {
	if strings.HasPrefix(r.Operation, "FECAEA") {
		return "CAEA"
	}
	return "CAE"
}

// others counts the codes of a lot beside the first.
func (p *exchangePage) others(r *audit.Record) string {
	n, first := 0, site.CodeOf(r)
	for _, v := range r.Vouchers {
		if v.Code != "" && v.Code != first {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(p.T("and_more"), n)
}

// upstream names the server that was asked.
func (p *exchangePage) upstream(upstream string) string {
	if upstream == trail.BuiltInUpstream {
		return p.T("builtin")
	}
	return p.clean(upstream)
}

// formName names a form on the wire with its media type.
func formName(form, media string) string {
	return strings.TrimSuffix(cmp.Or(map[string]string{audit.FormSOAP11: "SOAP 1.1", audit.FormSOAP12: "SOAP 1.2", audit.FormJSON: "JSON"}[form], form)+", "+media, ", ")
}

// head names the exchange, and says what a reader must know first.
func (p *exchangePage) head(c *chain, about *related) {
	r := c.result()
	p.Heading = p.clean(cmp.Or(site.VouchersOf(r), p.T("kind.inadmissible")))
	p.Outcome, p.Class, p.Code = p.OutcomeOf(r), site.ClassOf(r), p.clean(site.CodeOf(r))
	if p.Code != "" {
		p.Code = p.codeName(r) + " " + p.Code + p.others(r)
	}
	for _, v := range r.Vouchers {
		if v.Expires != "" {
			p.Expires = spanish.Day(wsfev1.Date(p.clean(v.Expires)))
			break
		}
	}
	if isOwn(r) {
		p.Heading = p.T("kind.question") + ": " + p.Heading
		if c.asker != nil {
			p.Notes = append(p.Notes, note{p.T("note.question"), p.AddressOf(c.asker.Log, c.asker.Index), c.asker.Address()})
		}
	}
	p.Title = p.Heading
	p.headNotes(c, about)
}

// headNotes adds what a reader must know first.
func (p *exchangePage) headNotes(c *chain, about *related) {
	r := c.result()
	add := func(key, record string) {
		p.Notes = append(p.Notes, note{p.T("note." + key), p.recordAddress(record), record})
	}
	if r.Upstream == trail.BuiltInUpstream {
		add("builtin", "")
	}
	if c.at.Kind == audit.KindIntent && c.outcome != nil {
		add("intent", c.outcome.Address())
	}
	if c.settlement != nil && c.at != c.settlement {
		add("settled", c.settlement.Address())
	}
	if c.at == c.settlement && c.outcome != nil {
		add("settlement", c.outcome.Address())
	}
	if about.origin != "" {
		add("repeat", about.origin)
	}
	switch {
	case r.Presence == audit.Purged || c.request().Presence == audit.Purged:
		add("purged", "")
	case r.Presence == audit.Sealed || c.request().Presence == audit.Sealed:
		add("sealed", "")
	}
}

// addFact adds a line, unless it says nothing.
func (p *exchangePage) addFact(name, value string) {
	if value != "" {
		p.Facts = append(p.Facts, fact{Name: name, Value: value})
	}
}

func (p *exchangePage) addFacts(c *chain) {
	r := c.result()
	p.addFact(p.T("issuer"), site.IssuerOf(r))
	p.addFact(p.T("operation"), p.clean(r.Operation))
	p.addFact(p.T("certainty"), p.T("certainty."+string(r.Certainty)))
	p.addFact(p.T("client"), p.clean(strings.TrimSpace(c.request().ClientAddress+" "+c.request().ClientIdentity)))
	p.addFact(p.T("upstream"), p.upstream(r.Upstream))
	if r.Duration > 0 {
		p.addFact(p.T("duration"), p.took(r.Duration))
	}
	if r.Status > 0 {
		p.addFact(p.T("status"), "HTTP "+strconv.Itoa(r.Status))
	}
	p.addFact(p.T("node"), p.clean(r.Node))
	p.addFact(p.T("detail"), p.clean(p.mask.Text(r.Detail)))
	p.addFact(p.T("exchange"), p.clean(r.ID))
	if !r.TraceID.IsZero() {
		p.addFact(p.T("trace"), r.TraceID.String())
	}
	if len(r.Vouchers) > 1 {
		_, last := numbersOf(r)
		first, _ := numbersOf(r)
		p.addFact(p.T("lot"), fmt.Sprintf(p.T("lot.of"), spanish.Grouped(strconv.Itoa(len(r.Vouchers))), spanish.Numbers(r.PtoVta, first, last)))
	}
}

// link adds the pages about the same.
func (p *exchangePage) link(c *chain, about *related) {
	add := func(name, text, address string) {
		if address != "" {
			p.Links = append(p.Links, link{name, text, address})
		}
	}
	p.linkProof(c.at)
	record := func(key string, r *audit.Record) {
		if r != nil && r != c.at {
			add(p.T(key), r.Address(), p.AddressOf(r.Log, r.Index))
		}
	}
	record("link.intent", c.intent)
	record("link.outcome", c.outcome)
	record("link.settlement", c.settlement)
	record("link.asker", c.asker)
	add(p.T("link.origin"), about.origin, p.recordAddress(about.origin))
	for _, r := range about.repeats {
		record("link.repeat", r)
	}
	neighbour := func(key string, r *audit.Record) {
		if r != nil {
			add(p.T(key), p.clean(site.VouchersOf(r))+" · "+p.OutcomeOf(r), p.AddressOf(r.Log, r.Index))
		}
	}
	neighbour("link.previous", about.previous)
	neighbour("link.next", about.next)
}

// linkProof adds the page that proves the record.
func (p *exchangePage) linkProof(r *audit.Record) {
	p.Links = append(p.Links, link{p.T("link.proof"), r.Address(), strings.Replace(p.AddressOf(r.Log, r.Index), p.Base+"/exchange/", p.Base+"/proof/", 1)})
}

// showAccess shows a reading of the trail, or what was done to its content.
func (p *exchangePage) showAccess(r *audit.Record) {
	p.Heading = cmp.Or(p.T("access."+r.Outcome), p.T("access."))
	p.Title = p.Heading
	p.addFact(p.T("when"), p.Moment(r.Time))
	p.addFact(p.T("access.who"), p.clean(r.ClientIdentity))
	p.addFact(p.T("access.from"), p.clean(r.ClientAddress))
	p.addFact(p.T("access.what"), p.clean(r.Detail))
	p.addFact(p.T("issuer"), site.IssuerOf(r))
	p.addFact(p.T("node"), p.clean(r.Node))
	switch r.Presence {
	case audit.Purged:
		p.addFact(p.T("access.what"), p.T("purged"))
	case audit.Sealed:
		p.addFact(p.T("access.what"), p.T("sealed"))
	}
	if s := r.Purge; s != nil {
		p.addFact(p.T("purge.before"), s.Before.String())
		p.addFact(p.T("purge.records"), fmt.Sprintf("%s/%d – %s/%d", r.Log, s.First, r.Log, int64(s.Next)-1))
		p.addFact(p.T("purge.count"), spanish.Grouped(strconv.FormatUint(s.Records, 10)))
		p.addFact(p.T("purge.held"), spanish.Grouped(strconv.FormatUint(s.HeldRecords, 10)))
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
		p.addFact(p.T("outage.ended"), p.Moment(endedAt(ended)))
		p.addFact(p.T("duration"), p.took(ended.Duration))
	}
	p.addFact(p.T("upstream"), p.upstream(r.Upstream))
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
	p.addFact(p.T("outage.service"), p.clean(o.Service))
	scope := "outage.everything"
	if o.Scope != "" {
		scope = "outage.changes"
	}
	p.addFact(p.T("outage.scope"), p.T(scope))
	var failures []string
	for _, class := range outcome.FailureClasses {
		if n := o.Failures[class]; n > 0 {
			failures = append(failures, fmt.Sprintf("%d %s", n, cmp.Or(p.T("failure."+string(class)), string(class))))
		}
	}
	p.addFact(p.T("outage.failures"), strings.Join(failures, ", "))
	for _, one := range []struct{ key, record string }{{"outage.first", o.First}, {"outage.last", o.Last}, {"outage.answer", o.Answer}} {
		if one.record != "" {
			p.Facts = append(p.Facts, fact{p.T(one.key), p.clean(one.record), p.recordAddress(one.record)})
		}
	}
}
