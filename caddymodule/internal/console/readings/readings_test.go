package readings_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/console/readings"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/today"
	"github.com/fielato/fielato/caddymodule/internal/identity"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
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

// room is a site over a trail that records who reads it.
type room struct {
	t      *testing.T
	site   *site.Site
	store  audit.Store
	trail  *trail.Trail
	now    time.Time
	ending chan struct{}
}

func newRoom(t *testing.T) *room {
	return newRoomOver(t, func(store audit.Store) audit.Store { return store })
}

// newRoomOver is newRoom, whose trail writes through what wrap returns.
func newRoomOver(t *testing.T, wrap func(audit.Store) audit.Store) *room {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	m := &room{t: t, store: store, now: time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC), ending: make(chan struct{})}
	from := opener{wrap(store), filepath.Join(t.TempDir(), "key")}
	options := &trail.Options{LogReads: true}
	if err := options.Provision(from); err != nil {
		t.Fatal(err)
	}
	if m.trail, err = trail.Open(t.Context(), from, options, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.trail.Close(); err != nil {
			t.Error(err)
		}
	})
	m.site = &site.Site{
		Base: "/consola", Now: func() time.Time { return m.now }, Logger: zap.NewNop(), Ending: m.ending,
		Open: func(_ context.Context, do func([]site.Source) error) error {
			return do([]site.Source{{Store: store, Logs: []string{m.trail.Log}, Trail: m.trail}})
		},
	}
	m.site.Prepare()
	today.Add(m.site)
	readings.Add(m.site)
	return m
}

