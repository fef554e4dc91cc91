package exchange

import (
	"context"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// lane is the request's place in its series. It is empty for an operation that changes nothing.
type lane struct {
	// turn is the right to send, nil before it is taken and after it is left. request is the request of the
	// turn, service the client to query the service about it.
	turn    *once.Turn
	request *once.Request
	service *serviceClient
	// pending is the request that is settled in the background after the exchange.
	pending *once.Pending
}

// release drops what only a turn needs.
func (l *lane) release() {
	if l.turn == nil {
		l.request, l.service = nil, nil
	}
}

// takeTurn waits for the turn of an operation that changes something: requests of a series are
// sent one at a time. A repeat is answered as before.
func (x *exchange) takeTurn() bool {
	x.spans.Enter("turn")
	if x.Decision.Operation.Effect != wsfev1.EffectChanges {
		return true
	}
	request, f := markerOf(&x.Facts, x.trail).request(&x.Facts, x.r.Header.Values(idempotencyHeader), x.way.Policy.Once)
	if f != nil {
		return x.Result.Refuse(f)
	}
	if len(x.Decision.Deferred) > 0 { // it waits for its turn only if it may be a repeat
		switch repeats, err := x.trail.Coordinator.MayRepeat(x.r.Context(), request); {
		case err != nil && !request.Policy.AllowWithoutJournal:
			return x.Result.Refuse(binding.NoTurn(request, err))
		case !repeats:
			return x.checkSequence()
		}
	}
	x.lane.request, x.lane.service = request, serviceClientOf(x)
	if f := x.way.failFast(x.trail, request); f != nil {
		if x.lane.turn, _ = x.trail.Coordinator.Approved(x.r.Context(), request); x.lane.turn == nil {
			return x.Result.Refuse(f)
		}
		return x.inTurn(nil)
	}
	return x.inTurn(x.lane.enter(x.r.Context(), x.trail))
}

// enter waits for the turn.
func (l *lane) enter(ctx context.Context, t *trail.Trail) error {
	turn, err := t.Coordinator.Enter(ctx, l.request, l.service)
	if err == nil {
		l.turn = turn
	}
	return err
}

// turnAway refuses a request that has its turn but is not to be sent now. But it may repeat one that another
// gateway has sent, which Enter leaves to the intent to find out: that has its answer.
func (x *exchange) turnAway(refuse func() bool) bool {
	if turn := x.lane.turn; turn != nil && turn.LookBack(x.r.Context()) == nil && turn.Repeat != nil && !x.replay(turn.Repeat) {
		return false
	}
	return refuse()
}

// inTurn answers a repeat, and looks at the number of any other request. err is why the request does not have its
// turn.
func (x *exchange) inTurn(err error) bool {
	if err != nil {
		return x.Result.Refuse(binding.NoTurn(x.lane.request, err))
	}
	turn := x.lane.turn
	if turn.WithoutJournal != nil {
		x.alarm("the trail cannot be asked what was sent before", turn.WithoutJournal)
	}
	if turn.Repeat != nil {
		return x.replay(turn.Repeat)
	}
	return x.checkSequence()
}

// sharedReply is a reply that other clients may get too.
type sharedReply struct {
	reply binding.Reply
	// origin is the address of its record, caller the mark of the credentials.
	origin string
	caller [16]byte
	// refuses: the reply is a refusal, whose headers are for the others too.
	refuses bool
}

// replay answers a repeat as before.
func (x *exchange) replay(result *once.Result) bool {
	switch entitled, err := x.caller.entitled(x, result); {
	case err != nil:
		return x.Result.Refuse(binding.Unproven(err))
	case !entitled && result.Shared:
		// The service decides; but in a turn of its own, or two would be sent at a time.
		x.lane.request.Policy.NoReplay = true
		return x.inTurn(x.lane.enter(x.r.Context(), x.trail))
	case !entitled:
		return x.checkSequence()
	}
	reply, origin, ok := replyOf(result, x.Decision.Request.Body)
	if !ok {
		return x.checkSequence()
	}
	x.Result.Reply, x.Result.Origin, x.Result.Repeated = reply, origin, true
	x.Findings = x.Decision.WithoutFilled(x.Findings)
	typed := x.Decision.Operation.NewAnswer()
	if len(validate.DecodeAnswer(x.Decision.Operation.Answer, reply.Body, typed)) == 0 {
		x.Result.Verdict, x.Result.WellFormed = wsfev1.VerdictOf(typed), true
	}
	x.Result.Outcome = audit.OutcomeReplayed
	return false
}

// leave lets the next request of the series go. It is called when the record is durable, or
// in the backlog.
func (l *lane) leave(client context.Context, f *record.Facts, c *caller) {
	turn := l.turn
	if turn == nil {
		return
	}
	result := once.Result{}
	if !f.IsAbandoned(client) && !slices.ContainsFunc(f.Result.Verdict.Codes, isAboutCredentials) {
		// A refusal of one client's credentials must not be shared.
		shared := sharedReply{reply: f.Result.Reply, refuses: f.Result.Refusal != nil, caller: c.mark(f), origin: f.Result.Origin}
		if f.Place.Durable && !f.Result.Repeated {
			shared.origin = f.Address()
		}
		result.Reply, result.Size = shared, len(f.Result.Reply.Body)
	}
	switch f.Result.Outcome {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRecovered:
		result.State = once.Approved
	case audit.OutcomeReplayed:
		result.State = turn.Repeat.State
	case audit.OutcomeUnknown:
		result.State, result.Pending = once.Unknown, l.pending
		l.service.detach() // it goes on in the background
	case audit.OutcomeRejected, audit.OutcomeNotIssued:
		result.State = once.Rejected
	}
	for _, v := range f.Result.Verdict.Invoices {
		if v.Resultado == wsfev1.Aprobado {
			result.Last = max(result.Last, v.CbteHasta)
		}
	}
	l.turn = nil
	turn.Leave(result)
}

// abandoned is the result of a turn after a panic of the gateway. The outcome of a forwarded request
// is then unknown.
func (l *lane) abandoned(f *record.Facts, j *journal, way *Way) once.Result {
	result := once.Result{State: once.NotSent}
	if f.Sent.Forwarded && f.Place.Intended && way.Policy.Recover {
		result.State, result.Pending = once.Unknown, l.pendingSince(f, j.owed, way.Now())
		result.Pending.NoOutcome = !j.done
		l.service.detach()
	}
	return result
}

// pendingSince returns the sent request as one with an unknown outcome. owed is its intent, if that is in the
// backlog of the trail.
func (l *lane) pendingSince(f *record.Facts, owed *trail.Entry, lost time.Time) *once.Pending {
	pending := once.PendingOf(l.request, f.ID, f.Place.Intent, lost)
	if owed != nil {
		pending.Owed = owed
	}
	return pending
}

// denied reports whether the same request was sent before and, by the service's answer to a query,
// not carried out.
func (l *lane) denied(ctx context.Context, alarm func(string, error)) bool {
	denied, err := l.turn.Denied(ctx)
	if err != nil {
		alarm("the trail cannot be asked what was sent before", err)
	}
	return denied
}

// resumeOpen settles open requests of the issuer, now that there are credentials which the
// service has accepted.
func resumeOpen(x *exchange) {
	if x.Own || !x.way.Policy.Recover || !credentialsTaken(&x.Facts) {
		return
	}
	if cuit := x.Decision.Subject.Cuit; x.trail.Coordinator.Needs(cuit) {
		x.trail.Coordinator.Meet(cuit, serviceClientOf(x).detach(), x.way.Policy.Once)
	}
}
