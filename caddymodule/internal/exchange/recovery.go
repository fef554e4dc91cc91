package exchange

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// doubt is why the service is queried about a request that was sent.
type doubt struct {
	// unknown: no answer came, or one that proves nothing. disputed: the service rejects the number of the
	// request, or rejects it without a reason, and the request itself may have taken it.
	unknown, disputed bool
	// denied: the same request was sent before and, by the service's answer to a query, not carried out.
	denied bool
	// lost is how the answer was lost, said its text if that may be recorded.
	lost, said string
}

// recover queries the service about a request whose outcome is unknown, and takes over what it answers.
func (x *exchange) recover() {
	if !x.way.Policy.Recover || !x.Place.Intended || x.lane.turn == nil {
		return
	}
	began, answered, refuses := x.way.Now(), x.Result.Refusal == nil, x.Sent.Refuses()
	d := x.doubt()
	if !d.unknown && !d.disputed {
		return
	}
	x.spans.Enter("recover")
	pending := x.lane.pendingSince(&x.Facts, x.journal.owed, began)
	if d.disputed || refuses && x.Result.Reading.Ended {
		pending.Since = time.Time{} // the service has answered: it is not working on it
	}
	if x.Decision.Completed != nil && (d.denied || !d.disputed && x.lane.denied(x.detached(), x.alarm)) {
		// The request may have been sent before with another value, if the operator has declared something
		// else since: a question must not compare what was filled in.
		pending.Redacted = map[string]bool{fill.Member: true}
	}
	settle := x.lane.turn.Recover
	if d.disputed && !d.denied {
		settle = x.lane.turn.Check
	}
	settlement := settle(x.detached(), pending, x.lane.service)
	if d.disputed && (settlement.Verdict == once.Different || settlement.Verdict == once.NotIssued || settlement.Verdict == once.Undecided && !d.denied) {
		return // the service is right
	}
	trail.ObserveRecovery(settlement.Verdict, x.way.Now().Sub(began))
	x.Result.Lost, x.Result.LostAnswer = d.lost, d.said
	if d.disputed {
		x.Sent.Cause = audit.CauseRejected
	}
	if refuses && settlement.Verdict == once.NotIssued {
		x.Result.Outcome = audit.OutcomeNotIssued // it is true: the client gets it
		return
	}
	came := x.Result.Reply
	// The verdict of an unusable answer is not the result.
	x.Result.Verdict, x.Result.WellFormed, x.Result.Reading = wsfev1.Verdict{}, false, outcome.Reading{}
	switch settlement.Verdict {
	case once.Recovered, once.Different:
		x.takeOver(settlement, pending)
	case once.NotIssued:
		x.Result.Refusal, x.Result.Certainty = binding.NotIssued(x.Decision.Operation, answered), audit.Answered
	default:
		if answered && came.IsAnotherProgram() && errors.Is(settlement.Err, once.ErrAnotherProgram) {
			x.Result.Refusal = binding.AnotherProgram(came, x.way.Policy.repeats(x.Place), settlement.Err)
		} else {
			x.Result.Refusal = binding.Unanswered(audit.Unknown, x.Decision.Operation.Effect, x.way.Policy.repeats(x.Place), settlement.Err)
		}
		x.Result.Certainty = audit.Unknown
		if !errors.Is(settlement.Err, once.ErrNoQuestion) {
			x.lane.pending = pending
		}
	}
}

// doubt returns why the service is to be queried; nothing if it is not.
//
// A rejection of the number is disputed, since something on the way may have sent the request twice, or the
// service has carried it out after it had said that it had nothing (denied). A client that gets the rejection
// would use the next number, and issue the invoice twice. Without replay the service answers repeats, and its
// rejection of one is right.
func (x *exchange) doubt() (d doubt) {
	d.unknown = x.Result.Certainty == audit.Unknown || x.Result.Outcome == audit.OutcomeUpstreamError
	if x.Result.Outcome == audit.OutcomeRejected && x.Result.Reading.Checked {
		d.denied = x.lane.denied(x.detached(), x.alarm)
		d.disputed = d.denied || x.way.Policy.Replay
	}
	if d.unknown || d.disputed {
		d.lost, d.said = x.HowLost()
	}
	return d
}

// takeOver answers from the settlement, with the service's own result.
func (x *exchange) takeOver(settlement *once.Settlement, pending *once.Pending) {
	answer := settlement.Answer(pending, x.Effective)
	made, err := binding.JSON(http.StatusOK, answer)
	if err != nil {
		x.Result.Refusal = binding.Internal(err)
		return
	}
	x.Result.Refusal, x.Result.Reply, x.Result.Verdict, x.Result.WellFormed = nil, made, wsfev1.VerdictOf(answer), true
	x.Result.Certainty, x.Result.Outcome = audit.Answered, audit.OutcomeRecovered
	if settlement.Verdict == once.Different {
		if x.Result.Verdict.Resultado == wsfev1.Rechazado {
			x.Result.Outcome = audit.OutcomeRejected // else the beginning of the lot was issued
		}
		x.Find(differing(settlement, pending), intake.Observe)
	}
}

func differing(s *once.Settlement, p *once.Pending) []validate.Finding {
	var all []validate.Finding
	for _, d := range s.Differences {
		all = append(all, validate.Finding{
			Code: strconv.Itoa(int(p.Operation.SequenceCode())), Severity: validate.SEQ, Pointer: p.Pointer(s, d), Invoice: s.Differing,
			Text: "El número pertenece a otro comprobante.", Expected: d.Kept, Got: d.Sent, Source: "docs/sources.md#recovery",
		})
	}
	return all
}
