package today

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed templates assets
var files embed.FS

var page = site.NewPage(files, "templates/today.html", words)

// Add adds the page to the site.
func Add(s *site.Site) { add(s, waitFor) }

// add adds the page, which waits so long for its counts.
func add(s *site.Site, patience time.Duration) {
	s.Assets(files, "assets")
	m := &room{Site: s, patience: patience, days: map[string]*day{}}
	s.Get("/{$}", m.show)
	s.Get("/causes", m.showCauses)
}

// todayPage is how a day goes.
type todayPage struct {
	teller
	// Day is the day for people, Before and After the addresses of its neighbours; After is empty today. Causes leads to
	// the reasons of refusals, up to the day.
	Day, Before, After, Causes string
	Total, OfDay               string
	Verdict                    verdict
	// Made is when the day was read, MadeMachine the same for programs; empty before the first time.
	Made, MadeMachine string
	Hours             []hour
	Plot              plot
	Needs             []needed
	// Sum is how many things need a person.
	Sum int
	// Remarks are what a reader should know of the day, and needs nobody.
	Remarks     []remark
	Logs        []log
	Credentials []credential
	Series      []shownSeries
}

// remark is a sentence; Address is where it leads to, empty for none.
type remark struct{ Text, Address string }

// hour is a line of the table behind the plot.
type hour struct {
	Name   string
	Counts []int
}

// plot is the data of the script's chart.
type plot struct {
	Labels []string `json:"labels"`
	Counts [][]int  `json:"counts"`
	Hour   string   `json:"hour"`
}

// needed is something that needs a person.
type needed struct {
	Count                int
	Class, Text, Address string
	Exchanges            []exchange
}

type exchange struct{ Address, Name, When string }

func (m *room) show(w http.ResponseWriter, r *http.Request) error {
	now := m.Now().In(wsfev1.Argentina)
	since, today, err := dayOf(r, "day", now)
	if err != nil {
		return err
	}
	p := &todayPage{teller: newTeller(m.Frame(r, page, "today", "today"))}
	name := since.Format(time.DateOnly)
	p.Causes = p.Base + "/causes?until=" + name
	p.Before = p.Base + "/?day=" + since.AddDate(0, 0, -1).Format(time.DateOnly)
	p.Day = p.dayOf(since)
	if since.Before(today) {
		p.After = p.Base + "/?day=" + since.AddDate(0, 0, 1).Format(time.DateOnly)
		p.isPast(since.Equal(today.AddDate(0, 0, -1)))
	}
	err = m.ReadAgain(r, "", "today "+name, func(sources []site.Source) error {
		d := m.dayOf(name, since)
		if err := m.refresh(r.Context(), d); err != nil {
			return err
		}
		counted := d.show(m.Scope(r))
		if err := p.fill(r.Context(), counted, sources, name); err != nil {
			return err
		}
		outages := 0
		if p.IsBound() {
			p.readTickets(now, m.Scope(r)) // outages and logs are about all issuers
		} else {
			var err error
			if outages, err = p.fillShared(r.Context(), sources, since, now); err != nil {
				return err
			}
		}
		counted.Damaged = counted.Damaged || p.Frame.Damaged
		p.judge(counted, outages, name)
		return nil
	})
	if err != nil {
		return err
	}
	return m.Show(w, http.StatusOK, page, p)
}

// dayOf returns the day that a parameter names, today if it names none.
func dayOf(r *http.Request, name string, now time.Time) (day, today time.Time, err error) {
	today = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, wsfev1.Argentina)
	text := r.URL.Query().Get(name)
	if text == "" {
		return today, today, nil
	}
	if day, err = time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina); err != nil || day.Year() < 2000 || day.After(today) {
		return day, today, site.ErrBadRequest
	}
	return day, today, nil
}

// dayOf returns a day for people.
func (p *teller) dayOf(day time.Time) string {
	if p.Lang == "en" {
		return day.Format(time.DateOnly)
	}
	return spanish.Day(wsfev1.DateOf(day))
}

// isPast names the page by its date, and takes it out of the navigation, which calls it today.
func (p *todayPage) isPast(yesterday bool) {
	p.Title, p.Day, p.Section = p.Day, "", ""
	if yesterday {
		p.Day = p.T("yesterday")
	}
}

