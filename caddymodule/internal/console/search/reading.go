package search

import (
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// reading is a way to read the box, with what it finds.
type reading struct {
	// Name says what a word is taken for, and Count how many exchanges there are, empty if they were not counted.
	Name, Count string
	// Address leads to the search, empty for the one that is shown.
	Address string
}

// read fills the readings of the page, where a word of the box can mean several things. One that finds something stands
// in for one that finds nothing.
func (p *searchPage) read(shown *answered, found listing.Answer) (listing.Answer, error) {
	readings := p.asked.Readings
	if !p.at.IsNewest() || len(readings) < 2 {
		return found, nil
	}
	at, counts, requests := 0, make([]listing.Answer, len(readings)), make([]*request, len(readings))
	counts[0], requests[0] = found, p.asked
	for i := 1; i < len(readings); i++ {
		values := p.asked.address()
		values.Set("q", readings[i].Text)
		requests[i] = parseRequest(values, p.room.Now())
		if p.Masks {
			requests[i].hideReceivers()
		}
		if !requests[i].isReadable() {
			continue // it contradicts a filter
		}
		var err error
		if counts[i], err = listing.Search(p.r.Context(), p.sources, requests[i].listed(), listing.Place{}, p.room.pageRows, within(p.room.glance)); err != nil {
			return found, err
		}
		if at == 0 && found.Rows() == 0 && !found.Cut && counts[i].Rows() > 0 {
			at = i
		}
	}
	for i, one := range readings {
		said := reading{Name: p.T("reading." + one.Meaning), Count: countOf(&counts[i])}
		if i != at {
			values := p.asked.address()
			values.Set("q", one.Text)
			said.Address = p.addressOf("/search", values)
		}
		shown.Readings = append(shown.Readings, said)
	}
	p.asked = requests[at]
	return counts[at], nil
}

// countOf returns how many rows were found, with a plus if there may be more.
func countOf(a *listing.Answer) string {
	switch {
	case a.Rest.IsNewest():
		return strconv.Itoa(a.Rows())
	case a.Rows() == 0:
		return "" // so far
	}
	return strconv.Itoa(a.Rows()) + "+"
}

// chip is something that is asked for, with the address of the same search without it.
type chip struct{ Name, Value, Without string }

// Chips are the text of the box and the filters, each by itself.
func (p *searchPage) Chips() (all []chip) {
	without := func(name string) string {
		values := p.asked.address()
		values.Del(name)
		return p.addressOf("/search", values)
	}
	if p.asked.text != "" {
		all = append(all, chip{p.T("chip.text"), shown(p.asked.text), without("q")})
	}
	for _, f := range filters {
		if value := p.asked.given.Get(f.name); value != "" {
			all = append(all, chip{p.T("filter." + f.name), p.valueOf(f, value), without(f.name)})
		}
	}
	return all
}

// wayBack returns what leads back to this page from the page of a row.
func (p *searchPage) wayBack() string {
	search := p.asked.address("at", p.at.String(), "top", p.topOf(p.at.Top)).Encode()
	if search == "" || len(search) > site.MaxWayBack {
		return ""
	}
	return "?" + search
}
