package search

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
)

// readerOf returns the scope of a reader of our records.
func readerOf(t testing.TB, mask bool, more ...string) func(*http.Request) (site.Scope, error) {
	t.Helper()
	table, err := clients.NewTable([]clients.Row{{
		Role: clients.RoleReader, Name: "desk", User: []string{"ana"}, Cuits: append([]string{ours.String()}, more...), Mask: mask,
	}})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := table.Reader(&clients.Identity{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	return func(*http.Request) (site.Scope, error) { return site.ScopeOf(reader), nil }
}

// TestAReaderFollowsOwnRecordsAlone: others' records come without a row, without a gap and without a place behind
// them.
func TestAReaderFollowsOwnRecordsAlone(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0), invoice(theirs, 6, 1, 0))
	server, readers := ticking(t, store)
	server.Config.Handler.(*room).ReaderScope = readerOf(t, false)
	l := listen(t, server, asExchanges("/search/live"), "")
	l.until("retry:")
	ticks := <-readers
	var many []*audit.Record
	for i := range liveRows + 10 {
		many = append(many, invoice(theirs, 6, int64(2+i), 1))
	}
	write(t, store, "a", many...)
	write(t, store, "b", invoice(theirs, 6, 9, 2))
	ticks <- noon // sends nothing
	write(t, store, "a", invoice(ours, 6, 2, 3), invoice(theirs, 6, 999, 3))
	ticks <- noon
	rows, id := l.rows()
	want := fmt.Sprintf("a/%d", 2+len(many))
	if len(rows) != 1 || rows[0].Record != want || id != fmt.Sprintf("a/%d", 3+len(many)) {
		t.Errorf("%+v, %s", rows, id)
	}
}

// TestAReaderFindsOwnInvoicesByNumber, however many others have the same.
func TestAReaderFindsOwnInvoicesByNumber(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(27000000006, 6, 7, 0), invoice(ours, 6, 7, 1))
	var many []*audit.Record
	for range 800 {
		many = append(many, invoice(theirs, 6, 7, 2))
	}
	write(t, store, "a", many...)
	write(t, store, "a", invoice(ours, 6, 8, 3))
	m := newWorld(store)
	m.patience = 0
	m.ReaderScope = readerOf(t, false, "27000000006")
	for query, want := range map[string][]string{"q=1-7": {"a/1", "a/0"}, "q=B+1-7": {"a/1", "a/0"}, "q=6-1-8": {"a/802"}, "q=A+1-7": nil} {
		page := m.exchanges("/search?" + query).Body.String()
		if got := rowsOf(page); !slices.Equal(got, want) {
			t.Errorf("%s: found %v", query, got)
		}
		wantNone(t, page, "Hasta aquí no hay", "Seguir buscando")
	}
}

// TestAReaderWithMaskSeesNoReceivers, and a reader without it does.
func TestAReaderWithMaskSeesNoReceivers(t *testing.T) {
	store := newStore(t)
	write(t, store, "a", invoice(ours, 6, 1, 0))
	for _, mask := range []bool{true, false} {
		m := newWorld(store)
		m.ReaderScope = readerOf(t, mask)
		for _, path := range []string{"/search", "/search.csv"} {
			text := m.get(path).Body.String()
			if hidden := strings.Contains(text, "oculto") && !strings.Contains(text, "30-00000000-7"); hidden != mask {
				t.Errorf("mask %t: %s\n%s", mask, path, text)
			}
		}
	}
}

// TestTheRecordOfAReadNamesTheRow of the reader.
func TestTheRecordOfAReadNamesTheRow(t *testing.T) {
	store := newStore(t)
	if err := store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	from := opener{unclosed{store}, t.TempDir() + "/key"}
	options := &trail.Options{LogReads: true}
	if err := options.Provision(from); err != nil {
		t.Fatal(err)
	}
	opened, err := trail.Open(t.Context(), from, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := opened.Append(invoice(ours, 6, 1, 0), nil); err != nil {
		t.Fatal(err)
	}
	m := newWorld(store)
	m.ReaderScope = readerOf(t, false)
	m.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{opened.Log}, Trail: opened}})
	}
	if answered := m.get("/search?q=6-1-1"); answered.Code != http.StatusOK || !strings.Contains(answered.Body.String(), "76470000000001") {
		t.Errorf("%d %s", answered.Code, answered.Body)
	}
	said := ""
	for r, err := range store.Search(t.Context(), audit.Query{Log: opened.Log, Kind: audit.KindAccess}) {
		if err != nil {
			t.Fatal(err)
		}
		said = r.Detail
	}
	if said != `console --reader desk search "6-1-1"` {
		t.Errorf("the read is recorded as %q", said)
	}
}