// fillShared fills the parts that are about all issuers, and returns how many outages fell into the day.
func (p *todayPage) fillShared(ctx context.Context, sources []site.Source, day, now time.Time) (int, error) {
	if p.After == "" {
		p.readOutages(sources)
	}
	tolerant, done := p.Tolerant(sources)
	outages, err := p.tellOutages(ctx, tolerant, day)
	done()
	if err != nil {
		return 0, err
	}
	p.readTickets(now, site.Everything)
	return outages, p.readLogs(ctx, sources, now)
}

// need adds something that needs a person.
func (p *todayPage) need(count int, class, text, address string, of ...exchange) {
	p.Sum++
	p.Needs = append(p.Needs, needed{Count: count, Class: class, Text: text, Address: address, Exchanges: of})
}

// fill shows what was counted.
func (p *todayPage) fill(ctx context.Context, d *shown, sources []site.Source, day string) error {
	p.Total = p.Count(int64(d.Total))
	p.OfDay = p.Plural(d.Total, "of_day")
	p.plot(d)
	for _, kind := range []struct {
		of         *tally.Needs
		class, key string
		word       string
	}{
		{&d.Open[tally.Unanswered], "open", "need.open", "open"},
		{&d.Open[tally.Unknown], "open", "need.unknown", "unknown"},
		{&d.Open[tally.Failed], "open", "need.failed", "upstream_error"},
		{&d.Conflicts, "bad", "need.conflict", "conflict"},
	} {
		if kind.of.Count > 0 {
			exchanges, err := p.exchanges(ctx, sources, kind.of)
			if err != nil {
				return err
			}
			p.need(kind.of.Count, kind.class, p.Plural(kind.of.Count, kind.key), p.search(url.Values{"outcome": {kind.word}, "q": {day}}), exchanges...)
		}
	}
	p.needSound(&d.Unreadable)
	for i := range d.Refusals {
		if err := p.needRefusal(ctx, sources, &d.Refusals[i], day); err != nil {
			return err
		}
	}
	p.remark(d.BuiltIn, "built_in", "")
	p.remark(d.Issued, "mended", "")
	p.remark(d.Queries, "queries", p.search(url.Values{"outcome": {"unknown"}, "q": {day}}))
	for i := range d.Series {
		p.Series = append(p.Series, p.seriesOf(d.Series, i))
	}
	return nil
}

// plot fills the chart and its table.
func (p *todayPage) plot(d *shown) {
	p.Plot.Hour = p.T("hour")
	for i, class := range tally.Classes {
		p.Plot.Labels = append(p.Plot.Labels, p.T("class."+class))
		counts := make([]int, 24)
		for h := range counts {
			counts[h] = d.Hours[h][i]
		}
		p.Plot.Counts = append(p.Plot.Counts, counts)
	}
	for h, counts := range d.Hours {
		p.Hours = append(p.Hours, hour{strconv.Itoa(h) + " h", slices.Clone(counts[:])})
	}
}

// remark adds a sentence about so many, if there are any.
func (p *todayPage) remark(count int, key, address string) {
	if count > 0 {
		p.Remarks = append(p.Remarks, remark{p.Count(int64(count)) + " " + p.Plural(count, key), address})
	}
}

func (p *teller) search(values url.Values) string { return p.Base + "/search?" + values.Encode() }

func (p *todayPage) exchanges(ctx context.Context, sources []site.Source, of *tally.Needs) (all []exchange, err error) {
	for _, at := range of.Newest {
		name := p.T("unreadable.name")
		r, err := recordOf(ctx, sources, at)
		switch {
		case err == nil:
			name = site.MaskedVouchersOf(r, p.mask)
		case !damage.Is(err):
			return nil, err
		}
		all = append(all, exchange{p.AddressOf(at.Log, at.Index), name, p.Moment(at.At)})
	}
	return all, nil
}

// needSound adds the records that cannot be read.
func (p *todayPage) needSound(of *tally.Needs) {
	if of.Count == 0 {
		return
	}
	var all []exchange
	for _, at := range of.Newest {
		one := exchange{p.AddressOf(at.Log, at.Index), audit.Address(at.Log, at.Index), ""}
		if !at.At.IsZero() {
			one.When = p.Moment(at.At)
		}
		all = append(all, one)
	}
	p.need(of.Count, "bad", p.Plural(of.Count, "need.unreadable"), "", all...)
}
