package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/fill"
)

// Event is something that happened to an exchange.
type Event struct {
	// At is its moment; zero where none was recorded of its own: it came right after the one before.
	At time.Time
	// Name is its name, and Text what happened.
	Name, Text string
	// Detail explains it, and Certainty says how certain it is.
	Detail, Certainty string
	Class             Class
	// Cause is the reason in words, and Quote the text of the gateway about it.
	Cause, Quote string
	// Record is the record that it stands in; nil for several.
	Record *audit.Record
	// The reader finds more elsewhere: Origin is the address of the record whose answer was given again,
	// Findings is set for findings of the gateway, Outage for an outage.
	Origin           string
	Findings, Outage bool
}

// Around is what else belongs to the story of an exchange.
type Around struct {
	// Repeats are the requests that got its answer again, newest first.
	Repeats []*audit.Record
	// Outages are those that it fell into.
	Outages []*Outage
}

// teller tells the events of an exchange, one by one.
type teller struct {
	Voice
	x      *Exchange
	events []Event
}

// Events tells what happened to an exchange, in that order.
func (v Voice) Events(x *Exchange, about Around) []Event {
	t := &teller{Voice: v, x: x}
	switch {
	case IsQuestion(x.At):
		t.question(x.At)
	case x.Intent == nil && x.Outcome == nil: // a settlement, whose intent is in a log that is not here
		t.later(time.Time{})
	case x.Outcome == nil && x.Settlement == nil:
		t.arrival()
		t.add("open", time.Time{}, nil, Open).Certainty = v.T("certainty.unknown")
		t.questions(func(*audit.Record) bool { return true })
	default:
		t.arrival()
		t.result()
	}
	for _, one := range slices.Backward(about.Repeats) {
		t.add("repeated", one.Time, one, "")
	}
	t.outages(about.Outages)
	return t.events
}

// add adds an event that stands in a record. kind is the key of its words.
func (t *teller) add(kind string, at time.Time, r *audit.Record, class Class) *Event {
	t.events = append(t.events, Event{
		At: at, Name: t.T("step." + kind), Text: t.T("story." + kind), Certainty: t.T("certainty.recorded"), Class: class, Record: r,
	})
	return t.last()
}

// last returns the newest event.
func (t *teller) last() *Event { return &t.events[len(t.events)-1] }

// arrival tells what came before anything was sent.
func (t *teller) arrival() {
	r := t.x.Request()
	e := t.add("received", r.Time, r, "")
	e.Detail = t.Client(r)
	if l := r.Client; l != nil {
		e.Detail += " · " + t.Quoted(FormName(l.Form, l.RequestMediaType()))
	}
	t.judged()
	if t.x.Intent != nil {
		t.add("intent", time.Time{}, t.x.Intent, "")
	}
}

// judged tells the findings before it was sent, and the members that the gateway has filled in.
func (t *teller) judged() {
	r := t.x.Request()
	counts, filled := map[string]int{}, []string{}
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case IsAboutAnswer(f):
		case f.Code == fill.CodeFilled:
			filled = append(filled, f.Text)
		default:
			counts[f.Action]++
		}
	}
	e := t.add("judged", time.Time{}, r, map[bool]Class{true: Bad}[counts["refuse"] > 0])
	e.Detail = t.T("judged.none")
	var parts []string
	for _, action := range []string{"refuse", "observe"} {
		if n := counts[action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", t.T("judged."+action), n))
		}
	}
	if len(parts) > 0 {
		e.Detail, e.Findings = strings.Join(parts, ", "), true
	}
	if len(filled) > 0 {
		e = t.add("filled", time.Time{}, r, Open)
		e.Detail, e.Findings = t.Quoted(filled[0]), true
		if more := len(filled) - 1; more > 0 {
			e.Detail += fmt.Sprintf(" (+%d)", more)
		}
	}
}

// result tells what was sent, and what came back.
func (t *teller) result() {
	r := t.x.Outcome
	if r == nil { // the process that sent it wrote nothing more
		t.sent(t.x.Intent)
		t.later(t.x.Intent.Time)
		return
	}
	switch {
	case IsRepeat(r):
		t.add("repeat", time.Time{}, r, "").Origin = OriginOf(r)
		t.replied(r)
	case r.Certainty == audit.NotSent && t.x.Intent != nil:
		t.explain(t.add("not_sent", time.Time{}, r, Bad), r, false)
		t.last().Certainty = t.T("certainty.not_sent")
		t.replied(r)
	case r.Certainty == audit.NotSent:
		e := t.add("refused", time.Time{}, r, Bad)
		e.Detail = cmp.Or(t.T("why."+string(r.Outcome)), t.Outcome(r))
		t.explain(e, r, false)
		e.Certainty = t.T("certainty.not_sent")
		t.replied(r)
	default:
		t.sent(r)
		t.back()
	}
	t.later(Ended(r))
}

// sent tells that the request has left.
func (t *teller) sent(r *audit.Record) {
	e := t.add("sent", time.Time{}, r, "")
	e.Detail = t.Upstream(r)
	switch of := environment.Of(r); of {
	case environment.Production, environment.Testing:
		e.Detail = strings.TrimPrefix(e.Detail+" · "+t.Environment(of), " · ")
	}
	e.Certainty = t.T("certainty." + string(r.Certainty))
	if l := r.Service; l != nil {
		e.Detail = strings.TrimPrefix(e.Detail+" · "+t.Quoted(FormName(l.Form, l.RequestMediaType())), " · ")
	}
	if used := t.x.Request().Certificate; used != "" {
		e.Detail += " · " + t.T("story.certificate") + " " + t.Quoted(used)
	}
}

// explain adds why an event ended as it did: in words, where they are known, and as the gateway has written
// it. told: the words of the event say it already.
func (t *teller) explain(e *Event, r *audit.Record, told bool) {
	e.Quote = t.Quoted(r.Detail)
	if cause := CauseOf(r); cause != "" && !told {
		e.Cause = t.T("cause." + string(cause))
	}
}

// replied tells how the gateway answered the client.
func (t *teller) replied(r *audit.Record) {
	if r.Status == 0 {
		t.add("unreplied", time.Time{}, r, Open)
		return
	}
	t.add("replied", Ended(r), r, "").Detail = "HTTP " + strconv.Itoa(r.Status) + " · " + t.Duration(r.Duration)
}

// outages puts the outages into the story, each where it happened.
func (t *teller) outages(all []*Outage) {
	for _, o := range all {
		if o.Began != nil {
			t.insert(o.Began, "outage", o.Began.Time, Bad)
			if o.Ended != nil {
				t.insert(o.Ended, "outage_over", Ended(o.Ended), Good)
			}
		}
	}
}

// insert puts an event before the first that happened later.
func (t *teller) insert(r *audit.Record, kind string, at time.Time, class Class) {
	e := *t.add(kind, at, r, class)
	e.Outage, e.Detail = true, t.Upstream(r)
	t.events = t.events[:len(t.events)-1]
	where := slices.IndexFunc(t.events, func(other Event) bool { return other.At.After(at) })
	if where < 0 {
		where = len(t.events)
	}
	t.events = slices.Insert(t.events, where, e)
}