// get asks for a page as a user.
func (m *room) get(user, path string) string {
	m.t.Helper()
	r := httptest.NewRequestWithContext(m.t.Context(), http.MethodGet, "/consola"+path, nil)
	repl := caddy.NewReplacer()
	repl.Set("http.auth.user.id", user)
	r = r.WithContext(context.WithValue(r.Context(), caddy.ReplacerCtxKey, repl))
	w := httptest.NewRecorder()
	m.site.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		m.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// accesses returns the records of readings, the newest first.
func (m *room) accesses() (all []*audit.Record) {
	m.t.Helper()
	for r, err := range m.store.Search(m.t.Context(), audit.Query{Log: m.trail.Log, Kind: audit.KindAccess}) {
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestThePageOfADayIsOneReading: it refreshes itself 2,880 times, and has a begin, an end, and a record each hour.
func TestThePageOfADayIsOneReading(t *testing.T) {
	m := newRoom(t)
	for range 2880 - 1 {
		m.get("contadora", "/?day=2026-11-21")
		m.now = m.now.Add(30 * time.Second)
	}
	all := m.accesses()
	if len(all) < 24 || len(all) > 26 {
		t.Fatalf("%d records", len(all))
	}
	begin := all[len(all)-1]
	for _, r := range all {
		if r.ID != begin.ID || !r.Time.Equal(begin.Time) || r.ClientIdentity != "contadora" || r.Way != audit.WayConsole || r.Detail != "console today 2026-11-21" {
			t.Errorf("%+v", r)
		}
	}
	if begin.Duration != 0 || all[0].Duration < 23*time.Hour {
		t.Errorf("%v until %v", begin.Duration, all[0].Duration)
	}
	last := m.now.Add(-30 * time.Second)
	m.now = m.now.Add(time.Hour) // nobody looked meanwhile
	m.get("contadora", "/?day=2026-11-21")
	m.get("otra", "/?day=2026-11-21")
	body := m.get("auditor", "/readings")
	for _, text := range []string{
		"22/11/2026 00:00:00", last.Add(-3 * time.Hour).Format("02/01/2006 15:04:05"), "console today 2026-11-21", "<bdi>contadora</bdi>", "<bdi>otra</bdi>", "<bdi>auditor</bdi>", ">consola<",
	} {
		if !strings.Contains(body, text) {
			t.Errorf("no %q in\n%s", text, body)
		}
	}
	if n := strings.Count(body, "<bdi>contadora</bdi>"); n != 2 {
		t.Errorf("contadora has %d readings, want 2", n)
	}
	m.end()
}

// hanging is a store whose commits wait, once hangs is set.
type hanging struct {
	audit.Store
	hangs     atomic.Bool
	begun, on chan struct{}
}

func (h *hanging) Commit(ctx context.Context, batch audit.Batch) error {
	if h.hangs.Load() {
		close(h.begun)
		<-h.on
		h.hangs.Store(false)
	}
	return h.Store.Commit(ctx, batch)
}

// TestAReadingThatGoesOnWaitsForNoOther: its refresh needs no record, whatever the record of another one waits for.
func TestAReadingThatGoesOnWaitsForNoOther(t *testing.T) {
	slow := &hanging{begun: make(chan struct{}), on: make(chan struct{})}
	m := newRoomOver(t, func(store audit.Store) audit.Store {
		slow.Store = store
		return slow
	})
	defer m.end()
	m.get("contadora", "/")
	slow.hangs.Store(true)
	var pages sync.WaitGroup
	defer pages.Wait()
	defer close(slow.on)
	pages.Go(func() { m.get("otra", "/") })
	<-slow.begun
	shown := make(chan struct{})
	pages.Go(func() {
		m.get("contadora", "/")
		close(shown)
	})
	select {
	case <-shown:
	case <-time.After(30 * time.Second):
		t.Error("it waits for the store")
	}
}

// end ends the configuration.
func (m *room) end() { close(m.ending) }

// TestTheEndIsRecordedWithTheConfiguration.
func TestTheEndIsRecordedWithTheConfiguration(t *testing.T) {
	m := newRoom(t)
	m.get("contadora", "/")
	m.now = m.now.Add(time.Minute)
	m.get("contadora", "/")
	if all := m.accesses(); len(all) != 1 {
		t.Fatalf("%d records", len(all))
	}
	m.end()
	for len(m.accesses()) != 2 {
		if t.Context().Err() != nil {
			t.Fatal("no end")
		}
	}
	if end := m.accesses()[0]; end.Duration != time.Minute {
		t.Errorf("%+v", end)
	}
}

// TestReadingsAreFoundByIdentity, also readings by builds that had the way within it.
func TestReadingsAreFoundByIdentity(t *testing.T) {
	m := newRoom(t)
	defer m.end()
	for _, r := range []audit.Record{
		{ClientIdentity: "contadora (console)", Detail: "console search 1"},
		{ClientIdentity: "ana@host", Way: audit.WayCommand, Detail: "audit stats"},
		{ClientIdentity: "ana@host", Outcome: audit.AccessHold, Cuit: 20111111112, Detail: "audit hold"},
	} {
		r.Kind, r.ID, r.Time = audit.KindAccess, r.Detail, m.now
		if _, err := m.trail.Append(&r, nil); err != nil {
			t.Fatal(err)
		}
	}
	body := m.get("auditor", "/readings?who=contadora")
	if strings.Count(body, "<tr><td") != 1 || !strings.Contains(body, "<bdi>contadora</bdi>") || !strings.Contains(body, "console search 1") || !strings.Contains(body, ">consola<") {
		t.Error(body)
	}
	body = m.get("auditor", "/readings?who=ana%40host")
	if strings.Count(body, "<tr><td") != 1 || !strings.Contains(body, ">comando<") || strings.Contains(body, "audit hold") {
		t.Error(body)
	}
}

// TestABoundReaderSeesOwnReadings, and no place of a record.
func TestABoundReaderSeesOwnReadings(t *testing.T) {
	m := newRoom(t)
	defer m.end()
	m.get("otra", "/")
	table, err := clients.NewTable([]clients.Row{{Role: clients.RoleReader, Name: "desk", User: []string{"ana"}, Cuits: []string{"20111111112"}}})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := table.Reader(&clients.Identity{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	m.site.ReaderScope = func(*http.Request) (site.Scope, error) { return site.ScopeOf(reader), nil }
	m.get("ana", "/")
	for _, path := range []string{"/readings", "/readings?who=otra"} {
		body := m.get("ana", path)
		if !strings.Contains(body, "Se muestran solo sus propias lecturas.") || !strings.Contains(body, "--reader desk today") || strings.Contains(body, "otra") || strings.Contains(body, "/exchange/") {
			t.Error(body)
		}
	}
}

// TestReadersWithoutANameSeeOwnReadings: a certificate whose key is in a row may have no subject, or none that counts.
func TestReadersWithoutANameSeeOwnReadings(t *testing.T) {
	m := newRoom(t)
	defer m.end()
	var rows []clients.Row
	keys := map[string][]byte{"one": []byte("a key"), "other": []byte("another key")}
	for name, key := range keys {
		digest := sha256.Sum256(key)
		rows = append(rows, clients.Row{Role: clients.RoleReader, Name: name, CertificateKey: []string{hex.EncodeToString(digest[:])}, Cuits: []string{"20111111112"}})
	}
	table, err := clients.NewTable(rows)
	if err != nil {
		t.Fatal(err)
	}
	readers := &site.Readers{Unproven: errors.New("nothing was proven"), Find: func(r *http.Request) (*clients.Reader, error) {
		id := identity.Of(r)
		return table.Reader(&id)
	}}
	m.site.ReaderScope = readers.Scope
	get := func(key, path string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/consola"+path, nil)
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{RawSubjectPublicKeyInfo: keys[key]}}}
		w := httptest.NewRecorder()
		m.site.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s %s: %d", key, path, w.Code)
		}
		return w.Body.String()
	}
	get("one", "/?day=2026-11-21")
	get("other", "/?day=2026-11-20")
	for key, want := range map[string][2]string{"one": {"2026-11-21", "2026-11-20"}, "other": {"2026-11-20", "2026-11-21"}} {
		digest := sha256.Sum256(keys[key])
		if body := get(key, "/readings"); !strings.Contains(body, "today "+want[0]) || strings.Contains(body, "today "+want[1]) || !strings.Contains(body, hex.EncodeToString(digest[:])) {
			t.Errorf("%s sees\n%s", key, body)
		}
	}
}
