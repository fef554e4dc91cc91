package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

const (
	// liveRows is how many new exchanges a reader gets at a time: of more only the newest.
	liveRows = 200
	// heartbeat is after how many ticks without anything new the reader hears that all is well.
	heartbeat = 15
	// stuck is how long a reader may take for a part of an answer that goes on.
	stuck = 30 * time.Second
)

// follower is a reader who follows the log.
type follower struct {
	room  *room
	r     *http.Request
	w     http.ResponseWriter
	frame site.Frame
	asked *request
	// next has of each log the index of the next record to look at.
	next cursor
}

// follow sends the exchanges that match as they come, as server-sent events. The identifier of an event is the
// place behind it, from which a browser goes on that has lost its connection.
func (m *room) follow(w http.ResponseWriter, r *http.Request) error {
	asked := parseRequest(r.URL.Query(), m.Now())
	if !asked.isEmpty() && !asked.isReadable() || asked.Record != nil || asked.Query.Kind == audit.KindIntent {
		return site.ErrBadRequest
	}
	if !m.live.enter() {
		return site.ErrBusy
	}
	defer m.live.leave()
	f := &follower{room: m, r: r, w: w, asked: asked, frame: m.Frame(r, page, "search", "search.last")}
	err := m.Read(r, asked.log, asked.note("live"), func(sources []site.Source) (err error) {
		f.next, err = f.from(sources)
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	if err := f.run(); err != nil {
		m.logFailure(r, err)
	}
	return nil
}

// from returns where the reader begins: where its connection broke, where its page ends, or with the next
// record.
func (f *follower) from(sources []site.Source) (cursor, error) {
	for _, text := range []string{f.r.Header.Get("Last-Event-ID"), f.r.URL.Query().Get("from")} {
		if at, ok := parseCursor(text); ok {
			return at, nil
		}
	}
	return headsOf(f.r.Context(), sources, f.asked.log)
}

// run sends new records at each tick. It ends with the reader, or with the configuration.
func (f *follower) run() error {
	ticks, stop := f.room.ticks()
	defer stop()
	if !f.send([]byte("retry: 3000\n\n")) {
		return nil
	}
	for quiet := 0; ; {
		select {
		case <-f.r.Context().Done():
			return nil
		case <-f.room.Ending:
			return nil
		case <-ticks:
		}
		events, err := f.poll()
		if err != nil {
			return err
		}
		if quiet++; len(events) == 0 && quiet < heartbeat {
			continue
		}
		quiet = 0
		if !f.send(append(events, ":\n\n"...)) {
			return nil
		}
	}
}

// send sends a part, and reports whether the reader is still there.
func (f *follower) send(part []byte) bool {
	to := http.NewResponseController(f.w)
	_ = to.SetWriteDeadline(time.Now().Add(stuck)) // a connection without deadlines is of a test
	_, err := f.w.Write(part)
	return err == nil && to.Flush() == nil
}

// poll returns the events for new records. The trail is open only meanwhile: a reload does not wait for it.
func (f *follower) poll() (events []byte, err error) {
	ctx := f.r.Context()
	err = f.room.ReadUnnoted(f.r, func(sources []site.Source) error {
		var news []found
		left := false
		err := eachLog(sources, func(source *site.Source, log, key string) error {
			if f.asked.log != "" && f.asked.log != log {
				return nil
			}
			some, more, err := f.newIn(ctx, source, log, key)
			news, left = append(news, some...), left || more
			return err
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(news, func(a, b found) int { return a.Time.Compare(b.Time) })
		events, err = f.eventsOf(ctx, news, left)
		return err
	})
	return events, err
}

// newIn returns the new records of a log, oldest first, and whether there are so many that the older
// ones were left out. Intents are left out: their outcomes follow.
func (f *follower) newIn(ctx context.Context, source *site.Source, log, key string) (news []found, left bool, err error) {
	head, err := source.Store.Head(ctx, log)
	if err != nil {
		return nil, false, fmt.Errorf("reading the head of log %s: %w", log, err)
	}
	query := f.asked.Query
	query.Log, query.From, query.Before = log, f.next[key], head.Size
	if query.From >= query.Before {
		return nil, false, nil
	}
	fits := (&plan{types: f.asked.Types}).fitsIn(ctx, source)
	for record, err := range source.Store.Search(ctx, query) {
		if err != nil {
			return nil, false, fmt.Errorf("searching: %w", err)
		}
		if record.Kind == audit.KindIntent {
			continue
		}
		if fits != nil {
			if ok, err := fits(record); err != nil {
				return nil, false, err
			} else if !ok {
				continue
			}
		}
		if left = len(news) == liveRows; left {
			break
		}
		news = append(news, found{record, source})
	}
	f.next[key] = head.Size
	slices.SortFunc(news, func(a, b found) int { return cmp.Compare(a.Index, b.Index) })
	return news, left, nil
}

// eventsOf returns the events for some records. The last one has the place behind all of them.
func (f *follower) eventsOf(ctx context.Context, news []found, left bool) ([]byte, error) {
	var events bytes.Buffer
	if left {
		events.WriteString("event: gap\ndata: {}\n\n")
	}
	for i, one := range news {
		shown, err := rowOf(ctx, &f.frame, one)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(shown)
		if err != nil {
			return nil, fmt.Errorf("encoding a row: %w", err)
		}
		if i == len(news)-1 {
			fmt.Fprintf(&events, "id: %s\n", f.next)
		}
		fmt.Fprintf(&events, "data: %s\n\n", data)
	}
	return events.Bytes(), nil
}
