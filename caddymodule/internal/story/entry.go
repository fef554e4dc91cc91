package story

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/wsfev1"
)

// Place is where a record stands.
type Place struct {
	Log   string
	Index uint64
}

// IntentOf returns the place of the intent of an outcome or a settlement.
func IntentOf(r *audit.Record) Place { return Place{cmp.Or(r.IntentLog, r.Log), r.Intent} }

// Address returns the address of the record.
func (p Place) Address() string { return audit.Address(p.Log, p.Index) }

// Entry is the part of an exchange that the story of an invoice needs for all exchanges at once. It holds no
// content but codes and a reason, so it is small, and purged and sealed records have it too.
type Entry struct {
	Place
	Kind audit.Kind
	// ID is the exchange's identifier, of one that is open: its settlement has the same.
	ID    string
	Began time.Time
	Took  time.Duration
	// Intended is when the intent of an outcome was made; zero until that is read.
	Intended  time.Time
	Operation *wsfev1.Operation // nil if the request named none
	Decision  audit.Decision
	Outcome   audit.Outcome
	Certainty audit.Certainty
	// Environment is the kind of the service, empty where its record does not tell.
	Environment environment.Environment
	// Intent is the place of the intent of an outcome or a settlement, and an open intent's own.
	Intent Place
	// Voucher is the exchange's entry for the invoice: Position is its place in the lot, counted from 0, and
	// Lot the number of vouchers there.
	Voucher       audit.Voucher
	Position, Lot int
	// Codes are why the gateway or the service has rejected it. The service's are content.
	Codes []string
	// Reason is the text of the only code. It is content.
	Reason string
	// Disputed: the service rejected it, or the exchange that it settles, and the gateway asked whether it had carried it out before.
	Disputed bool
}

// EntryOf returns what a record is to the story of the invoice with this number.
func EntryOf(r *audit.Record, number int64) *Entry {
	s := &Entry{
		Place: Place{r.Log, r.Index}, Kind: r.Kind, Began: r.Time, Took: r.Duration,
		Operation: wsfev1.OperationByName(r.Operation), Decision: r.Decision, Outcome: r.Outcome,
		Certainty: r.Certainty, Environment: environment.Of(r), Lot: len(r.Vouchers), Codes: codesOf(r), Reason: reasonOf(r),
		Disputed: CauseOf(r) == audit.CauseRejected,
	}
	switch r.Kind {
	case audit.KindOutcome, audit.KindSettlement:
		s.Intent = IntentOf(r)
	case audit.KindIntent:
		s.Intent = s.Place
	}
	if s.IsOpen() {
		s.ID = strings.Clone(r.ID)
	}
	s.find(r, number)
	s.detach()
	return s
}

// find takes the record's entry for the invoice with this number. A settlement of a lot of CAEA names the
// code alone, and holds for the whole lot.
func (s *Entry) find(r *audit.Record, number int64) {
	s.Position = slices.IndexFunc(r.Vouchers, func(v audit.Voucher) bool { return v.CbteDesde <= number && number <= v.CbteHasta })
	switch {
	case s.Position >= 0:
		s.Voucher = r.Vouchers[s.Position]
	case len(r.Vouchers) > 0:
		s.Voucher = audit.Voucher{Code: r.Vouchers[0].Code, Resultado: r.Resultado}
	}
}

// detach copies the texts. The texts of a record share the memory of its whole summary, which a lot of
// thousands of invoices makes large. Unprintable characters are escaped in the texts that the service sets,
// as they become parts of sentences.
func (s *Entry) detach() {
	s.Log, s.Intent.Log = strings.Clone(s.Log), strings.Clone(s.Intent.Log)
	s.Environment = environment.Environment(strings.Clone(string(s.Environment)))
	s.Decision, s.Certainty = audit.Decision(strings.Clone(string(s.Decision))), audit.Certainty(strings.Clone(string(s.Certainty)))
	s.Outcome = audit.Outcome(strings.Clone(string(s.Outcome)))
	v := &s.Voucher
	v.Code, v.Expires, v.Resultado = printable.OneLine(v.Code), printable.OneLine(v.Expires), printable.OneLine(v.Resultado)
	for i := range s.Codes {
		s.Codes[i] = printable.OneLine(s.Codes[i])
	}
}

