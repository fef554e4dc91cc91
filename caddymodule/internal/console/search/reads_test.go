package search

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// opener opens a store that is open already.
type opener struct {
	store audit.Store
	key   string
}

func (opener) Key() string       { return "store" }
func (opener) Address() string   { return "store" }
func (opener) LogName() string   { return "gateway-1" }
func (o opener) KeyFile() string { return o.key }

func (o opener) OpenStore(context.Context, *audit.ContentKey) (audit.Store, error) {
	return o.store, nil
}

// recording opens the trail of a store, whose readers are on record, for a room.
func recording(t *testing.T, m *room, store audit.Store) *trail.Trail {
	t.Helper()
	from := opener{unclosed{store}, t.TempDir() + "/key"}
	options := &trail.Options{LogReads: true}
	if err := options.Provision(from); err != nil {
		t.Fatal(err)
	}
	opened, err := trail.Open(t.Context(), from, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	m.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{"a", opened.Log}, Trail: opened}})
	}
	return opened
}

// TestWhatIsReadIsRecordedFirst, with log_reads; where it cannot be, nothing is shown.
func TestWhatIsReadIsRecordedFirst(t *testing.T) {
	store := newStore(t)
	if err := store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	write(t, store, "a", invoice(ours, 6, 1, 0))
	m := newWorld(store)
	const asked = "q=6-1-1&outcome=approved&client=192.0.2.7"
	for _, path := range []string{"/search?", "/search.csv?", "/search/live?"} {
		if answered := m.get(path + asked); answered.Code != http.StatusServiceUnavailable || strings.Contains(answered.Body.String(), "76470000000001") {
			t.Errorf("%s: %d", path, answered.Code)
		}
	}
	opened := recording(t, m, store)
	ending := make(chan struct{})
	close(ending)
	m.Ending = ending
	for _, path := range []string{"/search?", "/search.csv?", "/search/live?"} {
		if answered := m.get(path + asked); answered.Code != http.StatusOK {
			t.Errorf("%s: %d", path, answered.Code)
		}
	}
	var all []string
	for r, err := range store.Search(t.Context(), audit.Query{Log: opened.Log, Kind: audit.KindAccess}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Detail)
	}
	const flags = ` "6-1-1" --outcome "approved" --client "192.0.2.7"`
	if got, want := strings.Join(all, "\n"), "console live"+flags+"\nconsole export"+flags+"\nconsole search"+flags; got != want {
		t.Errorf("recorded is %s\nwant %s", got, want)
	}
}

// TestAReaderWhoFollowsIsReading all the time, not in the moment alone in which that began.
func TestAReaderWhoFollowsIsReading(t *testing.T) {
	store := newStore(t)
	if err := store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	write(t, store, "a", invoice(ours, 6, 1, 0))
	m := newWorld(store)
	opened := recording(t, m, store)
	var minutes atomic.Int64
	m.Now = func() time.Time { return noon.Add(time.Duration(minutes.Load()) * time.Minute) }
	ending, ticks := make(chan struct{}), make(chan time.Time)
	m.Ending, m.ticks = ending, func() (<-chan time.Time, func()) { return ticks, func() {} }
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	reader := listen(t, server, "/search/live?outcome=approved", "")
	for range 60 + 1 { // the last one comes when all before have been read
		minutes.Add(1)
		ticks <- m.Now()
	}
	reader.close()
	server.Close() // waits for the last look, which would be a reading of its own behind the end
	close(ending)
	begin, longest := map[string]bool{}, time.Duration(0)
	for r, err := range store.Search(t.Context(), audit.Query{Log: opened.Log, Kind: audit.KindAccess}) {
		if err != nil {
			t.Fatal(err)
		}
		begin[r.ID+r.Detail], longest = true, max(longest, r.Duration)
	}
	if len(begin) != 1 || longest < time.Hour {
		t.Errorf("the readings %v last until %v", begin, longest)
	}
}

// unclosed is a store that outlives its trail.
type unclosed struct{ audit.Store }

func (unclosed) Close() error { return nil }
