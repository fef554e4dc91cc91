package today

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed templates assets
var files embed.FS

var page = site.NewPage(files, "templates/today.html", words)

// Add adds the page to the site.
func Add(s *site.Site) { add(s, maxRead) }

// add adds the page, which reads so many exchanges of a day.
func add(s *site.Site, most int) {
	s.Assets(files, "assets")
	c := &cache{now: s.Now, days: map[dayKey]*entry{}, most: most}
	s.Get("/{$}", func(w http.ResponseWriter, r *http.Request) error { return show(s, c, w, r) })
}

// todayPage is how a day goes.
type todayPage struct {
	site.Frame
	// Day is the day for people, Before and After the addresses of its neighbours; After is empty today.
	Day, Before, After string
	Total, OfDay       string
	// From is since when the day was read, empty if it was read whole.
	From  string
	Hours []hour
	Plot  plot
	Needs []needed
	// Sum is how many things need a person.
	Sum int
	// Remarks are what a reader should know of the day, and needs nobody.
	Remarks     []remark
	Logs        []log
	Credentials []credential
	Series      []shownSeries

	// mask hides documents; nil if they are shown.
	mask *mask.Mask
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

type shownSeries struct {
	Issuer, Voucher, Last, Count, When, Address string
	Missing                                     int64
}

func show(s *site.Site, c *cache, w http.ResponseWriter, r *http.Request) error {
	now := s.Now().In(wsfev1.Argentina)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, wsfev1.Argentina)
	day := today
	if text := r.URL.Query().Get("day"); text != "" {
		var err error
		if day, err = time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina); err != nil || day.Year() < 2000 || day.After(today) {
			return site.ErrBadRequest
		}
	}
	p := &todayPage{Frame: s.Frame(r, page, "today", "today")}
	if p.Masks {
		p.mask = mask.New(0)
	}
	name := day.Format(time.DateOnly)
	p.Before = p.Base + "/?day=" + day.AddDate(0, 0, -1).Format(time.DateOnly)
	if p.Day = spanish.Day(wsfev1.Date(day.Format("20060102"))); p.Lang == "en" {
		p.Day = name
	}
	if day.Before(today) {
		p.After = p.Base + "/?day=" + day.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	err := s.Read(r, "", "today "+name, func(sources []site.Source) (err error) {
		d, err := c.of(r.Context(), dayKey{name, s.Scope(r).Key()}, func() (*digest, error) { return readDay(r.Context(), sources, day, c.most) })
		if err != nil {
			return err
		}
		p.fill(d, name)
		if p.IsBound() {
			p.readTickets(now, s.Scope(r))
			return nil // outages and logs are about all issuers
		}
		if day.Equal(today) {
			p.readOutages(sources)
		}
		if err := p.tellOutages(r.Context(), sources, day); err != nil {
			return err
		}
		p.readTickets(now, site.Everything)
		return p.readLogs(r.Context(), sources, now)
	})
	if err != nil {
		return err
	}
	return s.Show(w, http.StatusOK, page, p)
}

// need adds something that needs a person.
func (p *todayPage) need(count int, class, text, address string, of ...exchange) {
	p.Sum++
	p.Needs = append(p.Needs, needed{Count: count, Class: class, Text: text, Address: address, Exchanges: of})
}

