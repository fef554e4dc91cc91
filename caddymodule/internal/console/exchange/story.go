package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/fill"
)

// step is a step of the story.
type step struct {
	// When and Machine are its moment, empty where none was recorded of its own: it came right after the
	// one before.
	When, Machine string
	Name, Text    string
	// Detail explains it, and Certainty says how certain it is.
	Detail, Certainty, Class string
	// Cause is the reason in words, and Quote the text of the gateway about it.
	Cause, Quote string
	// Record is the record that it stands in, and Address the page of that.
	Record, Address string
	// To and ToName lead to more: the findings, the outages.
	To, ToName string
	// Here: it stands in the record of the page's address.
	Here bool

	at time.Time
}

// teller tells the story of an exchange, step by step.
type teller struct {
	p     *exchangePage
	steps []step
}

// add adds a step that stands in a record. key names its words; at is zero where no moment of its own was
// recorded.
func (t *teller) add(key string, at time.Time, r *audit.Record, class string) *step {
	s := step{Name: t.p.T("step." + key), Text: t.p.T("story." + key), Class: class, Certainty: t.p.T("certainty.recorded"), at: at}
	if !at.IsZero() {
		s.When, s.Machine = t.p.Moment(at)+at.Format(".000"), at.UTC().Format(time.RFC3339Nano)
	}
	if r != nil {
		s.Record, s.Address = r.Address(), t.p.AddressOf(r.Log, r.Index)
		s.Here = s.Record == t.p.Record
	}
	t.steps = append(t.steps, s)
	return &t.steps[len(t.steps)-1]
}

// tell tells the story in the order in which it happened.
func (p *exchangePage) tell(c *chain, about *related) {
	t := &teller{p: p}
	switch {
	case isOwn(c.at):
		t.question(c.at)
	case c.outcome == nil && c.settlement == nil:
		t.arrival(c)
		t.add("open", time.Time{}, nil, "open").Certainty = p.T("certainty.unknown")
		t.questions(c, func(*audit.Record) bool { return true })
	default:
		t.arrival(c)
		t.result(c)
	}
	for _, one := range slices.Backward(about.repeats) {
		t.add("repeated", one.Time, one, "")
	}
	t.addOutages(about.outages)
	p.Story = t.steps
}

// arrival tells what came before anything was sent.
func (t *teller) arrival(c *chain) {
	r := c.request()
	s := t.add("received", r.Time, r, "")
	s.Detail = t.p.client(r)
	if l := r.Client; l != nil {
		s.Detail += " · " + t.p.quoted(formName(l.Form, l.RequestMediaType()))
	}
	t.judged(c)
	if c.intent != nil {
		t.add("intent", time.Time{}, c.intent, "")
	}
}

// judged tells the findings before it was sent, and the members that the gateway has filled in.
func (t *teller) judged(c *chain) {
	r := c.request()
	counts, filled := map[string]int{}, []string{}
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case strings.HasPrefix(f.Code, "answer."):
		case f.Code == fill.CodeFilled:
			filled = append(filled, f.Text)
		default:
			counts[f.Action]++
		}
	}
	s := t.add("judged", time.Time{}, r, map[bool]string{true: "bad"}[counts["refuse"] > 0])
	s.Detail = t.p.T("judged.none")
	var parts []string
	for _, action := range []string{"refuse", "observe"} {
		if n := counts[action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", t.p.T("judged."+action), n))
		}
	}
	if len(parts) > 0 {
		s.Detail, s.To, s.ToName = strings.Join(parts, ", "), "#findings", t.p.T("findings")
	}
	if len(filled) > 0 {
		s = t.add("filled", time.Time{}, r, "open")
		s.Detail, s.To, s.ToName = t.p.quoted(filled[0]), "#findings", t.p.T("findings")
		if more := len(filled) - 1; more > 0 {
			s.Detail += fmt.Sprintf(" (+%d)", more)
		}
	}
}

// result tells what was sent, and what came back.
func (t *teller) result(c *chain) {
	r := c.outcome
	if r == nil { // the process that sent it wrote nothing more
		t.sent(c.intent, time.Time{})
		t.later(c, c.intent.Time)
		return
	}
	switch {
	case r.Decision == audit.DecisionReplay, r.Decision == audit.DecisionCache:
		s := t.add("repeat", time.Time{}, r, "")
		if origin := originOf(r); origin != "" {
			s.To, s.ToName = t.p.recordAddress(origin), origin
		}
		t.replied(r)
	case r.Certainty == audit.NotSent && c.intent != nil:
		t.explain(t.add("not_sent", time.Time{}, r, "bad"), r, false)
		t.last().Certainty = t.p.T("certainty.not_sent")
		t.replied(r)
	case r.Certainty == audit.NotSent:
		s := t.add("refused", time.Time{}, r, "bad")
		s.Detail = cmp.Or(t.p.T("why."+string(r.Outcome)), t.p.OutcomeOf(r))
		t.explain(s, r, false)
		s.Certainty = t.p.T("certainty.not_sent")
		t.replied(r)
	default:
		t.sent(r, time.Time{})
		t.back(c)
	}
	t.later(c, endedAt(r))
}

// last returns the newest step.
func (t *teller) last() *step { return &t.steps[len(t.steps)-1] }

// sent tells that the request has left.
func (t *teller) sent(r *audit.Record, at time.Time) {
	s := t.add("sent", at, r, "")
	s.Detail = t.p.upstream(r.Upstream)
	s.Certainty = t.p.T("certainty." + string(r.Certainty))
	if l := r.Service; l != nil {
		s.Detail = strings.TrimPrefix(s.Detail+" · "+t.p.quoted(formName(l.Form, l.RequestMediaType())), " · ")
	}
}

// addOutages puts the outages into the story, each where it happened.
func (t *teller) addOutages(gaps []gap) {
	for _, g := range gaps {
		t.insert(g.began, "outage", g.began.Time, "bad")
		if g.ended != nil {
			t.insert(g.ended, "outage_over", endedAt(g.ended), "good")
		}
	}
}

// insert puts a step before the first that happened later.
func (t *teller) insert(r *audit.Record, key string, at time.Time, class string) {
	s := *t.add(key, at, r, class)
	s.To, s.ToName, s.Detail = t.p.Base+"/outages", t.p.T("nav.outages"), t.p.upstream(r.Upstream)
	t.steps = t.steps[:len(t.steps)-1]
	where := slices.IndexFunc(t.steps, func(other step) bool { return other.at.After(at) })
	if where < 0 {
		where = len(t.steps)
	}
	t.steps = slices.Insert(t.steps, where, s)
}
