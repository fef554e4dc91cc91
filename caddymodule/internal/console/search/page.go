package search

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
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
	// at is where the page begins.
	at listing.Place
	// before are the places where the pages before this one begin, the first one's left out.
	before []string
}

// answered is what stands below the box.
type answered struct {
	Rows []row
	// Listed are the rows of a list of invoices, which has no others.
	Listed []invoiceRow
	// Count says how many rows there are, and of which time; empty for none.
	Count string
	// LeftOut says how many exchanges were read that are about no invoice, and Exchanges leads to them; empty for none.
	LeftOut, Exchanges string
	// Invoices are the pages of the invoices that have the number which was asked for.
	Invoices []invoicePage
	// Readings are the ways to read the box, none if it can be read in one way only.
	Readings []reading
	// Older, Newer, Newest and Live are addresses, empty for none. Export is the address of a
	// file with all rows.
	Older, Newer, Newest, Live, Export string
	// Back stands behind the address of each row, for the way back to it.
	Back string
	// DownTo is the moment that an unfinished search has come to, empty for a finished one.
	DownTo string
	// Failed: the trail could not be read.
	Failed bool
}

// maxBefore bounds the way back, in bytes.
const maxBefore = 2 << 10

// place reads where the page begins.
func (p *searchPage) place(values url.Values) error {
	p.before = values["back"]
	at, ok := listing.ParsePlace(values)
	if !ok {
		return site.ErrBadRequest
	}
	p.at = at
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
		parts = append(parts, p.wordOf("search.last"))
	}
	if !p.at.IsNewest() {
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
		p.room.LogUnfinished(p.r, unfinished, err)
		return &answered{Failed: true}
	}
	return a
}

// Hidden: a receiver was asked for, and receivers are hidden from the reader.
func (p *searchPage) Hidden() bool { return p.asked.hidden }

func (p *searchPage) answer() (*answered, error) {
	ctx := p.r.Context()
	shown := &answered{}
	live, err := listing.HeadsOf(ctx, p.sources, p.asked.log)
	if err != nil {
		return nil, err
	}
	found, err := listing.Search(ctx, p.sources, p.asked.listed(), p.at, p.room.pageRows, within(p.room.patience))
	if err != nil {
		return nil, err
	}
	if found, err = p.read(shown, found); err != nil {
		return nil, err
	}
	if p.at.IsNewest() && p.canFollow() {
		shown.Live = p.addressOf("/search/live", p.asked.address("from", live.String()))
	}
	shown.Export = p.addressOf("/search.csv", p.asked.address())
	if err := p.fill(shown, &found); err != nil {
		return nil, err
	}
	shown.Back = p.wayBack()
	if found.Cut {
		shown.DownTo = p.Moment(found.DownTo)
	}
	p.link(shown, found.Rest)
	return shown, nil
}

// fill makes the rows.
func (p *searchPage) fill(shown *answered, found *listing.Answer) error {
	ctx := p.r.Context()
	for _, f := range found.Records {
		one, err := rowOf(ctx, &p.Frame, f)
		if err != nil {
			return err
		}
		shown.Rows = append(shown.Rows, one)
	}
	invoices := sheets{frame: &p.Frame, sources: p.sources}
	for i := range found.Invoices {
		one, err := invoices.rowOf(ctx, &found.Invoices[i])
		if err != nil {
			return err
		}
		shown.Listed = append(shown.Listed, one)
	}
	switch {
	case len(shown.Rows) > 0:
		shown.Count = p.count(len(shown.Rows), shown.Rows[0].When, shown.Rows[len(shown.Rows)-1].When)
	case len(shown.Listed) > 0:
		shown.Count = p.count(len(shown.Listed), shown.Listed[0].When, shown.Listed[len(shown.Listed)-1].When)
	}
	if found.Left > 0 {
		shown.LeftOut = p.Count(int64(found.Left)) + " " + p.Plural(found.Left, "left_out")
		shown.Exchanges = p.switched(ofExchanges)
	}
	shown.Invoices = p.invoices(shown.Rows)
	return nil
}

// count says how many rows there are, and from when to when.
func (p *searchPage) count(n int, newest, oldest string) string {
	if n == 1 {
		return strings.TrimSuffix(p.wordOf("search.one")+": "+newest, ": ")
	}
	text := strconv.Itoa(n) + " " + p.wordOf("search.many") + ": " + oldest
	if newest != oldest {
		text += " " + p.T("search.to") + " " + newest
	}
	return text
}

// canFollow reports whether new records can match.
func (p *searchPage) canFollow() bool {
	until := p.asked.Query.Until
	return p.asked.Query.Kind != audit.KindIntent && (until.IsZero() || until.After(p.room.Now()))
}

// link sets the addresses of the pages around this one.
func (p *searchPage) link(shown *answered, rest listing.Place) {
	if !rest.IsNewest() {
		back := p.before
		if !p.at.IsNewest() {
			back = append(slices.Clip(back), p.at.String())
		}
		shown.Older = p.pageAt(rest.String(), rest.Top, back)
	}
	if p.at.IsNewest() {
		return
	}
	shown.Newest = p.pageAt("", nil, nil)
	if n := len(p.before); n > 0 {
		shown.Newer = p.pageAt(p.before[n-1], p.at.Top, p.before[:n-1])
	} else {
		shown.Newer = shown.Newest
	}
}

// pageAt returns the address of a page of this search. The way back loses its beginning where it is
// long: from there it leads to the newest.
func (p *searchPage) pageAt(at string, top listing.Cursor, back []string) string {
	values := p.asked.address("at", at, "top", p.topOf(top))
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

// topOf returns the parameter of a place in a list of invoices; empty for other lists, which need none.
func (p *searchPage) topOf(top listing.Cursor) string {
	if !p.asked.listsInvoices() {
		return ""
	}
	return top.String()
}

func (p *searchPage) addressOf(path string, values url.Values) string {
	if len(values) == 0 {
		return p.Base + path
	}
	return p.Base + path + "?" + values.Encode()
}
