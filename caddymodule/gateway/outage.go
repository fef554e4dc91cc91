package gateway

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outage"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/wsfev1"
)

// report tells what the exchange says about the service, once. It comes when the record is
// durable, or owed, and the service was asked about what was lost. What it has of that shows
// that changes arrive and are done: a failure counts among those of changes only where it has
// nothing or does not tell. A service that is slow and loses each answer is bounded by the
// rooms, the deadlines and the turns; to refuse what it issues would help nobody.
func (x *exchange) report() {
	if x.reported || !x.isObservation() {
		return
	}
	x.reported = true
	s := x.observation(x.lossClass, outage.OfQuestions)
	switch {
	case x.outcome == outcome.Recovered:
		s = x.observation("", outage.OfChanges)
	case !x.lostAt.IsZero():
		s = x.observation(x.lossClass, outage.OnlyChanges)
		s.Noticed = x.lostAt
	case x.operation.Effect == wsfev1.EffectChanges:
		s.Scopes = outage.OfChanges
	}
	x.gateway.monitor(x.trail).Observe(s, x.gateway.logger)
}

// reportLoss is report for what is about to be asked about: whether anything is answered is
// to be known before the questions are, and the record of the failure is then the intent.
func (x *exchange) reportLoss() {
	if !x.intended || x.lossClass == "" || !x.isObservation() {
		return
	}
	s := x.observation(x.lossClass, outage.OfQuestions)
	x.lostAt = s.Noticed
	x.gateway.monitor(x.trail).Observe(s, x.gateway.logger)
}

// isObservation reports whether the exchange says something about the service.
func (x *exchange) isObservation() bool {
	return x.isEvidence() && (x.lossClass == "" || outcome.IsInfrastructure(x.lossClass))
}

func (x *exchange) observation(class string, scopes []outage.Scope) outage.Observation {
	s := outage.Observation{
		Class: class, Upstream: x.upstream, Sent: x.departed, Noticed: x.gateway.now(),
		Scopes: scopes, BreakerOff: x.gateway.Breaker.Off,
	}
	switch {
	case class != "" && x.intended && x.owedIntent == nil:
		s.Record = audit.Address(x.trail.Log, x.intent)
	case x.recorded:
		s.Record = x.address()
	}
	return s
}
