package search

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/find"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// request is what an address asks for: the text of the box and the filters beside it, which must all
// hold.
type request struct {
	find.Request
	// text is the text of the box, log the one log that is asked for.
	text, log string
	// given are the filters that the address has, as they stand in it.
	given url.Values
	// wrong are the filters that cannot be read, or that contradict the box.
	wrong []string
	// hidden: receivers are hidden from the reader, and one was asked for.
	hidden bool
	// list is the kind of list that the reader wants, empty for the one that fits the search. quiet leaves the questions
	// of the gateway out.
	list  string
	quiet bool
}

// maxGiven bounds the text of the box and of a filter, in bytes.
const maxGiven = 1024

// parseRequest reads the parameters of an address. The filters have the names of the flags of
// `audit search`.
func parseRequest(values url.Values, now time.Time) *request {
	text := strings.TrimSpace(values.Get("q"))
	r := &request{Request: find.Parse(text, now), text: text, given: url.Values{}}
	for _, f := range filters {
		value := strings.TrimSpace(values.Get(f.name))
		if value == "" {
			continue
		}
		r.given.Set(f.name, value)
		if len(value) > maxGiven || !f.read(r, value, now) {
			r.wrong = append(r.wrong, f.name)
		}
	}
	r.settleKind()
	r.readList(values)
	return r
}

// hideReceivers takes receivers out of the request of a reader from whom they are hidden: what a search finds would
// tell them.
func (r *request) hideReceivers() {
	r.Readings = slices.DeleteFunc(r.Readings, func(one find.Reading) bool { return one.Meaning == "receiver" })
	if r.Query.Receiver == 0 {
		return
	}
	r.Query.Receiver, r.hidden = 0, true
}

// isEmpty reports whether the newest records of all are asked for.
func (r *request) isEmpty() bool { return r.text == "" && len(r.given) == 0 }

// isReadable reports whether there is something to search for that was understood.
func (r *request) isReadable() bool {
	return len(r.wrong) == 0 && !r.hidden && (r.text == "" || !r.Request.IsEmpty())
}

// settleKind gives the query the kind that an outcome implies.
func (r *request) settleKind() {
	q := &r.Query
	switch {
	case q.Outcome == outcome.Open:
		if q.Kind != 0 && q.Kind != audit.KindIntent {
			r.wrong = append(r.wrong, "kind")
		}
		q.Outcome, q.Kind = "", audit.KindIntent
	case q.Kind != 0:
	case q.Outcome == outage.Began || q.Outcome == outage.Ended:
		q.Kind = audit.KindOutage
	case slices.Contains(trail.AccessOutcomes, string(q.Outcome)):
		q.Kind = audit.KindAccess
	}
}

// address returns the parameters of this search, with others beside them.
func (r *request) address(more ...string) url.Values {
	values := url.Values{}
	if r.text != "" {
		values.Set("q", r.text)
	}
	for name := range r.given {
		values.Set(name, r.given.Get(name))
	}
	r.addList(values)
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			values.Set(more[i], more[i+1])
		}
	}
	return values
}

// filter is a parameter of the address. read reports false for a value that cannot be read, or that
// contradicts the request so far.
type filter struct {
	name string
	// words are the values that it takes, nil for any.
	words []string
	read  func(r *request, value string, now time.Time) bool
}

// once sets a field, unless it has another value.
func once[T comparable](field *T, value T) bool {
	var none T
	if value == none || *field != none && *field != value {
		return false
	}
	*field = value
	return true
}

func ofText(name string, field func(*audit.Query) *string) filter {
	return filter{name: name, read: func(r *request, value string, _ time.Time) bool { return once(field(&r.Query), value) }}
}

func ofWord(name string, words []string, field func(*audit.Query) *string) filter {
	return filter{name: name, words: words, read: func(r *request, value string, _ time.Time) bool {
		return slices.Contains(words, value) && once(field(&r.Query), value)
	}}
}

func ofNumber[T ~int | ~int32 | ~int64](name string, bits int, field func(*audit.Query) *T) filter {
	return filter{name: name, read: func(r *request, value string, _ time.Time) bool {
		n, err := strconv.ParseInt(value, 10, bits)
		return err == nil && n > 0 && once(field(&r.Query), T(n))
	}}
}
