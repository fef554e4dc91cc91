package exchange

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// head names the exchange, and says what a reader must know first.
func (p *exchangePage) head(c *story.Exchange, about *related) {
	r := c.Result()
	p.Heading = story.Clean(p.voice.Vouchers(r))
	if p.Heading == r.Address() {
		p.Heading = p.T("kind.inadmissible")
	}
	p.Outcome, p.Class, p.Code = p.voice.Outcome(r), story.ClassOf(r), p.voice.Authorisation(r)
	for _, v := range r.Vouchers {
		if v.Expires != "" {
			p.Expires = story.Clean(spanish.Day(wsfev1.Date(p.mask.Code(v.Expires))))
			break
		}
	}
	if story.IsQuestion(r) {
		p.Heading = p.T("kind.question") + ": " + p.Heading
		if c.Asker != nil {
			p.Notes = append(p.Notes, note{p.T("note.question"), p.AddressOf(c.Asker.Log, c.Asker.Index), c.Asker.Address()})
		}
	}
	p.Title = p.Heading
	p.headNotes(c, about)
}

// headNotes adds what a reader must know first.
func (p *exchangePage) headNotes(c *story.Exchange, about *related) {
	for _, one := range p.voice.Notes(c) {
		p.Notes = append(p.Notes, note{one.Text, p.recordAddress(one.Record), one.Record})
	}
	p.noteAttempts(c, about)
	if missing := c.Missing(); missing != audit.Present {
		p.Notes = append(p.Notes, note{Text: p.T("note." + missing.String())})
	}
}

// addFact adds a line, unless it says nothing.
func (p *exchangePage) addFact(name, value string) {
	if value != "" {
		p.Facts = append(p.Facts, fact{Name: name, Value: value})
	}
}

func (p *exchangePage) addFacts(c *story.Exchange) {
	r := c.Result()
	p.addFact(p.T("issuer"), story.IssuerOf(r))
	p.addFact(p.T("operation"), p.voice.Quoted(r.Operation))
	p.addFact(p.T("certainty"), p.T("certainty."+string(r.Certainty)))
	p.addFact(p.T("client"), p.voice.Client(c.Request()))
	p.addFact(p.T("upstream"), p.voice.Upstream(r))
	p.addFact(p.T("environment"), p.voice.Environment(cmp.Or(environment.Of(r), environment.Of(c.Request()))))
	if r.Duration > 0 {
		p.addFact(p.T("duration"), p.voice.Duration(r.Duration))
	}
	if r.Status > 0 {
		p.addFact(p.T("status"), "HTTP "+strconv.Itoa(r.Status))
	}
	p.addFact(p.T("node"), story.Clean(r.Node))
	p.addFact(p.T("detail"), p.voice.Quoted(r.Detail))
	p.addFact(p.T("exchange"), story.Clean(r.ID))
	if !r.TraceID.IsZero() {
		p.addFact(p.T("trace"), r.TraceID.String())
	}
	p.addFact(p.T("lot"), p.voice.Lot(r))
}

// link adds the pages about the same.
func (p *exchangePage) link(c *story.Exchange, about *related) {
	add := func(name, text, address string) {
		if address != "" {
			p.Links = append(p.Links, link{name, text, address})
		}
	}
	if len(c.Request().Vouchers) == 1 {
		add(p.T("link.invoice"), p.voice.Vouchers(c.Request()), p.invoicePage(c, 0))
	}
	p.linkProof(c.At)
	record := func(key string, r *audit.Record) {
		if r != nil && r != c.At {
			add(p.T(key), r.Address(), p.AddressOf(r.Log, r.Index))
		}
	}
	record("link.intent", c.Intent)
	record("link.outcome", c.Outcome)
	record("link.settlement", c.Settlement)
	record("link.asker", c.Asker)
	add(p.T("link.origin"), about.origin, p.recordAddress(about.origin))
	for _, r := range about.Repeats {
		record("link.repeat", r)
	}
	p.linkAttempts(about)
	neighbour := func(key string, r *audit.Record) {
		if r != nil {
			add(p.T(key), story.Clean(p.voice.Vouchers(r))+" · "+p.voice.Outcome(r), p.AddressOf(r.Log, r.Index))
		}
	}
	neighbour("link.previous", about.previous)
	neighbour("link.next", about.next)
}

// linkProof adds the page that proves the record.
func (p *exchangePage) linkProof(r *audit.Record) {
	p.Proof = strings.Replace(p.AddressOf(r.Log, r.Index), p.Base+"/exchange/", p.Base+"/proof/", 1)
	p.Links = append(p.Links, link{p.T("link.proof"), r.Address(), p.Proof})
}
