package outages

import (
	"cmp"
	"embed"
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
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
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
	s.Get("/outages/{log}/{index}", func(w http.ResponseWriter, r *http.Request) error { return showOne(s, w, r) })
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
	// that show it, and Address is the page of the outage, with the invoices.
	Record, Proof, Address string
	Shown                  []link
	began                  time.Time
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
	p.Month = p.MonthOf(month)
	p.Before = p.Base + "/outages?month=" + month.AddDate(0, -1, 0).Format("2006-01")
	if month.Before(present) {
		p.After = p.Base + "/outages?month=" + month.AddDate(0, 1, 0).Format("2006-01")
	}
	err := s.Read(r, "", "outages "+p.Value, func(sources []site.Source) error {
		sources, done := p.Tolerant(sources)
		defer done()
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

// read adds the outages of a month: those that lie in it at least in part.
func (p *outagesPage) read(r *http.Request, source site.Source, month time.Time) error {
	all, err := history.Read(r.Context(), source.Store, source.Logs, month, month.AddDate(0, 1, 0))
	if err != nil {
		return err
	}
	for _, o := range all {
		if p.More = p.More || len(p.Outages) >= maxShown; p.More {
			break
		}
		p.Outages = append(p.Outages, incidentOf(&p.Frame, o, &source))
	}
	return nil
}

func incidentOf(f *site.Frame, o *history.Outage, source *site.Source) incident {
	r := o.Record
	one := incident{
		Began: f.Moment(o.Began), BeganMachine: machine(o.Began), Lasts: o.Lasts(), began: o.Began,
		Scope: f.T("scope.everything"), Service: o.Service, Upstream: upstream(f, r, o.Upstream), Failures: failures(f, o),
		Record: r.Address(), Proof: f.Base + "/proof/" + url.PathEscape(source.Key(r.Log)) + "/" + strconv.FormatUint(r.Index, 10),
		Address: f.AddressOfOutage(source.Key(r.Log), r.Index),
	}
	if o.Scope == outage.ScopeChanges {
		one.Scope = f.T("scope.changes")
	}
	if !one.Lasts {
		one.Ended, one.EndedMachine, one.Lasted = f.Moment(o.Ended), machine(o.Ended), spanish.Duration(o.Length())
	}
	switch r.Presence {
	case audit.Purged:
		one.Content = f.T("purged")
	case audit.Sealed:
		one.Content = f.T("sealed")
	}
	for _, shown := range []struct{ key, record string }{{"first", o.First}, {"last", o.Last}, {"answer", o.Answer}} {
		if log, index, ok := audit.ParseAddress(shown.record); ok {
			one.Shown = append(one.Shown, link{f.T("shown." + shown.key), f.AddressOf(source.Key(log), index), shown.record})
		}
	}
	return one
}

// upstream names the server that was asked.
func upstream(f *site.Frame, r *audit.Record, name string) string {
	if story.IsBuiltIn(r) {
		return f.T("built_in")
	}
	return name
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// failures says how many exchanges had no answer, by their kind.
func failures(f *site.Frame, o *history.Outage) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(o.Failures)) {
		word := cmp.Or(f.T("failure."+string(class)), string(class))
		parts = append(parts, f.Count(int64(o.Failures[class]))+" "+word)
	}
	return strings.Join(parts, ", ")
}
