package exchange

import (
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

// health reports to the monitor of the service what an exchange shows about it.
type health struct {
	way   *Way
	trail *trail.Trail
	// lostAt is when the loss of the answer was reported, zero if it was not. reported: the monitor has the
	// result.
	lostAt   time.Time
	reported bool
}

// report reports the exchange's observation, once. It comes after the record is
// durable or in the backlog, and after recovery. A recovered request shows that changes are
// carried out: a failure counts in the scope of changes only if the request was not recovered.
// A service that is slow and loses every answer is bounded by slots, deadlines and turns;
// refusing what it does issue would not help.
func (h *health) report(f *record.Facts) {
	if h.reported || !isObservation(f) {
		return
	}
	h.reported = true
	s := h.observation(f, f.Sent.Failure, outage.OfQuestions)
	switch {
	case f.Result.Outcome == audit.OutcomeRecovered:
		s = h.observation(f, "", outage.OfChanges)
	case !h.lostAt.IsZero():
		s = h.observation(f, f.Sent.Failure, outage.OnlyChanges)
		s.Noticed = h.lostAt
	case f.Decision.Operation.Effect == wsfev1.EffectChanges:
		s.Scopes = outage.OfChanges
	}
	h.way.monitor(h.trail).Observe(s, h.way.Logger)
}

// lost reports a lost answer before recovery, so that its queries count as later
// observations. The record of the failure is then the intent.
func (h *health) lost(f *record.Facts) {
	if !f.Place.Intended || f.Sent.Failure == "" || !isObservation(f) {
		return
	}
	s := h.observation(f, f.Sent.Failure, outage.OfQuestions)
	h.lostAt = s.Noticed
	h.way.monitor(h.trail).Observe(s, h.way.Logger)
}

// isObservation reports whether the exchange shows something about the service.
func isObservation(f *record.Facts) bool {
	return f.IsEvidence() && (f.Sent.Failure == "" || outcome.IsInfrastructure(f.Sent.Failure))
}

func (h *health) observation(f *record.Facts, class audit.Failure, scopes []outage.Scope) outage.Observation {
	s := outage.Observation{
		Class: class, Upstream: f.Sent.Upstream, Sent: f.Sent.DepartedAt, Noticed: h.way.Now(),
		Scopes: scopes, BreakerOff: h.way.Breaker.Off,
	}
	if class != "" {
		s.Came = f.Sent.Came
	}
	switch {
	case class != "" && f.Place.IntentDurable:
		s.Record = audit.Address(f.Log, f.Place.Intent)
	case f.Place.Durable:
		s.Record = f.Address()
	}
	return s
}
