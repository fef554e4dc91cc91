package caddymodule

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/wsfev1"
)

// report tells what the exchange says about the service, once. It comes when the record is
// durable, or owed, and the service was asked about what was lost. What it has of that shows
// that changes arrive and are done: a failure counts among those of changes only where it has
// nothing or does not tell. A service that is slow and loses each answer is bounded by the
// rooms, the deadlines and the turns; to refuse what it issues would help nobody.
func (x *exchange) report() {
	if x.reported || !x.isSight() {
		return
	}
	x.reported = true
	s := x.sight(x.lossClass, ofQuestions)
	switch {
	case x.outcome == outcome.Recovered:
		s = x.sight("", ofChanges)
	case !x.lostAt.IsZero():
		s = x.sight(x.lossClass, onlyChanges)
		s.noticed = x.lostAt
	case x.operation.Effect == wsfev1.EffectChanges:
		s.scopes = ofChanges
	}
	x.gateway.watchOf(x.trail).saw(s, x.gateway.logger)
}

// reportLoss is report for what is about to be asked about: whether anything is answered is
// to be known before the questions are, and the record of the failure is then the intent.
func (x *exchange) reportLoss() {
	if !x.intended || x.lossClass == "" || !x.isSight() {
		return
	}
	s := x.sight(x.lossClass, ofQuestions)
	x.lostAt = s.noticed
	x.gateway.watchOf(x.trail).saw(s, x.gateway.logger)
}

// isSight reports whether the exchange says something about the service.
func (x *exchange) isSight() bool {
	return x.isEvidence() && (x.lossClass == "" || outcome.IsInfrastructure(x.lossClass))
}

func (x *exchange) sight(class string, scopes []once.Scope) sight {
	s := sight{
		class: class, upstream: x.upstream, sent: x.departed, noticed: x.gateway.now(),
		scopes: scopes, unwatched: x.gateway.Breaker.Off,
	}
	switch {
	case class != "" && x.intended && x.owedIntent == nil:
		s.record = audit.Address(x.trail.log, x.intent)
	case x.recorded:
		s.record = x.address()
	}
	return s
}
