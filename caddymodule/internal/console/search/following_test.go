package search

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// together is the address of a connection for several searches.
func together(searches ...string) string {
	return "/search/live?" + url.Values{"of": searches}.Encode()
}

// TestSearchesFollowTogether: over one connection each search gets its rows, and the place that it has come to. One
// that is behind catches up, and one without news says from time to time how far it has come.
func TestSearchesFollowTogether(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0), invoice(theirs, 6, 1, 1))
	server, readers := ticking(t, store)
	l := listen(t, server, together("q=20-11111111-2&list=exchanges&from=a/2", "list=exchanges&from=a/1", "q=10048&list=exchanges&from=a/2"), "")
	l.until("retry:")
	ticks := <-readers
	write(t, store, "a", invoice(ours, 6, 2, 2))
	ticks <- noon
	lines := l.until(":")
	var told []string
	for _, line := range lines {
		for _, begin := range []string{"event: ", "data: "} {
			if text, ok := strings.CutPrefix(line, begin); ok {
				if at := strings.Index(text, `"record":"`); at >= 0 {
					text, _, _ = strings.Cut(text[at+len(`"record":"`):], `"`)
				}
				told = append(told, text)
			}
		}
	}
	if want := strings.Fields("of 0 a/2 at a/3 of 1 a/1 a/2 at a/3"); !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
	for range heartbeat {
		ticks <- noon
	}
	if quiet := strings.Join(l.until(":"), "\n"); !strings.Contains(quiet, "event: of\ndata: 2\n\nevent: at\ndata: a/3\n") {
		t.Errorf("%s", quiet)
	}
}

// TestSearchesTogetherAreBounded: each takes a slot, all of them or none, and gives it back.
func TestSearchesTogetherAreBounded(t *testing.T) {
	m := newWorld(newStore(t))
	m.live = make(site.Slots, 3)
	if got := m.get(together(slices.Repeat([]string{"from="}, maxTogether+1)...)); got.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("too many at once: %d", got.Code)
	}
	if got := m.get(together("", "", "", "")); got.Code != http.StatusServiceUnavailable {
		t.Errorf("more than there are slots: %d", got.Code)
	}
	if got := m.get(together("", "status=zzz")); got.Code != http.StatusBadRequest {
		t.Errorf("one that cannot be followed: %d", got.Code)
	}
	for range cap(m.live) {
		if err := m.live.Enter(t.Context(), time.Nanosecond); err != nil {
			t.Fatal("a slot is not given back")
		}
	}
}

// TestTheStateIsTold in words: html/template takes an attribute whose name begins with data-on for a script, and quotes it.
func TestTheStateIsTold(t *testing.T) {
	wantAll(t, newWorld(newStore(t)).get("/search").Body.String(), `data-open="En vivo:`, `data-lost="Se perdió`, `data-refused="La consola`)
}
