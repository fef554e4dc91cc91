package send

import (
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Sent is what became of a request on its way to the service. The zero value is a request that was not
// handed on.
type Sent struct {
	// Forwarded: the next handler was called.
	Forwarded bool
	// DepartedAt is when, and Duration how long it took.
	DepartedAt time.Time
	Duration   time.Duration
	// Certainty is the certainty about the wire, empty while the request was not handed on.
	Certainty audit.Certainty
	// Upstream is the service that was chosen, as reverse_proxy names it; empty for none.
	Upstream string
	// Leg is the exchange as an upstream has had it that speaks SOAP, nil for any other. Anew is what in the
	// client's message such an upstream might have read differently, so that it was written anew; 0 for
	// nothing.
	Leg  *binding.UpstreamLeg
	Anew soap.Constructs

	// Failure is the class of a failure between the gateway and the service, empty for none. Came is what
	// another program answered, in a few words of Spanish.
	Failure audit.Failure
	Came    string
	// Cause is why there was no answer, empty if there was one.
	Cause audit.Cause
	// Refusal is for the client if there is no answer, nil if there is one.
	Refusal *binding.Refusal

	// Answer is the service's, and how it was read.
	Answer
	// Findings are where the answer deviates from its shape, or from what was asked.
	Findings []validate.Finding
	// TicketRefused: an answer that echoes a keeper's ticket means that it is refused itself.
	TicketRefused bool
}

// Refuses reports whether the answer says that nothing was carried out, which only a query can prove.
func (s *Sent) Refuses() bool {
	return s.Refusal == nil && s.Reading.Refuses && s.Outcome == audit.OutcomeUpstreamError
}

// Release drops the answer, which may be large.
func (s *Sent) Release() {
	s.Leg, s.Typed, s.Read, s.Findings, s.Reply = nil, nil, nil, nil, binding.Reply{}
}

// Answer is an answer in JSON and its meaning for the request.
type Answer struct {
	Reply binding.Reply
	// Typed is the service's answer in the operation's type, or an error body, and Read the body that it was
	// read from; both nil for an answer of our own. A keeper's ticket is in neither.
	Typed   any
	Read    []byte
	Verdict wsfev1.Verdict
	// WellFormed: Reply has the operation's shape.
	WellFormed bool
	// Reading is the proof that the answer gives about a request that changes something.
	Reading outcome.Reading
	Outcome audit.Outcome
}
