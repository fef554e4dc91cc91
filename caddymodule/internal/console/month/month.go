package month

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed templates
var files embed.FS

//go:embed assets
var assets embed.FS

var page = site.NewPage(files, "templates/month.html", words)

// unfinished is the log's text about a month that was not added up.
const unfinished = "a month was not added up"

// room is the page and its table, and what bounds them.
type room struct {
	*site.Site
	// patience is how long a page adds up, and how long it waits for a slot. exportTime is how long a table takes.
	patience, exportTime time.Duration
	// most is how many invoices are found at a time: with all that belongs to it, each needs some 600 bytes.
	most int
	// pages and exports have room for those who add up at a time.
	pages, exports site.Slots
}

// Add adds the pages to the site.
func Add(s *site.Site) { newRoom(s).add() }

func newRoom(s *site.Site) *room {
	return &room{Site: s, patience: 10 * time.Second, exportTime: 2 * time.Minute, most: 200_000, pages: make(site.Slots, 1), exports: make(site.Slots, 1)}
}

func (m *room) add() {
	m.Assets(assets, "assets")
	m.Get("/month", m.show)
	m.Get("/month.csv", m.export)
}

// within returns a context that ends after a time, and when the configuration ends. Its second value must be called.
func (m *room) within(ctx context.Context, d time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, d)
	var watch sync.WaitGroup
	panics.Go(&watch, "ending the sums of a month", func() {
		select {
		case <-m.Ending:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel()
		watch.Wait()
	}
}

// seen is how many invoices were read, and how many there are; more if none was read.
type seen struct{ done, total int }

// isCut reports whether an error is a bound of the page.
func isCut(r *http.Request, ctx context.Context, err error) bool {
	return r.Context().Err() == nil && (ctx.Err() != nil || errors.Is(err, closing.ErrTooMany))
}

// monthPage has the sums of a month.
type monthPage struct {
	site.Frame
	// Month is the month for people, Value for the form, Latest the present one. Before and After are the addresses
	// of its neighbours, After is empty for the present month.
	Month, Value, Latest, Before, After string
	// Issuer is the text of the issuer, Authorised says that the day of the authorisation counts.
	Issuer     string
	Authorised bool
	// Notes say why the month may still change, Wrong what cannot be read.
	Notes, Wrong []string

	room    *room
	r       *http.Request
	draft   *site.Draft
	sources []site.Source
	asked   *request
}

func (m *room) page(r *http.Request) *monthPage {
	now := m.Now()
	p := &monthPage{Frame: m.Frame(r, page, "month", "month.title"), room: m, r: r, asked: parse(r.URL.Query(), now)}
	wanted := &p.asked.wanted
	since, until := wanted.Month.Bounds()
	p.Month = p.MonthOf(since)
	p.Value, p.Latest = wanted.Month.String(), monthOf(now).String()
	p.Issuer, p.Authorised = p.asked.issuer, wanted.By == closing.ByAuthorised
	p.Before = p.Base + "/month" + p.asked.address(next(wanted.Month, -1))
	if p.Value != p.Latest {
		p.After = p.Base + "/month" + p.asked.address(next(wanted.Month, 1))
	}
	for _, key := range p.asked.wrong {
		p.Wrong = append(p.Wrong, p.T(key))
	}
	p.Title += " · " + p.Month
	// An invoice may be dated ten days before it is authorised (docs/sources.md).
	last := until.AddDate(0, 0, 9)
	switch {
	case now.Before(until):
		p.Notes = append(p.Notes, p.T("not_over"))
	case !p.Authorised && now.Before(last.AddDate(0, 0, 1)):
		p.Notes = append(p.Notes, fmt.Sprintf(p.T("still"), spanish.Day(wsfev1.DateOf(last))))
	}
	return p
}

// show shows the sums. Its beginning is sent before they are there.
func (m *room) show(w http.ResponseWriter, r *http.Request) error {
	p := m.page(r)
	if len(p.Wrong) > 0 {
		return m.Show(w, http.StatusBadRequest, page, p)
	}
	if err := m.pages.Enter(r.Context(), m.patience); err != nil {
		return err
	}
	defer m.pages.Leave()
	p.draft = site.NewDraft(w)
	err := m.Read(r, "", "totals "+p.asked.flags(), func(sources []site.Source) error {
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