// fill shows what was read of the day.
func (p *todayPage) fill(d *digest, day string) {
	p.Total = spanish.Grouped(strconv.Itoa(d.total))
	p.OfDay = p.Plural(d.total, "of_day")
	if !d.from.IsZero() {
		p.From = p.Moment(d.from)
	}
	p.Plot.Hour = p.T("hour")
	for _, class := range classes {
		p.Plot.Labels = append(p.Plot.Labels, p.T("class."+class))
		counts := make([]int, 24)
		for h := range counts {
			counts[h] = d.hours[h][class]
		}
		p.Plot.Counts = append(p.Plot.Counts, counts)
	}
	for h := range d.hours {
		one := hour{Name: strconv.Itoa(h) + " h"}
		for i := range classes {
			one.Counts = append(one.Counts, p.Plot.Counts[i][h])
		}
		p.Hours = append(p.Hours, one)
	}
	for _, kind := range []struct {
		of         *need
		class, key string
		word       string
	}{{&d.open, "open", "need.open", "open"}, {&d.unknown, "open", "need.unknown", "unknown"}, {&d.conflicts, "bad", "need.conflict", "conflict"}} {
		if kind.of.count > 0 {
			p.need(kind.of.count, kind.class, p.Plural(kind.of.count, kind.key), p.search(url.Values{"outcome": {kind.word}, "q": {day}}), p.exchanges(kind.of)...)
		}
	}
	for i := range d.refusals {
		p.needRefusal(&d.refusals[i], day)
	}
	p.remark(d.builtIn, "built_in", "")
	p.remark(d.mended, "mended", "")
	p.remark(d.queries, "queries", p.search(url.Values{"outcome": {"unknown"}, "q": {day}}))
	for i := range d.series {
		p.Series = append(p.Series, p.seriesOf(&d.series[i]))
	}
}

// maxCode bounds the shown part of a code, in bytes, and maxText the words for it, in characters: the texts
// of a service may be of any length.
const maxCode, maxText = 40, 160

// needRefusal adds the invoices that were refused for one reason.
func (p *todayPage) needRefusal(one *refusal, day string) {
	code := printable.OneLine(p.mask.Numbers(one.code[:min(len(one.code), maxCode)]))
	count, key := one.invoices, "need.refusals"
	if count == 0 {
		count, key = one.requests, "need.requests"
	}
	text := p.Plural(count, key)
	if one.requests > count {
		text += " " + fmt.Sprintf(p.T("need.in_requests"), one.requests)
	}
	if one.cuit != 0 {
		text += " · " + spanish.CUIT(one.cuit)
	}
	text += " · " + code
	if why := p.why(one); why != "" {
		text += ": " + why
	}
	p.need(count, "bad", text, p.search(url.Values{"q": {p.mask.Numbers(one.code) + " " + one.cuit.String() + " " + day}}))
}

// why returns the words of a rule, or those that came with the code.
func (p *todayPage) why(one *refusal) string {
	text := one.text
	if p.mask != nil {
		text = "" // it may repeat a document, which is another one for each invoice
	}
	if code, err := strconv.ParseInt(one.code, 10, 32); err == nil {
		if rule, ok := rules.RuleByCode(int32(code)); ok {
			if text = rule.Spanish; p.Lang == "en" {
				text = rule.English
			}
		}
	}
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return printable.OneLine(text)
}

// remark adds a sentence about so many, if there are any.
func (p *todayPage) remark(count int, key, address string) {
	if count > 0 {
		p.Remarks = append(p.Remarks, remark{spanish.Grouped(strconv.Itoa(count)) + " " + p.Plural(count, key), address})
	}
}

func (p *todayPage) search(values url.Values) string { return p.Base + "/search?" + values.Encode() }

func (p *todayPage) exchanges(of *need) (all []exchange) {
	for _, r := range of.newest {
		all = append(all, exchange{p.AddressOf(r.key, r.Index), site.MaskedVouchersOf(r.Record, p.mask), p.Moment(r.Time)})
	}
	return all
}

func (p *todayPage) seriesOf(s *series) shownSeries {
	number := spanish.Number(s.ptoVta, s.last)
	return shownSeries{
		Issuer: spanish.CUIT(s.cuit), Voucher: spanish.Voucher(s.tipo), Last: number, When: p.Moment(s.when), Missing: s.missing,
		Count:   spanish.Grouped(strconv.FormatInt(s.count, 10)),
		Address: p.search(url.Values{"q": {s.cuit.String() + " " + strconv.Itoa(int(s.tipo)) + "-" + strconv.Itoa(int(s.ptoVta)) + "-" + strconv.FormatInt(s.last, 10)}}),
	}
}
