package record

import (
	"context"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Facts are all that is known about one exchange.
type Facts struct {
	// ID identifies the exchange, also where it has no record yet. Trace is the trace that its request is a
	// part of, zeros for none.
	ID    string
	Trace audit.TraceID
	// Started is the arrival time. Effective is the time that the rules apply at; it differs from Started
	// only with a simulated clock. Started is recorded.
	Started, Effective time.Time
	// Log is the name of the node's log.
	Log string
	// Service is the environment of the service by the configuration, empty if that does not tell.
	Service audit.Environment
	// Own: it is a query of the gateway itself.
	Own bool
	// Client is who has sent the request. Sender is the client of the gateway's table, nil if everybody may send.
	Client Client
	Sender *intake.Sender

	// Form is the client's. Everything else is about the same exchange in JSON.
	Form     intake.Form
	Decision *intake.Decision
	Marks    Marks
	// Ticket is a keeper's ticket in the request, nil for the client's own. Ticketed is then the request
	// with it.
	Ticket *send.KeptTicket
	// Unrepresented is why the keeper's ticket is not for the issuer, nil if it is.
	Unrepresented error
	Ticketed      *intake.Completed
	Sent          send.Sent
	// Findings are the findings of the decision, of the answer and of recovery.
	Findings []validate.Finding
	Result   Result
	Place    Place

	// Mask hides what must not be kept: credentials, and the members that the operator names. Credentials
	// are the texts that nothing may keep: the request's own, and a keeper's.
	Mask        *mask.Mask
	Redactor    *mask.Redactor
	Credentials []string
	// headers is HeaderMask, zero until it is needed.
	headers send.HeaderMask
}

// Client is who has sent a request.
type Client struct {
	// Address is the IP address, which trusted proxies may set. Identity is who an outer handler or the TLS
	// handshake has found it to be, empty for nobody.
	Address, Identity string
}

// Marks are keyed digests of the request, zeros until they are needed.
type Marks struct {
	Fingerprint, IdempotencyKey [16]byte
	// Sent is the fingerprint of a request into which something was filled in, else zeros.
	Sent [16]byte
}

// Place is the exchange's place in the trail.
type Place struct {
	// Intended: the exchange has an intent, or owes it. IntentDurable: Intent is its index. Durable: Index is the
	// index of the exchange's last record. address is its address, once it was needed.
	Intended, IntentDurable, Durable bool
	Intent, Index                    uint64
	address                          string
	// State is Pending or Lost for an exchange that went on without a durable record, empty for all others.
	State string
}

// The states of an exchange without a durable record: its record is in memory and will be written as soon as
// the store works, or it will not be written.
const (
	Pending = "pending"
	Lost    = "lost"
)

// OperationName returns the value of a bounded label: one of the operations, or unknown.
func (f *Facts) OperationName() string {
	if f.Decision.Operation == nil {
		return "unknown"
	}
	return f.Decision.Operation.Name
}

// IsAbandoned reports whether the request was not sent and its client has left, by the context of the client. The
// client may have left while it waited, so its refusal says nothing about others that ask the same.
func (f *Facts) IsAbandoned(client context.Context) bool {
	return f.Result.Refusal != nil && !f.Sent.Forwarded && client.Err() != nil
}

// Address returns the address of the exchange's durable record: log/index.
func (f *Facts) Address() string {
	if f.Place.address == "" {
		f.Place.address = audit.Address(f.Log, f.Place.Index)
	}
	return f.Place.address
}

// RecordAddress returns the address of the exchange's record, empty while that is owed.
func (f *Facts) RecordAddress() string {
	if f.Place.Durable {
		return f.Address()
	}
	return ""
}

// Name names a record for people by its address, or its exchange while that is empty.
func Name(address, exchange string) string {
	if address != "" {
		return "record " + address
	}
	return "exchange " + exchange
}

// Find adds findings, with their actions and without credentials.
func (f *Facts) Find(findings []validate.Finding, action func(validate.Finding) validate.Action) {
	if len(findings) > 0 {
		f.Findings = append(f.Findings, intake.Acted(findings, f.Redactor.Credentials(f.Credentials...), action)...)
	}
}

// Hide adds credentials that nothing of the exchange may keep.
func (f *Facts) Hide(credentials ...string) {
	f.headers = send.HeaderMask{}
	if f.Credentials == nil {
		f.Credentials = slices.Clip(credentials)
		return
	}
	f.Credentials = append(f.Credentials, credentials...)
}

// HeaderMask returns the mask that removes the credentials from headers.
func (f *Facts) HeaderMask() send.HeaderMask {
	if f.headers == (send.HeaderMask{}) {
		f.headers = send.NewHeaderMask(f.Redactor, f.Credentials)
	}
	return f.headers
}

// Placeholder resolves {http.wsfev1.*}. A value that is not known yet is empty.
func (f *Facts) Placeholder(key string) (any, bool) {
	switch key {
	case "http.wsfev1.operation":
		return f.OperationName(), true
	case "http.wsfev1.outcome":
		return string(f.Result.Outcome), true
	case "http.wsfev1.certainty":
		return string(f.Result.Certainty), true
	case "http.wsfev1.record":
		return f.RecordAddress(), true
	}
	return nil, false
}

// Outgoing returns the request that the service gets, and the same in JSON.
func (f *Facts) Outgoing() (*validate.Request, []byte) {
	if f.Ticketed != nil {
		return f.Ticketed.Request, f.Ticketed.Body
	}
	return f.Decision.Sent()
}

// isCompleted reports whether the service gets more than what came.
func (f *Facts) isCompleted() bool { return f.Ticketed != nil || f.Decision.Completed != nil }

// PassedOn returns the leg whose answer the client gets byte for byte, nil for none: it is in the client's
// form, and the exchange answers with it. It looks through the whole answer.
func (f *Facts) PassedOn() *binding.UpstreamLeg {
	leg := f.Sent.AnsweredLeg(f.Result.Reply.Body)
	if leg == nil || f.Result.Refusal != nil || !f.Form.Passes(leg) || f.Result.Outcome == audit.OutcomeRecovered ||
		f.Ticket.Echoed(leg.Answer, leg.AnswerCharset, f.Credentials...) {
		return nil
	}
	return leg
}

// Failure returns the failure class of an exchange that has its answer, empty if it has not
// failed. A failure on the way to the service counts also if the answer was recovered.
func (f *Facts) Failure() audit.Failure {
	switch {
	case f.Sent.Failure != "":
		return f.Sent.Failure
	case f.Result.Refusal != nil && f.Result.Outcome == audit.OutcomeUpstreamError:
		return audit.FailureGateway // a mistake of our own
	}
	switch f.Result.Outcome {
	case audit.OutcomeInadmissible, audit.OutcomeMalformed, audit.OutcomeConflict:
		return audit.FailureClient
	case audit.OutcomeUnrecorded, audit.OutcomeBusy:
		return audit.FailureGateway
	case audit.OutcomeUnsettled, audit.OutcomeOutage:
		return audit.FailureService
	case audit.OutcomeRejected, audit.OutcomeRefused, audit.OutcomePartial:
		return outcome.FailureOfCodes(f.Result.Verdict.Codes)
	case audit.OutcomeNotIssued, audit.OutcomeUpstreamError:
		if f.Result.Reading.Refuses {
			return outcome.FailureOfCodes(f.Result.Verdict.Codes)
		}
	}
	return ""
}

// IsEvidence reports whether an exchange shows if issuing works. FEDummy is answered also when
// nothing else is, and the tables come from other servers.
func (f *Facts) IsEvidence() bool {
	return f.Sent.Forwarded && f.Decision.Operation.Family != wsfev1.FamilyHealth && f.Decision.Operation.Family != wsfev1.FamilyTable
}

// Release drops everything that is not needed to send the reply. The credentials are dropped too: timers and pools of
// other packages refer to an exchange for minutes after it, and a memory dump would hold them.
func (f *Facts) Release() {
	f.Decision.Release()
	f.Form.Release()
	f.Mask.Forget()
	f.Sent.Release()
	f.Findings, f.Credentials, f.headers, f.Ticketed = nil, nil, send.HeaderMask{}, nil
	f.Result.Typed, f.Result.Read, f.Result.Passed = nil, nil, nil
}

// TypedReply returns the answer that the reply was read into, nil if the reply has been replaced since.
func (f *Facts) TypedReply() any {
	if body := f.Result.Reply.Body; f.Result.WellFormed && len(body) > 0 && len(body) == len(f.Result.Read) && &body[0] == &f.Result.Read[0] {
		return f.Result.Typed
	}
	return nil
}
