package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// The kinds of requests that slots are for.
const (
	KindIssuing = "issuing"
	KindTables  = "tables"
	KindQueries = "queries"
)

// inFlight is counted, not collected from the gateways at a scrape: a gateway of a replaced
// configuration may still have requests at the service.
var inFlight = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "wsfev1_in_flight",
	Help: "Clients' requests now at the service, by kind. The gateway's own questions are not counted.",
}, []string{"kind"})

var (
	// KindOf is the kind of each family.
	KindOf = map[wsfev1.Family]string{
		wsfev1.FamilyIssuing: KindIssuing, wsfev1.FamilyCAEA: KindIssuing, wsfev1.FamilyTable: KindTables,
		wsfev1.FamilyQuery: KindQueries, wsfev1.FamilyHealth: KindQueries,
	}
	// inFlightOf are the gauges of inFlight by family.
	inFlightOf = func() map[wsfev1.Family]prometheus.Gauge {
		gauges := map[wsfev1.Family]prometheus.Gauge{}
		for family, kind := range KindOf {
			gauges[family] = inFlight.WithLabelValues(kind)
		}
		return gauges
	}()
)

// consult takes a ticket, waits for a free slot at the service for the operation's kind, makes the intent
// durable and sends the request. It holds the slot no longer: recording the answer, and queries after it, need
// none.
//
// Where the intent cannot take the lease of the series, as another gateway is at work in it, the exchange waits for
// that one and tries once more.
func (x *exchange) consult() bool {
	x.spans.Enter("slot")
	if !x.takeTicket() {
		return false
	}
	for again := false; ; again = true {
		sent, taken := false, false
		err := x.way.inSlot(x.r.Context(), x.Decision.Operation.Family, x.Sender, func() {
			if x.Decision.Operation.Effect == wsfev1.EffectChanges {
				x.spans.Enter("intent")
				var refusal *binding.Refusal
				if refusal, taken = x.journal.intend(&x.Facts, &x.lane, x.way.Now(), x.way.Instant); taken {
					return
				} else if refusal != nil {
					x.Result.Refuse(refusal)
					return
				}
			}
			sent = x.forward()
		})
		switch {
		case err != nil:
			return x.turnAway(func() bool { return x.Result.Refuse(noSlot(err, x.Sender)) })
		case !taken:
			return sent
		case again:
			return x.Result.Refuse(binding.NoTurn(x.lane.request, fmt.Errorf("%w: another gateway has taken the series over", once.ErrBusy)))
		}
		x.spans.Enter("turn")
		if !x.inTurn(x.lane.turn.LookBack(x.r.Context())) {
			return false
		}
		x.spans.Enter("slot")
	}
}

// inSlot does something while it holds a slot at the service. It returns an error if none became free in time.
func (way *Way) inSlot(ctx context.Context, family wsfev1.Family, sender *intake.Sender, do func()) error {
	leave, err := way.Slots[family].EnterAs(ctx, sender.Name(), way.MaxWait)
	if err != nil {
		return err
	}
	defer leave()
	here := inFlightOf[family]
	here.Inc()
	defer here.Dec()
	do()
	return nil
}

// noSlot refuses a request for which no slot became free in time.
func noSlot(err error, sender *intake.Sender) *binding.Refusal {
	if errors.Is(err, limit.ErrShare) {
		sender.Result = intake.ResultShare
		return binding.ShareTaken(err)
	}
	return binding.SlotsTaken(err)
}

// forward sends the request, detached from the client. A client that leaves does not abort an operation, and
// the record is complete.
func (x *exchange) forward() bool {
	x.spans.Enter("forward")
	within := x.way.Deadlines[x.Decision.Operation.Family]
	ctx, cancel := x.detachedFor(within)
	defer cancel()
	if x.journal.readyAt == (clocks.Instant{}) {
		x.journal.readyAt = x.way.Instant()
	}
	request, document := x.Outgoing()
	o := &send.Outgoing{
		Operation: x.Decision.Operation, Asked: x.Decision.Request, Subject: x.Decision.Subject,
		Request: request, Document: document, Filled: x.Decision.Completed != nil, Ticket: x.Ticket, Clearance: x.Decision.Clearance,
		HTTP: x.r, Prepared: x.w.Header(), Message: x.Form.Message(),
		Owner: x.trail, Sendable: x.journal.sendable(x.lane.turn, x.way.Instant, within), Repeatable: x.way.Policy.repeats(x.Place),
		Memory: x.memory.answer, Redactor: x.Redactor, Mask: x.Mask, Headers: x.HeaderMask(), Credentials: x.Credentials,
		Spans: &x.spans, Logger: x.way.Logger, ID: x.ID, Trace: x.Trace, Now: x.way.Now,
	}
	x.Sent.Forwarded = true // whatever happens in Do
	x.Sent = send.Do(ctx, o, x.next)
	x.Findings, x.Result.Certainty = append(x.Findings, x.Sent.Findings...), x.Sent.Certainty
	if x.Sent.Refusal != nil {
		return x.Result.Refuse(x.Sent.Refusal)
	}
	if x.Sent.Upstream != audit.BuiltInUpstream && x.trail.IsInvented() { // which no start of a configuration can see
		x.way.Alarm.Error("a real service answers in front of a trail with invoices of the built-in service: "+
			"a repeated request may get an invented CAE from there; give the audit of each service a store of its own",
			zap.String("log", x.Log), zap.String("upstream", x.Sent.Upstream), x.Field())
	}
	x.Result.Answer = x.Sent.Answer
	x.CountAnswer(x.way.Book.Rules.Level)
	return true
}

// sendable returns a function that returns why the request may not be sent any more, nil if it
// may. It can be called until the exchange has ended. A gateway that was suspended must not send
// a request that another gateway has settled meanwhile, or that the client has given up.
func (j *journal) sendable(turn *once.Turn, now func() clocks.Instant, within time.Duration) func() error {
	since := j.readyAt
	if j.uncovered {
		turn = nil // the operator has chosen to send it without a store, and so without leases
	}
	return func() error { return stillSendable(turn, now().Since(since), within) }
}

func stillSendable(turn *once.Turn, took, within time.Duration) error {
	switch {
	case took >= within:
		return binding.ErrTooLate
	case turn != nil && !turn.Held():
		return binding.ErrLeaseLost
	}
	return nil
}
