package search

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// listener is a browser that follows.
type listener struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
	code  int
}

// listen follows an address below the base.
func listen(t *testing.T, server *httptest.Server, path, last string) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/consola"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, lines: bufio.NewScanner(answer.Body), code: answer.StatusCode}
	l.lines.Buffer(nil, 1<<20)
	l.close = func() { cancel(); _ = answer.Body.Close() }
	t.Cleanup(l.close)
	return l
}

// until returns the lines up to the one that begins so.
func (l *listener) until(begin string) (lines []string) {
	l.t.Helper()
	for l.lines.Scan() {
		lines = append(lines, l.lines.Text())
		if strings.HasPrefix(l.lines.Text(), begin) {
			return lines
		}
	}
	l.t.Fatalf("no line begins with %q: %q, %v", begin, lines, l.lines.Err())
	return nil
}

// rows returns the rows of the events up to the end of a part.
func (l *listener) rows() (rows []row, id string) {
	l.t.Helper()
	for _, line := range l.until(":") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var one row
			if err := json.Unmarshal([]byte(data), &one); err != nil {
				l.t.Fatal(err)
			}
			rows = append(rows, one)
		}
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			id = text
		}
	}
	return rows, id
}

// ticking returns a server whose readers look for new records when the test says so: readers has the ticks
// of each in the order in which they come.
func ticking(t *testing.T, store audit.Store) (server *httptest.Server, readers <-chan chan time.Time) {
	t.Helper()
	m := newWorld(store)
	all := make(chan chan time.Time, 8)
	m.ticks = func() (<-chan time.Time, func()) {
		ticks := make(chan time.Time)
		all <- ticks
		return ticks, func() {}
	}
	server = httptest.NewServer(m)
	t.Cleanup(server.Close)
	return server, all
}

// TestFollowLive: what comes after the page was made appears once, with its outcome; what does not match
// and what waits for its outcome does not.
func TestFollowLive(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	server, readers := ticking(t, store)
	page, err := server.Client().Get(server.URL + "/consola/search?q=20-11111111-2&list=exchanges")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(page.Body)
	address := ""
	for lines.Scan() {
		if strings.Contains(lines.Text(), `id="live"`) {
			address = strings.ReplaceAll(strings.TrimPrefix(between(lines.Text(), `data-address="`, `"`), "/consola"), "&amp;", "&")
		}
	}
	_ = page.Body.Close()
	intent := invoice(ours, 6, 3, 2)
	intent.Kind = audit.KindIntent
	write(t, store, "a", invoice(ours, 6, 2, 1), invoice(theirs, 6, 2, 1), intent) // before the reader follows
	l := listen(t, server, address, "")
	l.until("retry:")
	ticks := <-readers
	ticks <- noon
	rows, id := l.rows()
	if len(rows) != 1 || rows[0].Record != "a/1" || rows[0].Voucher != "Factura B 0001-00000002" || rows[0].Total != "1.234,50" || rows[0].Address != "/consola/exchange/a/1" || id != "a/4" {
		t.Errorf("%+v %s", rows, id)
	}
	outcome := &audit.Record{Kind: audit.KindOutcome, Intent: 3, Time: noon, Outcome: "unknown", Certainty: audit.Unknown}
	write(t, store, "a", outcome)
	write(t, store, "b", invoice(ours, 6, 9, 3)) // a log that begins meanwhile
	ticks <- noon
	rows, id = l.rows()
	if len(rows) != 2 || rows[0].Record != "a/4" || rows[0].Issuer != "20-11111111-2" || rows[1].Record != "b/0" || id != "a/5 b/1" {
		t.Errorf("%+v %s", rows, id)
	}
	again := listen(t, server, address, "a/4 b/1") // the browser goes on
	again.until("retry:")
	(<-readers) <- noon
	if rows, _ := again.rows(); len(rows) != 1 || rows[0].Record != "a/4" {
		t.Errorf("again %+v", rows)
	}
}

// TestAReaderWhoFollowsHearsThatAllIsWell, and of a flood only the newest.
func TestAReaderWhoFollowsHearsThatAllIsWell(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	server, readers := ticking(t, store)
	l := listen(t, server, asExchanges("/search/live"), "")
	l.until("retry:")
	ticks := <-readers
	for range heartbeat {
		ticks <- noon
	}
	if rows, _ := l.rows(); len(rows) != 0 {
		t.Errorf("%+v", rows)
	}
	var flood []*audit.Record
	for i := range liveRows + 3 {
		flood = append(flood, invoice(ours, 6, int64(i+2), i))
	}
	write(t, store, "a", flood...)
	ticks <- noon
	l.until("event: gap")
	if rows, _ := l.rows(); len(rows) != liveRows+1 { // and the empty one of the gap
		t.Errorf("%d rows", len(rows))
	}
}

// TestReadersWhoFollowAreBounded, and end with the configuration, which a reload waits for.
func TestReadersWhoFollowAreBounded(t *testing.T) {
	m := newWorld(newStore(t))
	m.live = make(site.Slots, 2)
	ending := make(chan struct{})
	m.Ending = ending
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	first, second := listen(t, server, asExchanges("/search/live"), ""), listen(t, server, asExchanges("/search/live"), "")
	first.until("retry:")
	second.until("retry:")
	third := listen(t, server, asExchanges("/search/live"), "")
	if third.code != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", third.code)
	}
	third.until("<p>Hay demasiados pedidos")
	close(ending)
	for _, l := range []*listener{first, second} {
		for l.lines.Scan() { // to the end
		}
		if err := l.lines.Err(); err != nil {
			t.Errorf("the answer is cut: %v", err)
		}
	}
	m.live <- struct{}{} // both slots are free again
	m.live <- struct{}{}
}

// TestWhatCannotBeFollowed is refused.
func TestWhatCannotBeFollowed(t *testing.T) {
	m := newWorld(newStore(t))
	for _, query := range []string{"outcome=open", "q=zzz", "status=zzz", "q=a/17"} {
		if answered := m.get("/search/live?" + query); answered.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, answered.Code)
		}
	}
	wantNone(t, m.get("/search?outcome=open").Body.String(), `id="live"`)
	wantNone(t, m.get("/search?until=2026-11-01").Body.String(), `id="live"`)
}
