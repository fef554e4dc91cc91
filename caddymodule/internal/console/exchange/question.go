package exchange

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// shownAsked is how many questions in a row the story tells one by one, at its beginning and at its end.
const shownAsked = 3

// questions tells which of the gateway's questions were asked, and what each has shown.
func (t *teller) questions(c *chain, when func(*audit.Record) bool) {
	var asked []*audit.Record
	for _, q := range c.asked {
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
				t.add("asked_more", q.Time, nil, "").Text = fmt.Sprintf(t.p.T("story.asked_more"), len(asked)-2*shownAsked)
			}
			continue
		}
		t.asked(q)
	}
	if c.askedBefore && asked[0] == c.asked[0] {
		t.steps[len(t.steps)-1].Detail += " · " + t.p.T("story.asked_before")
	}
}

// asked tells a question and its answer.
func (t *teller) asked(q *audit.Record) {
	class := "open"
	if word := q.Outcome; word == audit.OutcomeAnswered || word == audit.OutcomeCached {
		class = ""
	}
	s := t.add("asked", q.Time, q, class)
	s.Detail = t.p.clean(site.MaskedVouchersOf(q, t.p.mask))
	if s.Detail != q.Operation {
		s.Detail = q.Operation + " · " + s.Detail
	}
	s.Detail += ": " + t.p.learnt(q)
	s.Certainty = t.p.T("certainty." + string(q.Certainty))
}

// learnt words what a question has shown.
func (p *exchangePage) learnt(q *audit.Record) string {
	if word := q.Outcome; word != audit.OutcomeAnswered && word != audit.OutcomeCached {
		return p.T("learnt.nothing") + " (" + p.OutcomeOf(q) + ")"
	}
	if code := site.CodeOf(q); code != "" {
		return p.T("learnt.has") + ", " + p.codeName(q) + " " + p.authorisation(code)
	}
	if q.Operation == "FECompUltimoAutorizado" {
		if last := lastNumber(q.Answer); last != "" {
			return p.T("learnt.last") + " " + last
		}
		return p.OutcomeOf(q)
	}
	return p.T("learnt.no")
}

// lastNumber reads the number off the answer to FECompUltimoAutorizado; empty if it has none.
func lastNumber(answer []byte) string {
	var read struct{ CbteNro jsontext.Value }
	if json.Unmarshal(answer, &read, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	if _, err := strconv.ParseInt(string(read.CbteNro), 10, 64); err != nil {
		return ""
	}
	return string(read.CbteNro)
}

// question tells the story of one question.
func (t *teller) question(q *audit.Record) {
	s := t.add("question", q.Time, q, "")
	s.Detail = t.p.upstream(q.Upstream)
	s.Certainty = t.p.T("certainty." + string(q.Certainty))
	s = t.add("learnt", endedAt(q), q, site.ClassOf(q))
	s.Detail = t.p.learnt(q)
	t.explain(s, q, false)
	s.Certainty = t.p.T("certainty." + string(q.Certainty))
}
