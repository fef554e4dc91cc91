package search

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/console/find"
	"github.com/fielato/fielato/caddymodule/console/site"
)

//go:embed templates
var files embed.FS

var page = site.NewPage(files, "templates/search.html", words)

// Add adds the page to the site.
func Add(s *site.Site) {
	s.Get("/search", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r) })
}

// pageRows is how many exchanges a page of a search has.
const pageRows = 50

// searchPage is what a search has found, or the newest exchanges.
type searchPage struct {
	site.Frame
	Rows           []row
	Unread, Doubts []string
	// More is the address of the next page, empty on the last.
	More string
}

// row is an exchange in a list.
type row struct {
	// Address is that of its page, Record that of its record.
	Address, Record                                string
	When, Machine, Voucher, Issuer, Outcome, Class string
	Code, Codes                                    string
}

// show shows what the box asks for. The address of a record leads to its page at once.
func show(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	asked := find.Parse(text, s.Now())
	title := "search.found"
	if text == "" {
		title = "search.last"
	}
	p := &searchPage{Frame: s.Frame(r, page, "search", title), Unread: asked.Unread, Doubts: asked.Doubts}
	p.Text = text
	if at := asked.Record; at != nil {
		http.Redirect(w, r, p.AddressOf(at.Log, at.Index), http.StatusSeeOther)
		return nil
	}
	if text == "" || !asked.IsEmpty() {
		err := s.Read(r, "", "search "+strconv.Quote(text), func(sources []site.Source) error {
			return p.search(r.Context(), r.URL.Query().Get("before"), sources, &asked)
		})
		if err != nil {
			return err
		}
	}
	return s.Show(w, http.StatusOK, page, p)
}

// search fills the page: the exchanges of all logs, newest first. before is the moment of the last one of
// the page before.
func (p *searchPage) search(ctx context.Context, before string, sources []site.Source, asked *find.Request) error {
	query := asked.Query
	query.Limit = 0 // the types of a class are chosen here
	if before, err := time.Parse(time.RFC3339Nano, before); err == nil && (query.Until.IsZero() || before.Before(query.Until)) {
		query.Until = before
	}
	var found []*audit.Record
	for _, source := range sources {
		taken := 0
		for record, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
			if err != nil {
				return fmt.Errorf("searching: %w", err)
			}
			if len(asked.Types) > 0 && !slices.Contains(asked.Types, record.CbteTipo) {
				continue
			}
			found = append(found, record)
			if taken++; taken > pageRows {
				break
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *audit.Record) int { return b.Time.Compare(a.Time) })
	if len(found) > pageRows {
		found = found[:pageRows]
		last := found[pageRows-1].Time
		p.More = p.Base + "/search?" + url.Values{"q": {p.Text}, "before": {last.Format(time.RFC3339Nano)}}.Encode()
	}
	for _, record := range found {
		p.Rows = append(p.Rows, p.rowOf(record))
	}
	return nil
}

// rowOf returns a record as a row.
func (p *searchPage) rowOf(r *audit.Record) row {
	return row{
		Address: p.AddressOf(r.Log, r.Index), Record: r.Address(), When: p.Moment(r.Time), Machine: r.Time.UTC().Format(time.RFC3339Nano),
		Voucher: site.VouchersOf(r), Issuer: site.IssuerOf(r), Outcome: p.OutcomeOf(r), Class: site.ClassOf(r), Code: site.CodeOf(r), Codes: strings.Join(r.Codes(), " "),
	}
}
