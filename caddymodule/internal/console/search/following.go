package search

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

const (
	// heartbeat is after how many ticks without anything new the reader hears that all is well.
	heartbeat = 15
	// stuck is how long a reader may take for a part of an answer that goes on.
	stuck = 30 * time.Second
	// maxTogether bounds the searches of one connection. assets/live.js has the same number.
	maxTogether = 16
)

// following is a connection over which a reader follows searches. A browser has six connections to a server over plain
// HTTP, so its tabs share one: each parameter "of" has the parameters of a tab's search. An event "of" then names the
// search, by its place in the address, whose events follow, and an event "at" says how far that search has come.
type following struct {
	room     *room
	r        *http.Request
	w        http.ResponseWriter
	searches []*follower
	together bool
}

// follow sends the exchanges that match as they come, as server-sent events. The identifier of an event is the
// place behind it, from which a browser goes on that has lost its connection.
func (m *room) follow(w http.ResponseWriter, r *http.Request) error {
	asked := togetherIn(r)
	if len(asked) > maxTogether {
		return site.ErrTooLarge
	}
	c := &following{room: m, r: r, w: w, together: len(asked) > 0}
	if !c.together {
		asked = []*http.Request{r}
	}
	entered := 0
	defer func() {
		for range entered {
			m.live.Leave()
		}
	}()
	for _, one := range asked {
		if err := m.live.Enter(r.Context(), 0); err != nil {
			return err
		}
		entered++
		f, err := m.newFollower(one)
		if err != nil {
			return err
		}
		c.searches = append(c.searches, f)
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	if err := c.run(); err != nil {
		m.LogUnfinished(r, unfinished, err)
	}
	return nil
}

// togetherIn returns a request for each search of an address that has several.
func togetherIn(r *http.Request) (all []*http.Request) {
	for _, search := range r.URL.Query()["of"] {
		one := r.WithContext(r.Context())
		address := *r.URL
		address.RawQuery = search
		one.URL = &address
		all = append(all, one)
	}
	return all
}

// run sends new records at each tick. It ends with the reader, or with the configuration.
func (c *following) run() error {
	ticks, stop := c.room.ticks()
	defer stop()
	if !c.send([]byte("retry: 3000\n\n")) {
		return nil
	}
	for quiet := 0; ; {
		select {
		case <-c.r.Context().Done():
			return nil
		case <-c.room.Ending:
			return nil
		case <-ticks:
		}
		quiet++
		events, err := c.poll(quiet >= heartbeat)
		if err != nil {
			return err
		}
		if len(events) == 0 && quiet < heartbeat {
			continue
		}
		quiet = 0
		if !c.send(append(events, ":\n\n"...)) {
			return nil
		}
	}
}

// poll returns the events of all searches. With places also those that found nothing say how far they have come.
func (c *following) poll(places bool) ([]byte, error) {
	var all bytes.Buffer
	for i, f := range c.searches {
		events, err := f.poll()
		if err != nil {
			return nil, err
		}
		if !c.together {
			return events, nil
		}
		if len(events) > 0 || places {
			fmt.Fprintf(&all, "event: of\ndata: %d\n\n%sevent: at\ndata: %s\n\n", i, events, f.next)
		}
	}
	return all.Bytes(), nil
}

// send sends a part, and reports whether the reader is still there.
func (c *following) send(part []byte) bool {
	to := http.NewResponseController(c.w)
	_ = to.SetWriteDeadline(time.Now().Add(stuck)) // a connection without deadlines is of a test
	_, err := c.w.Write(part)
	return err == nil && to.Flush() == nil
}
