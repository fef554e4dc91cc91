package today

import (
	"fmt"
	"net/url"
	"strconv"
)

// verdict is the sentence at the top of the page. Green is a claim: everything of the day was read, nothing was
// turned away, the service was there all the time, and nothing needs a person.
type verdict struct {
	// Class is good, open if something needs a person, and empty else.
	Class, Text string
	// Whole: everything of the day was read.
	Whole bool
	// Parts are why the day is not green although nothing needs a person any more.
	Parts []remark
}

// judge sets the verdict, once all needs are known.
func (p *todayPage) judge(d *shown, outages int, day string) {
	if !d.made.IsZero() {
		p.Made, p.MadeMachine = p.Moment(d.made), machine(d.made)
	}
	v := &p.Verdict
	v.Whole = d.whole
	if d.TurnedAway > 0 {
		text := p.Count(int64(d.TurnedAway)) + " " + p.Plural(d.TurnedAway, "turned_away")
		v.Parts = append(v.Parts, remark{text, p.search(url.Values{"q": {day}, "list": {"exchanges"}})})
	}
	if d.Damaged && d.Unreadable.Count == 0 {
		v.Parts = append(v.Parts, remark{p.T("damaged"), p.search(url.Values{"q": {day}})})
	}
	if outages > 0 {
		v.Parts = append(v.Parts, remark{strconv.Itoa(outages) + " " + p.Plural(outages, "outages.count"), p.Base + "/outages?month=" + day[:len("2006-01")]})
	}
	switch {
	case !v.Whole:
		v.Text, v.Parts = p.partial(d), nil
	case p.Sum == 1:
		v.Class, v.Text, v.Parts = "open", p.T("one_needs"), nil
	case p.Sum > 1:
		v.Class, v.Text, v.Parts = "open", strconv.Itoa(p.Sum)+" "+p.T("some_need"), nil
	case len(v.Parts) > 0:
		v.Text = p.T("nothing_left")
	default:
		v.Class, v.Text = "good", "✓ "+p.T("all_well")
	}
}

// partial says how much of the day was read. A reader of some issuers does not learn how many records there are.
func (p *teller) partial(d *shown) string {
	switch {
	case d.Read < d.Of && !p.IsBound():
		return fmt.Sprintf(p.T("read_part"), p.Count(int64(d.Read)), p.Count(int64(d.Of)))
	case d.Read < d.Of || d.made.IsZero():
		return p.T("reading")
	}
	return p.T("too_much")
}
