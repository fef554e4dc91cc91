package story

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
)

// Turn is something that became known about an invoice.
type Turn struct {
	Place
	At time.Time
	// Entry is the exchange that it is about, and Number its place in Invoice.Entries; nil for an outage.
	Entry  *Entry
	Number int
	// Intent: the request was recorded, and has no result yet.
	Intent bool
	// outage is the text of an outage; the others are worded from their exchange.
	outage string
}

// Turns returns what became known, in that order. Within a log that is the order of its records; an intent,
// which has the time of its request, may come after what was asked first.
func (i *Invoice) Turns() []Turn {
	turns := i.outageTurns()
	for n, s := range i.Entries {
		if s.Kind == audit.KindOutcome {
			turns = append(turns, Turn{Place: s.Intent, At: s.IntendedAt(), Number: n, Entry: s, Intent: true})
		}
		turns = append(turns, Turn{Place: s.Place, At: s.Known(), Number: n, Entry: s, Intent: s.Kind == audit.KindIntent})
	}
	slices.SortFunc(turns, func(a, b Turn) int { return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.Index, b.Index)) })
	for n := 1; n < len(turns); n++ {
		if before := turns[n-1]; before.Log == turns[n].Log && turns[n].At.Before(before.At) {
			turns[n].At = before.At
		}
	}
	slices.SortStableFunc(turns, func(a, b Turn) int { return a.At.Compare(b.At) })
	return turns
}

// outageTurns tells when the gateway noticed each outage, and when the service answered again.
func (i *Invoice) outageTurns() (turns []Turn) {
	add := func(r *audit.Record, text string) {
		if r != nil {
			turns = append(turns, Turn{Place: Place{r.Log, r.Index}, At: Ended(r), outage: text})
		}
	}
	for _, o := range i.Outages {
		if o.Began != nil {
			add(o.Began, fmt.Sprintf(Printed.T("story.outage"), printed.Moment(o.Began.Time)))
		}
		if o.Ended != nil {
			add(o.Ended, fmt.Sprintf(Printed.T("story.outage_over"), printed.Duration(o.Ended.Duration)))
		}
	}
	return turns
}

// Told is a turn in words. Asked is set for questions of the gateway, which are one line.
type Told struct {
	At, Address, Text string
	// Exchange is the number of its exchange, -1 for none.
	Exchange int
	Asked    []Told
}

// Tell words the turns. Consecutive questions of the gateway become one line, with the result of the
// last of them.
func (i *Invoice) Tell(turns []Turn) (all []Told) {
	asking := false
	for _, turn := range turns {
		one := i.told(turn)
		own := turn.Entry != nil && turn.Entry.IsOwn()
		question := own && turn.Entry.IsQuestion()
		switch {
		case question && asking:
			group := &all[len(all)-1]
			group.Asked = append(group.Asked, one)
			group.Text = fmt.Sprintf("La pasarela consultó al servicio %d veces si el comprobante existía. La última vez: %s", len(group.Asked), i.reply(turn.Entry))
		case own:
			all = append(all, Told{At: one.At, Text: one.Text, Exchange: -1, Asked: []Told{one}})
		default:
			all = append(all, one)
		}
		asking = question
	}
	return all
}

func (i *Invoice) told(turn Turn) Told {
	one := Told{At: printed.Moment(turn.At), Address: turn.Address(), Text: turn.outage, Exchange: -1}
	if turn.Entry != nil {
		one.Exchange, one.Text = turn.Number, i.Result(turn.Entry)
		if turn.Intent && turn.Entry.Kind == audit.KindOutcome {
			one.Text = Printed.T("story.intent")
		}
	}
	return one
}
