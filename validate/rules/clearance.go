package rules

import (
	"maps"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Clearance says that rules have found nothing in a request, on a day. Other rules may spare themselves the judgement
// (Rules.Accepts). It says nothing if it is nil.
type Clearance struct {
	request *validate.Request
	rules   *Rules
	// day counts the days since 1970 in Argentina.
	day int32
	// listed: a table of the service (Settings.Tables) has admitted something that the built-in one lacks.
	listed bool
}

// JudgeAndClear is Judge, which also returns a clearance: nil if something was found.
func (r *Rules) JudgeAndClear(req *validate.Request, now time.Time) ([]validate.Finding, *Clearance) {
	if !req.Typed() {
		return []validate.Finding{validate.UnknownOperation()}, nil
	}
	r = r.made()
	j := judgements.Get().(*judgement)
	defer j.release()
	j.judge(r, req, now)
	if len(j.findings) > 0 {
		return j.findings, nil
	}
	return nil, &Clearance{request: req, rules: r, day: int32(j.calendar.day), listed: j.admitted}
}

// Accepts reports whether these rules would not find anything either: it is the same request and the same day, and
// the rules that have cleared it are these, or find at least as much. It may report false for a request in which these
// rules would find nothing.
func (r *Rules) Accepts(c *Clearance, req *validate.Request, now time.Time) bool {
	r = r.made()
	return c != nil && c.request == req && int64(c.day) == dayOf(now) && !c.listed &&
		r.findNoMoreThan(c.rules) && r.acceptsFigures(c, now) && r.acceptsSize(req)
}

// findNoMoreThan reports whether rules with the settings of other find what these find, but for figures, tables and
// the size of a lot, on which a request need not depend.
func (r *Rules) findNoMoreThan(other *Rules) bool {
	own, of := &r.settings, &other.settings
	return r == other ||
		maps.Equal(own.Levels, of.Levels) && (own.DecidesState || !of.DecidesState) && own.Rates == nil &&
			same(own.AbsoluteTolerance, of.AbsoluteTolerance) && same(own.RelativeTolerance, of.RelativeTolerance) &&
			same(own.ConsumerFinalThreshold, of.ConsumerFinalThreshold) && same(own.FCEMinimum, of.FCEMinimum)
}

func same(a, b wsfev1.Amount) bool { return a.Sent() == b.Sent() && a.Equal(b) }

// acceptsFigures reports whether the figures of the environment make no difference to the request. Where the clearing
// rules know no environment, no invoice may reach the least of all figures that may hold: then it reaches none.
func (r *Rules) acceptsFigures(c *Clearance, now time.Time) bool {
	switch c.rules.settings.Environment {
	case r.settings.Environment:
		return true
	case AnyEnvironment:
	default:
		return false
	}
	lot := wsfev1.LotOf(c.request.Body)
	if lot == nil {
		return true
	}
	check := invoiceCheck{report: &report{req: c.request, rules: c.rules, calendar: c.rules.on(now)}, lot: lot}
	for i := range lot.Len() {
		check.FECAEDetRequest, check.index = lot.Invoice(i), i
		if check.reaches(check.consumerFinal().least, 1) || check.reaches(check.creditMinimum().least, 1) {
			return false
		}
	}
	return true
}

// acceptsSize reports whether the lot is none, or not too large (10003).
func (r *Rules) acceptsSize(req *validate.Request) bool {
	lot := wsfev1.LotOf(req.Body)
	return lot == nil || lot.Len()+req.Unread <= r.LargestLot()
}
