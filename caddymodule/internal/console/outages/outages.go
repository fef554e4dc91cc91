package outages

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed templates
var files embed.FS

var page = site.NewPage(files, "templates/outages.html", words)

// Add adds the page to the site.
func Add(s *site.Site) {
	s.Get("/outages", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r) })
}

// maxShown bounds the outages of a page; a month has fewer.
const maxShown = 200

// outagesPage has the outages of a month.
type outagesPage struct {
	site.Frame
	// Month is the month for people; Before and After are the addresses of its neighbours, After is empty
	// for the present month.
	Month, Value, Before, After string
	Outages                     []incident
	More                        bool
}

// incident is an outage.
type incident struct {
	Began, Ended, BeganMachine, EndedMachine, Lasted string
	Lasts                                            bool
	// Scope is what was not answered, Service the name of the breaker, Upstream what was asked.
	Scope, Service, Upstream string
	// Failures is how many exchanges fell into it, by their kind.
	Failures string
	// Content says why no more than the times can be read; empty if it can.
	Content string
	// Record is the address of its record, Proof the address of the record's proof. Shown are the exchanges
	// that show it, and Search finds all exchanges in that time.
	Record, Proof, Search string
	Shown                 []link
	began                 time.Time
}

type link struct{ Name, Address, Record string }

func show(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	now := s.Now().In(wsfev1.Argentina)
	present := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, wsfev1.Argentina)
	month := present
	if text := r.URL.Query().Get("month"); text != "" {
		var err error
		if month, err = time.ParseInLocation("2006-01", text, wsfev1.Argentina); err != nil || month.Year() < 2000 || month.After(present) {
			return site.ErrBadRequest
		}
	}
	p := &outagesPage{Frame: s.Frame(r, page, "outages", "outages"), Value: month.Format("2006-01")}
	if p.IsBound() {
		return site.ErrBound // an outage is about no issuer, and counts the exchanges of all
	}
	p.Month = p.T("month."+strconv.Itoa(int(month.Month()))) + " " + strconv.Itoa(month.Year())
	p.Before = p.Base + "/outages?month=" + month.AddDate(0, -1, 0).Format("2006-01")
	if month.Before(present) {
		p.After = p.Base + "/outages?month=" + month.AddDate(0, 1, 0).Format("2006-01")
	}
	err := s.Read(r, "", "outages "+p.Value, func(sources []site.Source) error {
		for _, source := range sources {
			if err := p.read(r, source, month); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(p.Outages, func(a, b incident) int { return b.began.Compare(a.began) })
	return s.Show(w, http.StatusOK, page, p)
}

// read adds the outages of a month: those that lie in it at least in part. The two records of an outage
// have the same ID, and the later one, which comes first, has everything.
func (p *outagesPage) read(r *http.Request, source site.Source, month time.Time) error {
	seen := map[string]bool{}
	query := audit.Query{Kind: audit.KindOutage, Since: month, Until: month.AddDate(0, 1, 0)}
	for record, err := range audit.SearchLogs(r.Context(), source.Store, source.Logs, query) {
		if err != nil {
			return fmt.Errorf("searching for outages: %w", err)
		}
		if seen[record.Log+"/"+record.ID] {
			continue
		}
		if len(seen) >= maxShown {
			p.More = true
			return nil
		}
		seen[record.Log+"/"+record.ID] = true
		o, err := outage.Read(record)
		if err != nil {
			return err
		}
		p.Outages = append(p.Outages, p.incidentOf(record, o, source))
	}
	return nil
}

func (p *outagesPage) incidentOf(r *audit.Record, o *outage.Incident, source site.Source) incident {
	one := incident{
		Began: p.Moment(r.Time), BeganMachine: machine(r.Time), Lasts: r.Outcome == outage.Began, began: r.Time,
		Scope: p.T("scope.everything"), Service: o.Service, Upstream: p.upstream(r, o.Upstream), Failures: p.failures(o),
		Record: r.Address(), Proof: p.Base + "/proof/" + url.PathEscape(source.Key(r.Log)) + "/" + strconv.FormatUint(r.Index, 10),
		Search: p.Base + "/search?" + url.Values{"q": {r.Time.In(wsfev1.Argentina).Format(time.DateOnly)}}.Encode(),
	}
	if o.Scope == outage.ScopeChanges {
		one.Scope = p.T("scope.changes")
	}
	if !one.Lasts {
		ended := r.Time.Add(r.Duration)
		one.Ended, one.EndedMachine, one.Lasted = p.Moment(ended), machine(ended), spanish.Duration(r.Duration)
	}
	switch r.Presence {
	case audit.Purged:
		one.Content = p.T("purged")
	case audit.Sealed:
		one.Content = p.T("sealed")
	}
	for _, shown := range []struct{ key, record string }{{"first", o.First}, {"last", o.Last}, {"answer", o.Answer}} {
		if log, index, ok := audit.ParseAddress(shown.record); ok {
			one.Shown = append(one.Shown, link{p.T("shown." + shown.key), p.AddressOf(source.Key(log), index), shown.record})
		}
	}
	return one
}

// upstream names the server that was asked.
func (p *outagesPage) upstream(r *audit.Record, name string) string {
	if story.IsBuiltIn(r) {
		return p.T("built_in")
	}
	return name
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// failures says how many exchanges had no answer, by their kind.
func (p *outagesPage) failures(o *outage.Incident) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(o.Failures)) {
		word := cmp.Or(p.T("failure."+string(class)), string(class))
		parts = append(parts, spanish.Grouped(strconv.Itoa(o.Failures[class]))+" "+word)
	}
	return strings.Join(parts, ", ")
}
