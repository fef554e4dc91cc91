package exchange

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/trail"
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

// quoted is clean for the service's own texts, without the documents that they repeat.
func (p *exchangePage) quoted(text string) string { return p.clean(p.mask.Text(text)) }

// authorisation returns a CAE or CAEA: fourteen digits, unless the service has said something else.
func (p *exchangePage) authorisation(code string) string {
	return p.clean(p.mask.Code(code))
}

// client names who has sent a request.
func (p *exchangePage) client(r *audit.Record) string {
	return strings.TrimSpace(p.clean(r.ClientAddress) + " " + p.quoted(r.ClientIdentity))
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
	p.Heading = p.clean(site.MaskedVouchersOf(r, p.mask))
	if p.Heading == r.Address() {
		p.Heading = p.T("kind.inadmissible")
	}
	p.Outcome, p.Class, p.Code = p.OutcomeOf(r), site.ClassOf(r), p.authorisation(site.CodeOf(r))
	if p.Code != "" {
		p.Code = p.codeName(r) + " " + p.Code + p.others(r)
	}
	for _, v := range r.Vouchers {
		if v.Expires != "" {
			p.Expires = p.clean(spanish.Day(wsfev1.Date(p.mask.Code(v.Expires))))
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
		add(noteBuiltIn(r), "")
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
	p.noteAttempts(c, about)
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
	p.addFact(p.T("operation"), p.quoted(r.Operation))
	p.addFact(p.T("certainty"), p.T("certainty."+string(r.Certainty)))
	p.addFact(p.T("client"), p.client(c.request()))
	p.addFact(p.T("upstream"), p.upstream(r.Upstream))
	if r.Duration > 0 {
		p.addFact(p.T("duration"), p.took(r.Duration))
	}
	if r.Status > 0 {
		p.addFact(p.T("status"), "HTTP "+strconv.Itoa(r.Status))
	}
	p.addFact(p.T("node"), p.clean(r.Node))
	p.addFact(p.T("detail"), p.quoted(r.Detail))
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
	p.linkAttempts(about)
	neighbour := func(key string, r *audit.Record) {
		if r != nil {
			add(p.T(key), p.clean(site.MaskedVouchersOf(r, p.mask))+" · "+p.OutcomeOf(r), p.AddressOf(r.Log, r.Index))
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
