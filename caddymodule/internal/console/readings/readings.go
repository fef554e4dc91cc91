package readings

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

//go:embed templates
var files embed.FS

var page = site.NewPage(files, "templates/readings.html", words)

// Add adds the page to the site.
func Add(s *site.Site) {
	s.Get("/readings", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r) })
}

const (
	// maxShown bounds the readings of a page, maxRead the records that are read for it: a reading that goes on
	// has one more each hour.
	maxShown, maxRead = 200, 5000
	// maxWho bounds an identity that is asked for, in bytes.
	maxWho = 1024
)

// readingsPage has the newest readings.
type readingsPage struct {
	site.Frame
	// Who is the identity that was asked for, empty for all.
	Who string
	// Unlogged: readings are not recorded (log_reads).
	Unlogged bool
	Readings []reading
	// Older is the address of older readings, empty if there are none.
	Older string
}

// reading is one reading. Until is empty for one of a moment; Address is empty where the reader may not see the
// record.
type reading struct {
	Who, Way, From, What, When, WhenMachine, Until, Address, Record string
	at                                                              time.Time
}

func show(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()
	query := audit.Query{Kind: audit.KindAccess, ClientIdentity: strings.TrimSpace(asked.Get("who"))}
	if text := asked.Get("before"); text != "" {
		var err error
		if query.Until, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return site.ErrBadRequest
		}
	}
	if len(query.ClientIdentity) > maxWho {
		return site.ErrBadRequest
	}
	p := &readingsPage{Frame: s.Frame(r, page, "readings", "readings"), Who: query.ClientIdentity}
	read := func(sources []site.Source) error { return p.read(r.Context(), sources, query) }
	if p.IsBound() {
		p.Who = s.Who(r)
		query.ClientIdentity = p.Who
		read = func([]site.Source) error {
			return s.ReadWhole(r.Context(), func(sources []site.Source) error { return p.read(r.Context(), sources, query) })
		}
	}
	if err := s.Read(r, "", note(p.Who), read); err != nil {
		return err
	}
	return s.Show(w, http.StatusOK, page, p)
}

// note describes the reading of this page.
func note(who string) string {
	if who == "" {
		return "readings"
	}
	return fmt.Sprintf("readings --identity %q", who)
}

// read adds the readings, the newest first.
func (p *readingsPage) read(ctx context.Context, sources []site.Source, query audit.Query) error {
	sources, done := p.Tolerant(sources)
	defer done()
	for i := range sources {
		logged, err := trail.ReadsAreLogged(ctx, sources[i].Store)
		if err != nil {
			return err
		}
		p.Unlogged = p.Unlogged || !logged
		if err := p.readSource(ctx, &sources[i], query); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.Readings, func(a, b reading) int { return b.at.Compare(a.at) })
	if len(p.Readings) > maxShown {
		p.Readings = p.Readings[:maxShown]
		p.Older = p.Base + "/readings?" + url.Values{"who": {query.ClientIdentity}, "before": {p.Readings[maxShown-1].at.Format(time.RFC3339Nano)}}.Encode()
	}
	return nil
}

// readSource adds the readings of a store. The records of one reading share their ID and begin; the newest, which
// comes first in its log, has the latest end.
func (p *readingsPage) readSource(ctx context.Context, source *site.Source, query audit.Query) error {
	seen, looked := map[string]bool{}, 0
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return fmt.Errorf("looking for readings: %w", err)
		}
		if looked++; looked > maxRead || len(seen) > maxShown {
			return nil
		}
		if r.Outcome != "" || r.Purge != nil || seen[r.Log+"/"+r.ID] {
			continue
		}
		seen[r.Log+"/"+r.ID] = true
		p.Readings = append(p.Readings, p.readingOf(r, source))
	}
	return nil
}

func (p *readingsPage) readingOf(r *audit.Record, source *site.Source) reading {
	who, way := r.Reader()
	one := reading{
		Who: story.Clean(who), Way: p.T("way." + string(way)), From: story.Clean(r.ClientAddress), What: p.whatOf(r),
		When: p.Moment(r.Time), WhenMachine: r.Time.UTC().Format(time.RFC3339), at: r.Time,
	}
	if r.Duration > 0 {
		one.Until = p.Moment(story.Ended(r))
	}
	if !p.IsBound() {
		one.Address, one.Record = p.AddressOf(source.Key(r.Log), r.Index), r.Address()
	}
	return one
}

// whatOf returns what was read, without documents of receivers if these are hidden.
func (p *readingsPage) whatOf(r *audit.Record) string {
	switch r.Presence {
	case audit.Purged:
		return p.T("purged")
	case audit.Sealed:
		return p.T("sealed")
	}
	var hide *mask.Mask
	if p.Masks {
		hide = mask.New(0)
	}
	return story.Clean(hide.Numbers(r.Detail))
}
