package search

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

// searchPage is what a search has found, or the newest exchanges.
type searchPage struct {
	site.Frame

	room    *room
	r       *http.Request
	draft   *site.Draft
	sources []site.Source
	asked   *request
	start
	// before are the places where the pages before this one begin, the first one's left out.
	before []string
}

// answered is what stands below the box.
type answered struct {
	Rows []row
	// First and Last are the moments of the first and the last row.
	First, Last string
	// Older, Newer, Newest, Everything and Live are addresses, empty for none. Export is the address of a
	// file with all rows.
	Older, Newer, Newest, Everything, Live, Export string
	// DownTo is the moment that an unfinished search has come to, empty for a finished one.
	DownTo string
	// Guessed: issuers that the reader did not name were tried.
	Guessed bool
	// Failed: the trail could not be read.
	Failed bool
}

// maxBefore bounds the way back, in bytes.
const maxBefore = 2 << 10

// place reads where the page begins.
func (p *searchPage) place(values url.Values) error {
	p.before, p.everything = values["back"], values.Get("all") != ""
	if text := values.Get("at"); text != "" {
		at, ok := parseCursor(text)
		if !ok {
			return site.ErrBadRequest
		}
		p.at = at
	}
	return nil
}

// Unread are the words of the box that were not understood.
func (p *searchPage) Unread() []string { return allShown(p.asked.Unread) }

// Doubts are the words that cannot be right.
func (p *searchPage) Doubts() []string { return allShown(p.asked.Doubts) }

// Wrong names the filters that cannot be read.
func (p *searchPage) Wrong() (names []string) {
	for _, name := range p.asked.wrong {
		names = append(names, p.T("filter."+name))
	}
	return names
}

// maxWords bounds how many words of the box a page repeats.
const maxWords = 10

func allShown(words []string) (all []string) {
	for _, word := range words[:min(len(words), maxWords)] {
		all = append(all, shown(word))
	}
	return all
}

// title describes the request.
func (p *searchPage) title() string {
	var parts []string
	if p.asked.text != "" {
		parts = append(parts, shown(p.asked.text))
	}
	for _, f := range filters {
		if value := p.asked.given.Get(f.name); value != "" {
			parts = append(parts, p.T("filter."+f.name)+" "+p.valueOf(f, value))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, p.T("search.last"))
	}
	if p.at != nil {
		parts = append(parts, p.T("search.continued"))
	}
	return strings.Join(parts, " · ")
}

// valueOf returns the value of a filter in words.
func (p *searchPage) valueOf(f filter, value string) string {
	if word := p.wordFor(f.name, value); word != "" {
		return word
	}
	if f.name == "cuit" && p.asked.Query.Cuit != 0 {
		return spanish.CUIT(p.asked.Query.Cuit)
	}
	return shown(value)
}

// Answer searches. The template calls it when all above is made.
func (p *searchPage) Answer() *answered {
	if p.draft == nil {
		return nil
	}
	p.draft.Begin()
	a, err := p.answer()
	if err != nil {
		p.room.logFailure(p.r, err)
		return &answered{Failed: true}
	}
	return a
}

func (p *searchPage) answer() (*answered, error) {
	ctx := p.r.Context()
	shown := &answered{}
	live, err := headsOf(ctx, p.sources, p.asked.log)
	if err != nil {
		return nil, err
	}
	if p.at == nil && p.canFollow() {
		shown.Live = p.addressOf("/search/live", p.asked.address("from", live.String()))
	}
	found, err := search(ctx, p.sources, p.asked, p.start, p.room.pageRows, within(p.room.patience), within(p.room.glance))
	if err != nil {
		return nil, err
	}
	p.everything = found.everything // also on the pages behind this one
	shown.Export = p.addressOf("/search.csv", p.asked.address("all", p.everythingText()))
	for _, f := range found.records {
		one, err := rowOf(ctx, &p.Frame, f)
		if err != nil {
			return nil, err
		}
		shown.Rows = append(shown.Rows, one)
	}
	if n := len(shown.Rows); n > 0 {
		shown.First, shown.Last = shown.Rows[0].When, shown.Rows[n-1].When
	}
	if found.cut {
		shown.DownTo = p.Moment(found.downTo)
	}
	if shown.Guessed = found.guessed; found.guessed {
		shown.Everything = p.addressOf("/search", p.asked.address("all", "1"))
	}
	p.link(shown, found.rest)
	return shown, nil
}

// canFollow reports whether new records can match.
func (p *searchPage) canFollow() bool {
	until := p.asked.Query.Until
	return p.asked.Query.Kind != audit.KindIntent && (until.IsZero() || until.After(p.room.Now()))
}

func (p *searchPage) everythingText() string {
	if p.everything {
		return "1"
	}
	return ""
}

// link sets the addresses of the pages around this one.
func (p *searchPage) link(shown *answered, rest cursor) {
	if len(rest) > 0 {
		back := p.before
		if p.at != nil {
			back = append(slices.Clip(back), p.at.String())
		}
		shown.Older = p.pageAt(rest.String(), back)
	}
	if p.at == nil {
		return
	}
	shown.Newest = p.pageAt("", nil)
	if n := len(p.before); n > 0 {
		shown.Newer = p.pageAt(p.before[n-1], p.before[:n-1])
	} else {
		shown.Newer = shown.Newest
	}
}

// pageAt returns the address of a page of this search. The way back loses its beginning where it is
// long: from there it leads to the newest.
func (p *searchPage) pageAt(at string, back []string) string {
	values := p.asked.address("at", at, "all", p.everythingText())
	size := 0
	for i, one := range slices.Backward(back) {
		if size += len(one); size > maxBefore {
			back = back[i+1:]
			break
		}
	}
	for _, one := range back {
		values.Add("back", one)
	}
	return p.addressOf("/search", values)
}

func (p *searchPage) addressOf(path string, values url.Values) string {
	if len(values) == 0 {
		return p.Base + path
	}
	return p.Base + path + "?" + values.Encode()
}

// logFailure logs why the trail could not be read, unless its reader has left.
func (m *room) logFailure(r *http.Request, err error) {
	if r.Context().Err() == nil {
		m.Logger.Error("a search was not finished", zap.String("path", r.URL.Path), zap.Error(err))
	}
}