// Known returns the time at which the result became known.
func (s *Entry) Known() time.Time { return s.Began.Add(s.Took) }

// IntendedAt returns the time of its intent. That is its own, unless it settles what another
// process has left open.
func (s *Entry) IntendedAt() time.Time {
	if s.Intended.IsZero() {
		return s.Began
	}
	return s.Intended
}

// IsOwn reports whether the gateway asked on its own account. Its answers are no verdict on a
// request of a client.
func (s *Entry) IsOwn() bool {
	return s.Decision == audit.DecisionAsk || s.Kind == audit.KindSettlement
}

// IsQuestion reports whether it only asks for the invoice.
func (s *Entry) IsQuestion() bool { return !s.Changes() }

// Changes reports whether it is about a request that changes something at the service.
func (s *Entry) Changes() bool {
	return s.Operation != nil && s.Operation.Effect == wsfev1.EffectChanges
}

// IsAuthorised reports whether the service has authorised the invoice, or has said so.
func (s *Entry) IsAuthorised() bool { return authorises(s.Kind, s.Outcome, s.Voucher) }

// IsOpen reports whether the exchange leaves open whether the invoice was issued.
func (s *Entry) IsOpen() bool {
	return s.Changes() && (s.Kind == audit.KindIntent || s.Outcome == audit.OutcomeUnknown || s.Outcome == audit.OutcomeUpstreamError)
}

// wasRejected reports whether the gateway or the service has rejected the request.
func (s *Entry) wasRejected() bool {
	switch s.Outcome {
	case audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomeRejected:
		return true
	}
	return false
}

// feelsOutage reports whether it matters to the exchange that the service does not answer. It
// does not to a request that the gateway refused for its content, or answered from the log.
func (s *Entry) feelsOutage() bool {
	switch s.Outcome {
	case audit.OutcomeOutage, audit.OutcomeUnsettled, audit.OutcomeNotSent:
		return true
	}
	return s.Certainty != audit.NotSent
}

// SortEntries sorts by the time at which exchanges began. An outcome has the time of its intent, so a
// question of the gateway about it comes after it, although it was recorded before. It sets Disputed of settlements.
func SortEntries(all []*Entry) {
	for _, s := range all {
		settled := func(o *Entry) bool { return o.Disputed && o.Intent == s.Intent }
		s.Disputed = s.Disputed || s.Kind == audit.KindSettlement && slices.ContainsFunc(all, settled)
	}
	slices.SortFunc(all, func(a, b *Entry) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Log, b.Log), cmp.Compare(a.Index, b.Index))
	})
}

// OpenEntries returns the exchanges that leave open whether the invoice was issued, and are not settled by
// another of them.
func OpenEntries(all []*Entry) (open []*Entry) {
	settled := map[Place]bool{}
	for _, s := range all {
		if s.Kind == audit.KindSettlement {
			settled[s.Intent] = true
		}
	}
	for _, s := range all {
		if s.IsOpen() && !settled[s.Intent] {
			open = append(open, s)
		}
	}
	return open
}

// isDifferent reports whether another invoice was found under the number.
func (s *Entry) isDifferent() bool { return s.Outcome == outcome.Different }

// isInformed reports whether it informs an invoice that was issued with a CAEA.
func (s *Entry) isInformed() bool {
	return s.Operation != nil && s.Operation.Name == "FECAEARegInformativo"
}

// issued is the word for a request that was carried out: to issue an invoice, or to take the report of one. A reported
// invoice is issued before, with its CAEA.
func (s *Entry) issued() string {
	if s.isInformed() {
		return "informado"
	}
	return "emitido"
}
