package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/damage"
)

// liveRows is how many new exchanges a reader gets at a time: of more only the newest.
const liveRows = 200

// follower is a search that a reader follows.
type follower struct {
	room  *room
	r     *http.Request
	frame site.Frame
	asked *request
	// next has of each log the index of the next record to look at.
	next listing.Cursor
}

// newFollower returns the search that an address asks for, at the place where the reader begins.
func (m *room) newFollower(r *http.Request) (*follower, error) {
	asked, err := m.requestOf(r)
	if err != nil {
		return nil, err
	}
	if !asked.isEmpty() && !asked.isReadable() || asked.Record != nil || asked.Query.Kind == audit.KindIntent {
		return nil, site.ErrBadRequest
	}
	f := &follower{room: m, r: r, asked: asked, frame: m.Frame(r, page, "search", "search.last")}
	err = f.read(func(sources []site.Source) (err error) {
		f.next, err = f.from(sources)
		return err
	})
	return f, err
}

// read calls do with the sources. All reads of a follower are one reading.
func (f *follower) read(do func([]site.Source) error) error {
	return f.room.ReadAgain(f.r, f.asked.log, f.asked.note("live"), do)
}

// from returns where the reader begins: where its connection broke, where its page ends, or with the next
// record.
func (f *follower) from(sources []site.Source) (listing.Cursor, error) {
	for _, text := range []string{f.r.Header.Get("Last-Event-ID"), f.r.URL.Query().Get("from")} {
		if at, ok := listing.ParseCursor(text); ok {
			return at, nil
		}
	}
	return listing.HeadsOf(f.r.Context(), sources, f.asked.log)
}

// poll returns the events for new records. The trail is open only meanwhile: a reload does not wait for it. The reading
// goes on for as long as the reader follows.
func (f *follower) poll() (events []byte, err error) {
	ctx := f.r.Context()
	err = f.read(func(sources []site.Source) error {
		var news []listing.Found
		left := false
		err := listing.EachLog(sources, func(source *site.Source, log, key string) error {
			if f.asked.log != "" && f.asked.log != key {
				return nil
			}
			some, more, err := f.newIn(ctx, source, log, key)
			news, left = append(news, some...), left || more
			return err
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(news, func(a, b listing.Found) int { return a.Time.Compare(b.Time) })
		rows, more, err := f.rowsOf(ctx, sources, news)
		if err == nil {
			events, err = f.eventsOf(rows, left || more)
		}
		return err
	})
	return events, err
}

// newIn returns the new records of a log, oldest first, and whether there are so many that the older
// ones were left out. Intents are left out: their outcomes follow.
func (f *follower) newIn(ctx context.Context, source *site.Source, log, key string) (news []listing.Found, left bool, err error) {
	head, err := source.Store.Head(ctx, log)
	if err != nil {
		return nil, false, fmt.Errorf("reading the head of log %s: %w", log, err)
	}
	query := f.asked.Query
	query.Log, query.From, query.Before = log, f.next[key], head.Size
	if query.From >= query.Before {
		return nil, false, nil
	}
	for record, err := range damage.Search(ctx, source.Store, query) {
		if flaw := (*damage.Error)(nil); errors.As(err, &flaw) {
			continue // the page shows it
		}
		if err != nil {
			return nil, false, fmt.Errorf("searching: %w", err)
		}
		if record.Kind == audit.KindIntent || record.Decision == audit.DecisionAsk && (f.asked.quiet || f.asked.listsInvoices()) {
			continue
		}
		if left = len(news) == liveRows; left {
			break
		}
		news = append(news, listing.Found{Record: record, Source: source})
	}
	f.next[key] = head.Size
	slices.SortFunc(news, func(a, b listing.Found) int { return cmp.Compare(a.Index, b.Index) })
	return news, left, nil
}

// rowsOf returns the rows for new records, oldest first: of a list of invoices a row for each that they are about. It
// reports whether there are so many that the older ones were left out.
func (f *follower) rowsOf(ctx context.Context, sources []site.Source, news []listing.Found) (rows []any, left bool, err error) {
	if !f.asked.listsInvoices() {
		for _, one := range news {
			row, err := rowOf(ctx, &f.frame, one)
			if err != nil {
				return nil, false, err
			}
			rows = append(rows, row)
		}
		return rows, false, nil
	}
	invoices, seen := sheets{frame: &f.frame, sources: sources}, map[listing.Key]bool{}
	for _, one := range slices.Backward(news) {
		of, _, err := listing.InvoicesOf(ctx, one, &f.asked.Query)
		if err != nil {
			return nil, false, err
		}
		for _, name := range of {
			if seen[name.Key] {
				continue
			}
			if left = len(rows) == f.room.pageRows; left {
				break
			}
			seen[name.Key] = true
			row, err := invoices.rowOf(ctx, &listing.Listed{Found: one, Named: name})
			if err != nil {
				return nil, false, err
			}
			rows = append(rows, row)
		}
	}
	slices.Reverse(rows)
	return rows, left, nil
}

// eventsOf returns the events for some rows. The last one has the place behind all new records.
func (f *follower) eventsOf(rows []any, left bool) ([]byte, error) {
	var events bytes.Buffer
	if left {
		events.WriteString("event: gap\ndata: {}\n\n")
	}
	for i, one := range rows {
		data, err := json.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("encoding a row: %w", err)
		}
		if i == len(rows)-1 {
			fmt.Fprintf(&events, "id: %s\n", f.next)
		}
		fmt.Fprintf(&events, "data: %s\n\n", data)
	}
	return events.Bytes(), nil
}
