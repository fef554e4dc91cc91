package today

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/wsfev1"
)

var causesTemplate = site.NewPage(files, "templates/causes.html", words)

const (
	// maxSpan is how many days a page of causes has, and how many it has if the address says nothing.
	maxSpan = 7
	// maxCauses and maxClients bound what a page lists. The most frequent come first.
	maxCauses, maxClients = 200, 20
)

// causesPage has the reasons for which requests were turned down on some days.
type causesPage struct {
	teller
	// From and To are the first and the last day. Before and After are the addresses of the days before and after them;
	// After is empty if the last day is today.
	From, To, Before, After string
	// Spans lead to as many days up to the last one.
	Spans []span
	// Partial says how far it was read, empty if all was.
	Partial string
	Causes  []shownCause
	// More is how many more causes there are, empty for none.
	More string
}

// span is a number of days. The one that is shown has no address.
type span struct{ Name, Address string }

// shownCause is a reason.
type shownCause struct {
	Code, Text string
	// Times and Clients count the requests and who sent them, in words.
	Times, Clients string
	// Gateway and Service are how many of them each has turned down, with the share.
	Gateway, Service     string
	First, Last, Address string
	// Who are those who sent most of them.
	Who []who
}

type who struct{ Name, Times string }

// showCauses shows why requests were turned down. It counts the days as the first page does.
func (m *room) showCauses(w http.ResponseWriter, r *http.Request) error {
	last, today, err := dayOf(r, "until", m.Now().In(wsfev1.Argentina))
	if err != nil {
		return err
	}
	n := maxSpan
	if text := r.URL.Query().Get("days"); text != "" {
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n > maxSpan {
			return site.ErrBadRequest
		}
	}
	p := &causesPage{teller: newTeller(m.Frame(r, causesTemplate, "today", "causes"))}
	p.link(last, today, n)
	err = m.Read(r, "", "causes --since "+last.AddDate(0, 0, 1-n).Format(time.DateOnly)+" --until "+last.Format(time.DateOnly), func(sources []site.Source) error {
		var days []*day
		for i := range n { // the newest first
			at := last.AddDate(0, 0, -i)
			days = append(days, m.dayOf(at.Format(time.DateOnly), at))
		}
		if err := m.refresh(r.Context(), days...); err != nil {
			return err
		}
		return p.fill(r.Context(), sources, days, m.Scope(r))
	})
	if err != nil {
		return err
	}
	return m.Show(w, http.StatusOK, causesTemplate, p)
}

// link sets the days and the addresses around them.
func (p *causesPage) link(last, today time.Time, n int) {
	p.From, p.To = p.dayOf(last.AddDate(0, 0, 1-n)), p.dayOf(last)
	address := func(last time.Time, n int) string {
		values := url.Values{"until": {last.Format(time.DateOnly)}}
		if n != maxSpan {
			values.Set("days", strconv.Itoa(n))
		}
		return p.Base + "/causes?" + values.Encode()
	}
	p.Before = address(last.AddDate(0, 0, -n), n)
	if last.Before(today) {
		next := last.AddDate(0, 0, n)
		if next.After(today) {
			next = today
		}
		p.After = address(next, n)
	}
	for _, days := range []int{1, maxSpan} {
		one := span{strconv.Itoa(days) + " " + p.Plural(days, "days"), address(last, days)}
		if days == n {
			one.Address = ""
		}
		p.Spans = append(p.Spans, one)
	}
}

// fill shows what was counted, of the reader's issuers alone.
func (p *causesPage) fill(ctx context.Context, sources []site.Source, days []*day, scope site.Scope) error {
	so, whole, all := &shown{}, true, true
	var tallies []*tally.Day
	for _, d := range days {
		d.mu.Lock()
		of := d.progress()
		tallies = append(tallies, d.tallies...)
		p.Damaged = p.Damaged || slices.ContainsFunc(d.tallies, func(one *tally.Day) bool { return one.IsDamaged(scope.Sees) })
		d.mu.Unlock()
		so.Read, so.Of, whole = so.Read+of.Read, so.Of+of.Of, whole && of.whole
		if so.made, all = of.made, all && !of.made.IsZero(); !all {
			so.made = time.Time{} // one day was not read yet
		}
	}
	if !whole {
		p.Partial = p.partial(so)
	}
	causes := tally.CausesOf(tallies, scope.Sees)
	if n := len(causes) - maxCauses; n > 0 {
		p.More = p.Count(int64(n)) + " " + p.Plural(n, "causes.more")
	}
	since, until := days[len(days)-1].since, days[0].since
	for _, one := range causes[:min(len(causes), maxCauses)] {
		row, err := p.rowOf(ctx, sources, one)
		if err != nil {
			return err
		}
		row.Address = p.search(url.Values{
			"list": {"exchanges"}, "finding": {p.mask.Numbers(one.Code)}, "since": {since.Format(time.DateOnly)}, "until": {until.Format(time.DateOnly)},
		})
		p.Causes = append(p.Causes, row)
	}
	return nil
}

func (p *causesPage) rowOf(ctx context.Context, sources []site.Source, of *tally.Cause) (shownCause, error) {
	why, err := p.why(ctx, sources, of.Code, of.Newest)
	if err != nil {
		return shownCause{}, err
	}
	number := func(n int) string { return p.Count(int64(n)) }
	share := func(n int) string {
		if n == 0 {
			return "0"
		}
		return number(n) + " (" + strconv.Itoa(max(1, n*100/of.Count())) + " %)"
	}
	row := shownCause{
		Code: p.codeOf(of.Code), Text: why, Times: number(of.Count()) + " " + p.Plural(of.Count(), "times"),
		Gateway: share(of.Gateway), Service: share(of.Service), First: p.Moment(of.First), Last: p.Moment(of.Newest.At),
	}
	names := slices.SortedFunc(maps.Keys(of.Clients), func(a, b string) int {
		return cmp.Or(cmp.Compare(of.Clients[b], of.Clients[a]), cmp.Compare(a, b))
	})
	if n := len(names); n > 0 {
		row.Clients = number(n)
		if of.Many {
			row.Clients += "+"
		}
		row.Clients += " " + p.Plural(n, "clients")
	}
	for _, name := range names[:min(len(names), maxClients)] {
		row.Who = append(row.Who, who{printable.OneLine(p.mask.Numbers(name)), number(of.Clients[name])})
	}
	return row, nil
}
