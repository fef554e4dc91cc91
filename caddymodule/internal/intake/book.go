package intake

import (
	"strconv"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// Book is how one gateway judges requests. It does not change once its configuration runs.
type Book struct {
	// Contract is the set of operations and members that are allowed.
	Contract validate.Contract
	// Observe: rules refuse only where they are enforced by name (mode observe).
	Observe bool
	// Named are the levels that single rules are set to, by code.
	Named map[string]validate.Level
	// Settings has the tolerances and thresholds. The service's own holds in place of one that is not sent.
	Settings rules.Settings
	// Rules judge the requests.
	Rules *rules.Rules
	// Filler has what invoices get that lack a member (option fill), nil for nothing.
	Filler *fill.Source
	// Replays: a request that changes something and comes again is answered as before (option replay).
	Replays bool
	// Unticketed: a request without a ticket is judged all the same. Whole: a lot of any size is read to its
	// end. Both are for readers of findings, to whom nothing is sent.
	Unticketed, Whole bool

	// Clients are the only senders whose requests are taken, nil for everybody.
	Clients Clients
	// The functions below may be nil.

	// Now is the moment as of which requests are judged.
	Now func() time.Time
	// Allows reports whether an issuer may pass (option cuits).
	Allows func(wsfev1.CUIT) bool
	// Keeps reports whether a keeper has the ticket of an issuer (option wsaa), and whether it gives that
	// also to a client that brings its own.
	Keeps func(wsfev1.CUIT) (always, ok bool)
	// TicketHolder returns the subject of the certificate that got a request's ticket, if the ticket's signature
	// shows it, else no text.
	TicketHolder func(auth wsfev1.Auth, now time.Time) string
	// RefusesTicket returns why the service would refuse a ticket that can be read, empty if it would not
	// (option ticket).
	RefusesTicket func(auth wsfev1.Auth, now time.Time) string
}

// Standard is the book of a gateway without options, for a reader.
var Standard = (&Book{Contract: validate.ARCA}).ForReader(nil)

// ForReader returns the book as it judges for somebody who reads the findings, by rules of its own: a
// judgement as of another day would make the gateway's rules plan their own day again.
func (b *Book) ForReader(own *rules.Rules) *Book {
	reader := *b
	reader.Rules, reader.Unticketed, reader.Whole = own, true, true
	reader.Replays, reader.Keeps, reader.RefusesTicket, reader.Clients = false, nil, nil, nil
	return &reader
}

// Action returns what follows from a finding. A level for a single rule holds in both modes: one rule can be
// enforced while all others observe.
func (b *Book) Action(f validate.Finding) validate.Action {
	if b.Observe && b.Named[f.Code] != validate.Enforce {
		return validate.ActionObserve
	}
	return f.Action
}

// Origin is what has set the level of a rule.
type Origin string

// The origins, the strongest first. FromService: no level holds, as the service alone decides the rule.
const (
	FromService  Origin = "service"
	FromRule     Origin = "rule"
	FromMode     Origin = "mode"
	FromContract Origin = "contract"
	FromDefault  Origin = "default"
)

// LevelOf returns the level of a rule and what has set it.
func (b *Book) LevelOf(rule *rules.Rule) (validate.Level, Origin) {
	named, ok := b.Named[strconv.Itoa(int(rule.Code))]
	switch {
	case rule.DecidedAt == rules.State:
		return "", FromService
	case ok && named == validate.Enforce, ok && named == validate.Off:
		return named, FromRule
	case b.Observe && rule.Default == validate.Enforce:
		return validate.Observe, FromMode
	case ok:
		return named, FromRule
	case b.Contract == validate.Base && rule.Default == validate.Enforce && rules.NeedsExtension(rule.Code):
		return validate.Observe, FromContract
	}
	return rule.Default, FromDefault
}

// IsNamed reports whether the level of a rule is set by name. Such a rule is judged before its first day too.
func (b *Book) IsNamed(code int32) bool {
	_, named := b.Named[strconv.Itoa(int(code))]
	return named
}
