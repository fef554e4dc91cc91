package story

import (
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
)

// back tells how the service answered, and how the gateway then answered the client.
func (t *teller) back() {
	x, r := t.x, t.x.Outcome
	ended := Ended(r)
	early := func(q *audit.Record) bool { return !q.Time.After(ended) && q.Log == r.Log && q.Index < r.Index }
	// The questions took the place of an answer if a record says how that answer was lost.
	lost := x.Intent != nil && r.Detail != "" && r.Certainty == audit.Answered && slices.ContainsFunc(x.Asked, early)
	switch word := r.Outcome; {
	case lost, word == audit.OutcomeRecovered, word == audit.OutcomeNotIssued, word == outcome.Different, r.Status == 0:
		kind := silenceOf(r)
		if r.Status == 0 {
			kind = "crashed"
		}
		t.silent(kind, time.Time{}, r)
		t.questions(early)
		t.settled(r, ended)
	case word == audit.OutcomeUnknown:
		at := time.Time{}
		if len(x.Asked) == 0 {
			at = ended
		}
		t.silent(silenceOf(r), at, r)
		t.questions(early)
	case word == audit.OutcomeUpstreamError:
		t.explain(t.add("nonsense", ended, r, Open), r, false)
		t.last().Certainty = t.T("certainty.unknown")
	default:
		t.questions(early)
		e := t.add("answered", ended, r, ClassOf(r))
		e.Detail, e.Certainty = t.Verdict(r), t.T("certainty.answered")
	}
	t.replied(r)
}

// silent tells that no answer came, or one that settled nothing. The words for one that was late, was cut off or was a
// rejection in doubt say why.
func (t *teller) silent(kind string, at time.Time, r *audit.Record) {
	t.explain(t.add(kind, at, r, Open), r, kind == "late" || kind == "cut" || kind == "disputed")
	t.last().Certainty = t.T("certainty.unknown")
}

// later tells what became known after the client had its answer.
func (t *teller) later(ended time.Time) {
	x := t.x
	t.questions(func(q *audit.Record) bool {
		return x.Outcome == nil || q.Log != x.Outcome.Log || q.Index > x.Outcome.Index
	})
	if x.Settlement != nil {
		at := x.Settlement.Time
		if at.Before(ended) {
			at = ended
		}
		t.settled(x.Settlement, at)
	}
}

// settled tells the result of the questions.
func (t *teller) settled(r *audit.Record, at time.Time) {
	kind, class := "settled", ClassOf(r)
	switch r.Outcome {
	case audit.OutcomeNotIssued:
		kind += ".not_issued"
	case outcome.Different, audit.OutcomeRejected:
		kind += ".different"
	}
	if r.Outcome == outcome.Different {
		class = Bad
	}
	e := t.add(kind, at, r, class)
	e.Name, e.Detail, e.Certainty = t.T("step.settled"), t.Verdict(r), t.T("certainty.answered")
}

// shownAsked is how many questions in a row are told one by one, at the beginning and at the end.
const shownAsked = 3

// questions tells which of the gateway's questions were asked, and what each has shown.
func (t *teller) questions(when func(*audit.Record) bool) {
	var asked []*audit.Record
	for _, q := range t.x.Asked {
		if when(q) {
			asked = append(asked, q)
		}
	}
	if len(asked) == 0 {
		return
	}
	for i, q := range asked {
		if i >= shownAsked && i < len(asked)-shownAsked {
			if i == shownAsked {
				t.add("asked_more", q.Time, nil, "").Text = fmt.Sprintf(t.T("story.asked_more"), len(asked)-2*shownAsked)
			}
			continue
		}
		t.asked(q)
	}
	if t.x.AskedBefore && asked[0] == t.x.Asked[0] {
		t.last().Detail += " · " + t.T("story.asked_before")
	}
}

// asked tells a question and its answer.
func (t *teller) asked(q *audit.Record) {
	class := Open
	if gotAnswer(q.Outcome) {
		class = ""
	}
	e := t.add("asked", q.Time, q, class)
	e.Detail = Clean(t.Vouchers(q))
	if e.Detail != q.Operation {
		e.Detail = q.Operation + " · " + e.Detail
	}
	e.Detail += ": " + t.learnt(q)
	e.Certainty = t.T("certainty." + string(q.Certainty))
}

// question tells the story of one question.
func (t *teller) question(q *audit.Record) {
	e := t.add("question", q.Time, q, "")
	e.Detail = t.Upstream(q)
	e.Certainty = t.T("certainty." + string(q.Certainty))
	e = t.add("learnt", Ended(q), q, ClassOf(q))
	e.Detail = t.learnt(q)
	t.explain(e, q, false)
	e.Certainty = t.T("certainty." + string(q.Certainty))
}

// gotAnswer reports whether a query with this outcome was answered.
func gotAnswer(word audit.Outcome) bool {
	return word == audit.OutcomeAnswered || word == audit.OutcomeCached
}

// learnt words what a question has shown.
func (t *teller) learnt(q *audit.Record) string {
	if !gotAnswer(q.Outcome) {
		return t.T("learnt.nothing") + " (" + t.Outcome(q) + ")"
	}
	if code := FirstCode(q); code != "" {
		return t.T("learnt.has") + ", " + CodeName(q) + " " + t.Code(code)
	}
	if q.Operation == "FECompUltimoAutorizado" {
		if last := bodies.LastNumber(q.Answer); last != "" {
			return t.T("learnt.last") + " " + last
		}
		return t.Outcome(q)
	}
	return t.T("learnt.no")
}
