package search

import (
	"embed"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

//go:embed templates
var files embed.FS

//go:embed assets
var assets embed.FS

var page = site.NewPage(files, "templates/search.html", words)

// room is the pages of the search, and what they share.
type room struct {
	*site.Site
	// pageRows is how many rows a page has.
	pageRows int
	// patience bounds the time that a page looks for matches where no index has them.
	patience time.Duration
	// glance bounds the time that a page counts what another reading of the box finds.
	glance time.Duration
	// ticks returns when a live reader looks for new records, and what ends that.
	ticks func() (<-chan time.Time, func())
	// live and exports bound the answers that go on for long.
	live, exports site.Slots
	// exportRows and exportTime bound an export.
	exportRows int
	exportTime time.Duration
}

// unfinished is the log's message about a search that broke off.
const unfinished = "a search was not finished"

// Add adds the pages to the site.
func Add(s *site.Site) { newRoom(s).add() }

func newRoom(s *site.Site) *room {
	return &room{
		Site: s, pageRows: 50, patience: 1500 * time.Millisecond, glance: 150 * time.Millisecond, exportRows: 100_000, exportTime: 2 * time.Minute,
		live: make(site.Slots, 50), exports: make(site.Slots, 4),
		ticks: func() (<-chan time.Time, func()) {
			ticker := time.NewTicker(time.Second)
			return ticker.C, ticker.Stop
		},
	}
}

func (m *room) add() {
	m.Assets(assets, "assets")
	m.Get("/search", m.show)
	m.Get("/search/live", m.follow)
	m.Get("/search.csv", m.export)
}

// within returns a function that reports whether so much time has not passed yet.
func within(d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return time.Now().Before(end) }
}

// show answers the request of the box and the filters. The address of a record leads to its page at once.
func (m *room) show(w http.ResponseWriter, r *http.Request) error {
	asked, err := m.requestOf(r)
	if err != nil {
		return err
	}
	p := &searchPage{Frame: m.Frame(r, page, "search", "search.last"), room: m, r: r, asked: asked}
	p.Text = asked.text
	if asked.Query.Kind == audit.KindAccess { // they have a page of their own
		http.Redirect(w, r, p.Base+"/readings"+accessOf(&asked.Query), http.StatusSeeOther)
		return nil
	}
	if at := asked.Record; at != nil {
		http.Redirect(w, r, p.AddressOf(at.Log, at.Index), http.StatusSeeOther)
		return nil
	}
	if err := p.place(r.URL.Query()); err != nil {
		return err
	}
	p.Title = p.title()
	if !asked.isEmpty() && !asked.isReadable() {
		return m.Show(w, http.StatusOK, page, p)
	}
	p.draft = site.NewDraft(w)
	err = m.Read(r, asked.log, asked.note("search"), func(sources []site.Source) error {
		p.sources = sources
		return p.draft.Make(page, p)
	})
	if err != nil && !p.draft.Begun() {
		return err
	}
	if err != nil {
		m.LogUnfinished(r, unfinished, err)
	}
	p.draft.Send()
	return nil
}

// accessOf returns the parameters of the page of readings for what was asked for.
func accessOf(q *audit.Query) string {
	if q.ClientIdentity == "" {
		return ""
	}
	return "?" + url.Values{"who": {q.ClientIdentity}}.Encode()
}

// requestOf returns what an address asks for. The error is site.ErrTooLarge for a long text of the box, which is not even
// read: of some kilobytes of labels that takes seconds, and a link on any site can ask for it.
func (m *room) requestOf(r *http.Request) (*request, error) {
	values := r.URL.Query()
	if len(strings.TrimSpace(values.Get("q"))) > maxGiven {
		return nil, site.ErrTooLarge
	}
	asked := parseRequest(values, m.Now())
	if m.Masks(r) {
		asked.hideReceivers()
	}
	return asked, nil
}

// note says what was asked for, as the flags of the commands do.
func (r *request) note(what string) string {
	words := []string{what}
	if r.text != "" {
		words = append(words, strconv.Quote(r.text))
	}
	for _, f := range filters {
		if value := r.given.Get(f.name); value != "" {
			words = append(words, "--"+f.name, strconv.Quote(value))
		}
	}
	return strings.Join(words, " ")
}
