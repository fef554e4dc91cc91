package gateway

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/wsfev1"
)

// report reports the exchange's observation to the monitor, once. It comes after the record is
// durable or in the backlog, and after recovery. A recovered request shows that changes are
// carried out: a failure counts in the scope of changes only if the request was not recovered.
// A service that is slow and loses every answer is bounded by slots, deadlines and turns;
// refusing what it does issue would not help.
func (x *exchange) report() {
	if x.rec.reported || !x.isObservation() {
		return
	}
	x.rec.reported = true
	s := x.observation(x.sent.Failure, outage.OfQuestions)
	switch {
	case x.outcome == audit.OutcomeRecovered:
		s = x.observation("", outage.OfChanges)
	case !x.rec.lostAt.IsZero():
		s = x.observation(x.sent.Failure, outage.OnlyChanges)
		s.Noticed = x.rec.lostAt
	case x.in.Operation.Effect == wsfev1.EffectChanges:
		s.Scopes = outage.OfChanges
	}
	x.gateway.monitor(x.trail).Observe(s, x.gateway.logger)
}

// reportLoss reports a lost answer before recovery, so that its queries count as later
// observations. The record of the failure is then the intent.
func (x *exchange) reportLoss() {
	if !x.rec.intended || x.sent.Failure == "" || !x.isObservation() {
		return
	}
	s := x.observation(x.sent.Failure, outage.OfQuestions)
	x.rec.lostAt = s.Noticed
	x.gateway.monitor(x.trail).Observe(s, x.gateway.logger)
}

// isObservation reports whether the exchange shows something about the service.
func (x *exchange) isObservation() bool {
	return x.isEvidence() && (x.sent.Failure == "" || outcome.IsInfrastructure(x.sent.Failure))
}

func (x *exchange) observation(class audit.Failure, scopes []outage.Scope) outage.Observation {
	s := outage.Observation{
		Class: class, Upstream: x.sent.Upstream, Sent: x.sent.DepartedAt, Noticed: x.gateway.now(),
		Scopes: scopes, BreakerOff: x.gateway.Breaker.Off,
	}
	if class != "" {
		s.Came = x.sent.Came
	}
	switch {
	case class != "" && x.rec.intended && x.rec.owedIntent == nil:
		s.Record = audit.Address(x.trail.Log, x.rec.intent)
	case x.rec.durable:
		s.Record = x.address()
	}
	return s
}
