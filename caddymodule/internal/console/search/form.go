package search

import (
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// field is a filter in the form.
type field struct {
	Name, Label, Value, Example string
	// Options are what a reader chooses from, nil for any text.
	Options []option
}

// option is a value that a filter takes.
type option struct {
	Value, Label string
	Chosen       bool
}

// HasFilters reports whether the form is open.
func (p *searchPage) HasFilters() bool { return len(p.asked.given) > 0 }

// IsWhole reports whether all exchanges are asked for.
func (p *searchPage) IsWhole() bool { return p.asked.isEmpty() && p.at.IsNewest() }

// WithoutFilters is the address of the same search without the filters.
func (p *searchPage) WithoutFilters() string {
	return p.addressOf("/search", (&request{text: p.asked.text, list: p.asked.list, quiet: p.asked.quiet}).address())
}

// Fields are the filters. The log is one of them where there are several.
func (p *searchPage) Fields() (all []field) {
	for _, f := range filters {
		value := p.asked.given.Get(f.name)
		one := field{Name: f.name, Label: p.T("filter." + f.name), Value: value, Example: p.T("example." + f.name)}
		words := f.words
		switch f.name {
		case "cbte-tipo":
			for _, kind := range wsfev1.VoucherTypes() {
				words = append(words, strconv.Itoa(int(kind)))
			}
		case "log":
			if words = p.logs(); len(words) < 2 && value == "" {
				continue
			}
		}
		known := value == ""
		for _, word := range words {
			known = known || word == value
			one.Options = append(one.Options, option{word, p.label(f.name, word), word == value})
		}
		if !known && words != nil {
			one.Options = append(one.Options, option{value, shown(value), true})
		}
		all = append(all, one)
	}
	return all
}

// label returns what an option is called.
func (p *searchPage) label(filter, value string) string {
	if word := p.wordFor(filter, value); word != "" {
		return word
	}
	return shown(value)
}

// wordFor returns the words for a value of a filter, empty if it stands for itself.
func (p *searchPage) wordFor(filter, value string) string {
	if filter == "cbte-tipo" {
		if n, err := strconv.ParseInt(value, 10, 32); err == nil && wsfev1.ClassOf(int32(n)) != "" {
			return spanish.Voucher(int32(n)) + " (" + value + ")"
		}
		return ""
	}
	return p.T(filter + "." + value)
}

// logs are the names of all logs, as addresses have them.
func (p *searchPage) logs() (names []string) {
	for i := range p.sources {
		for _, log := range p.sources[i].Logs {
			names = append(names, p.sources[i].Key(log))
		}
	}
	return names
}
