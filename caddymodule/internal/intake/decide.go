package intake

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Message is a request that was admitted.
type Message struct {
	Form      Form
	Operation *wsfev1.Operation
	// Redactor removes credentials from findings: the request's own, and Secrets, which are more texts that
	// may not be quoted.
	Redactor *mask.Redactor
	Secrets  []string
	// Sender is the client, nil if the book has no Clients.
	Sender *Sender
	// At is the time that the rules apply at.
	At time.Time
	// Step is told the name of each step, for a trace. It may be nil.
	Step func(name string)
}

func (m *Message) step(name string) {
	if m.Step != nil {
		m.Step(name)
	}
}

// errUnread: a lot was not read to its end, and no rule has refused it.
var errUnread = errors.New("not all invoices of the lot were read")

// Decide reads a request and judges it: its shape, its issuer and ticket, and the rules.
func (b *Book) Decide(m Message) *Decision {
	d := b.Understand(m)
	if d.Ends() {
		return d
	}
	m.step("judge")
	if b.judge(m, d); d.Ends() {
		return d
	}
	m.step("decide")
	refusing := d.Refusing()
	switch {
	case len(refusing) == 0 && d.Request.Unread > 0:
		d.Refusal = binding.InternalUnsent(errUnread)
	case len(refusing) > 0 && b.mayRepeat(d):
		d.Deferred = refusing
	case len(refusing) > 0:
		d.Answer = validate.Refusal(d.Request, refusing, m.At)
	}
	return d
}

// mayRepeat reports whether a request that is refused may repeat one that was sent. The rules may have taken that one:
// the day was another, or the settings, the service's tables, the table of fill, or the build of the gateway. It is
// refused once it is known to be no repeat: a client without its answer must get the CAE that it has.
func (b *Book) mayRepeat(d *Decision) bool {
	return b.Replays && d.Operation.Effect == wsfev1.EffectChanges && d.Request.Unread == 0
}

// Understand reads a request: the typed request, its issuer, and the members that the option fill puts into it.
func (b *Book) Understand(m Message) *Decision {
	m.step("understand")
	request, body, shape, err := m.Form.Decode(m.Operation, b.Contract, b.invoicesToRead())
	d := &Decision{Operation: m.Operation, Request: request, Body: body, Subject: wsfev1.SubjectOf(request.Body)}
	if body != nil {
		d.Digest = sha256.Sum256(body)
	}
	if err != nil {
		d.Refusal = binding.InternalUnsent(err)
		return d
	}
	auth := wsfev1.AuthOf(request.Body)
	shape = b.withoutTicket(d, auth, shape)
	if auth.Token != "" || auth.Sign != "" {
		d.Credentials = []string{auth.Token.Reveal(), auth.Sign.Reveal()}
	}
	if d.Refusal = b.identifyByTicket(m.Sender, auth, m.At); d.Refusal != nil {
		return d
	}
	d.find(m, shape, func(validate.Finding) validate.Action { return validate.ActionRefuse })
	d.find(m, request.Ignored, Observe)
	if len(shape) > 0 {
		d.Answer, d.Refusal = m.Form.Malformed(shape)
		return d
	}
	d.WellFormed = true
	if m.Operation.Family != wsfev1.FamilyHealth && b.Allows != nil && !b.Allows(d.Subject.Cuit) {
		d.Refusal, d.Foreign = binding.ForeignCuit(d.Subject.Cuit), true
		return d
	}
	if b.entitle(m, d); d.Ends() {
		return d
	}
	if request.Unread == 0 { // else it is refused
		b.fill(m, d)
	}
	return d
}

// withoutTicket drops the findings about a ticket that a keeper gives, or that nobody needs.
func (b *Book) withoutTicket(d *Decision, auth wsfev1.Auth, shape []validate.Finding) []validate.Finding {
	if b.Unticketed {
		without := slices.DeleteFunc(slices.Clone(shape), validate.LacksTicket)
		d.Unticketed = len(without) < len(shape)
		return without
	}
	if b.Keeps == nil || d.Operation.Family == wsfev1.FamilyHealth {
		return shape
	}
	always, ok := b.Keeps(auth.Cuit)
	if !ok || !always && (auth.Token != "" || auth.Sign != "") {
		return shape
	}
	d.KeptTicket = true
	return slices.DeleteFunc(shape, validate.LacksTicket)
}

// judge applies the rules. An issuer or a ticket that is refused is answered as the service does, which
// looks no further.
func (b *Book) judge(m Message, d *Decision) {
	if finding, refused := b.refusedTicket(d, m.At); refused {
		d.find(m, []validate.Finding{finding}, b.Action)
		if b.Action(finding) == validate.ActionRefuse {
			d.Answer = validate.Unauthenticated(d.Request, finding)
			return
		}
	}
	sent, _ := d.Sent()
	var found []validate.Finding
	found, d.Clearance = b.Rules.JudgeAndClear(sent, m.At)
	d.find(m, found, b.Action)
}

// refusedTicket returns the finding about an issuer or credentials that are refused, false if they are not.
func (b *Book) refusedTicket(d *Decision, now time.Time) (validate.Finding, bool) {
	if d.Operation.Family == wsfev1.FamilyHealth {
		return validate.Finding{}, false
	}
	auth := wsfev1.AuthOf(d.Request.Body)
	finding, refused := validate.IssuerFinding(auth.Cuit)
	if !refused && b.RefusesTicket != nil && !d.KeptTicket {
		text := b.RefusesTicket(auth, now)
		return validate.TicketFinding(text), text != ""
	}
	return finding, refused
}

// tooManyInvoices is the rule about the size of a lot, and its code in a finding.
const (
	tooManyInvoices     = 10003
	tooManyInvoicesCode = "10003"
)

// invoicesToRead returns how many invoices of a lot are read, 0 for all. A lot that has more is refused,
// and must be: nothing knows what else it has. Where the rule only observes, all of it is read.
func (b *Book) invoicesToRead() int {
	if b.Whole {
		return 0
	}
	found := validate.Finding{Code: tooManyInvoicesCode, Action: validate.ActionAt(b.Rules.Level(tooManyInvoices))}
	if b.Action(found) != validate.ActionRefuse {
		return 0
	}
	return b.Rules.LargestLot()
}
