package exchange

import (
	"slices"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// back tells how the service answered, and how the gateway then answered the client.
func (t *teller) back(c *chain) {
	r := c.outcome
	ended := endedAt(r)
	early := func(q *audit.Record) bool { return !q.Time.After(ended) && q.Log == r.Log && q.Index < r.Index }
	// The questions took the place of an answer if a record says how that answer was lost.
	lost := c.intent != nil && r.Detail != "" && r.Certainty == audit.Answered && slices.ContainsFunc(c.asked, early)
	switch word := r.Outcome; {
	case lost, word == audit.OutcomeRecovered, word == audit.OutcomeNotIssued, r.Outcome == different, r.Status == 0:
		key := silence(r)
		if r.Status == 0 {
			key = "crashed"
		}
		t.explain(t.add(key, time.Time{}, r, "open"), r, key == silence(r) && key != "silence")
		t.last().Certainty = t.p.T("certainty.unknown")
		t.questions(c, early)
		t.settled(r, ended)
	case word == audit.OutcomeUnknown:
		at := time.Time{}
		if len(c.asked) == 0 {
			at = ended
		}
		t.explain(t.add(silence(r), at, r, "open"), r, silence(r) != "silence")
		t.last().Certainty = t.p.T("certainty.unknown")
		t.questions(c, early)
	case word == audit.OutcomeUpstreamError:
		t.explain(t.add("nonsense", ended, r, "open"), r, false)
		t.last().Certainty = t.p.T("certainty.unknown")
	default:
		t.questions(c, early)
		s := t.add("answered", ended, r, site.ClassOf(r))
		s.Detail, s.Certainty = t.p.verdict(r), t.p.T("certainty.answered")
	}
	t.replied(r)
}

// replied tells how the gateway answered the client.
func (t *teller) replied(r *audit.Record) {
	if r.Status == 0 {
		t.add("unreplied", time.Time{}, r, "open")
		return
	}
	s := t.add("replied", endedAt(r), r, "")
	s.Detail = "HTTP " + strconv.Itoa(r.Status) + " · " + t.p.took(r.Duration)
}

// later tells what became known after the client had its answer.
func (t *teller) later(c *chain, ended time.Time) {
	t.questions(c, func(q *audit.Record) bool {
		return c.outcome == nil || q.Log != c.outcome.Log || q.Index > c.outcome.Index
	})
	if c.settlement != nil {
		at := c.settlement.Time
		if at.Before(ended) {
			at = ended
		}
		t.settled(c.settlement, at)
	}
}

// different is the outcome of a settlement that found another invoice under the number.
const different = "different"

// settled tells the result of the questions.
func (t *teller) settled(r *audit.Record, at time.Time) {
	key, class := "settled", site.ClassOf(r)
	switch r.Outcome {
	case audit.OutcomeNotIssued:
		key += ".not_issued"
	case different, audit.OutcomeRejected:
		key += ".different"
	}
	if r.Outcome == different {
		class = "bad"
	}
	s := t.add(key, at, r, class)
	s.Name, s.Detail, s.Certainty = t.p.T("step.settled"), t.p.verdict(r), t.p.T("certainty.answered")
}

// verdict words what a record says about its invoices.
func (p *exchangePage) verdict(r *audit.Record) string {
	text := p.OutcomeOf(r)
	if code := site.CodeOf(r); code != "" {
		text += " · " + p.codeName(r) + " " + p.authorisation(code) + p.others(r)
	}
	return text
}
