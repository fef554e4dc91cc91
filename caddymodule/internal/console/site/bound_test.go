package site_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

const (
	mine   wsfev1.CUIT = 20111111112
	theirs wsfev1.CUIT = 30500010912
)

// tableOf returns a table of rows.
func tableOf(t *testing.T, rows ...clients.Row) *clients.Table {
	t.Helper()
	table, err := clients.NewTable(rows)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var desk = clients.Row{Role: clients.RoleReader, Name: "desk", User: []string{"ana"}, Cuits: []string{"20111111112"}, Mask: true}

// boundSource is a trail of two issuers as a reader of one has it. The records 0 and 3 are the reader's.
func boundSource(t *testing.T, do func(*site.Source)) {
	t.Helper()
	store := audittest.NewMemory()
	record := func(cuit wsfev1.CUIT) *audit.Record {
		return &audit.Record{Kind: audit.KindExchange, ID: "x", Cuit: cuit}
	}
	for log, records := range map[string][]*audit.Record{
		"gateway-1": {record(mine), record(theirs), record(0), record(mine), record(theirs)}, "gateway-2": {record(theirs)},
	} {
		if err := store.Commit(t.Context(), audittest.Seal(t, store, log, records...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{signingkey.VerifierKeyOf("gateway-1"), "fingerprint-key"} {
		if _, err := store.Secret(t.Context(), name, func() ([]byte, error) { return []byte("key"), nil }); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := tableOf(t, desk).Reader(&clients.Identity{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	s := &site.Site{Base: "/consola", ReaderScope: func(*http.Request) (site.Scope, error) { return site.ScopeOf(reader), nil }}
	s.Prepare()
	s.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{"gateway-1", "gateway-2"}}})
	}
	if err := s.Read(httptest.NewRequest(http.MethodGet, "/consola/", nil), "", "show", func(sources []site.Source) error {
		do(&sources[0])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// indexes returns where the records of a search are.
func indexes(t *testing.T, found iter.Seq2[*audit.Record, error]) (all []uint64) {
	t.Helper()
	for r, err := range found {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Index)
	}
	return all
}

// TestAStoreHasTheReadersRecordsAlone, and what cannot be bounded is refused.
func TestAStoreHasTheReadersRecordsAlone(t *testing.T) {
	boundSource(t, func(source *site.Source) {
		ctx, store := t.Context(), source.Store
		if head, err := store.Head(ctx, "gateway-1"); err != nil || head.Size != 4 || head.Checkpoint != nil {
			t.Errorf("the log is %+v, %v", head, err)
		}
		if head, err := store.Head(ctx, "gateway-2"); err != nil || head.Size != 0 {
			t.Errorf("the log of others is %+v, %v", head, err)
		}
		if logs, err := store.Logs(ctx); err != nil || !slices.Equal(logs, []string{"gateway-1"}) || !slices.Equal(source.Logs, logs) {
			t.Errorf("logs %v and %v, %v", logs, source.Logs, err)
		}
		for query, want := range map[*audit.Query][]uint64{
			{}: {3, 0}, {Cuit: mine}: {3, 0}, {Cuit: theirs}: nil, {Cuits: []wsfev1.CUIT{theirs, mine}, Limit: 1}: {3}, {Cuits: []wsfev1.CUIT{theirs}}: nil, {Kind: audit.KindOutage}: nil,
		} {
			query.Log = "gateway-1"
			if got := indexes(t, store.Search(ctx, *query)); !slices.Equal(got, want) {
				t.Errorf("%+v: %v, want %v", query, got, want)
			}
		}
		var missing []string
		for _, index := range []uint64{1, 2, 4, 5} {
			_, err := store.Get(ctx, "gateway-1", index)
			if !errors.Is(err, audit.ErrNotFound) {
				t.Errorf("record %d: %v", index, err)
			}
			if _, err := source.Proving(ctx, "gateway-1", index); !errors.Is(err, audit.ErrNotFound) {
				t.Errorf("proof of record %d: %v", index, err)
			}
			missing = append(missing, string([]rune(err.Error())[8:]))
		}
		if len(slices.Compact(missing)) != 1 {
			t.Errorf("what is not there differs: %q", missing)
		}
		if r, err := store.Get(ctx, "gateway-1", 3); err != nil || r.Cuit != mine {
			t.Errorf("own record: %v, %v", r, err)
		}
		_, errTile := store.Tile(ctx, "gateway-1", 0, 0)
		_, errLeaves := store.Leaves(ctx, "gateway-1", 0, 1)
		_, errSecret := store.Secret(ctx, "fingerprint-key", nil)
		_, errSetting := store.Setting(ctx, "retention/gateway-1")
		var errScan error
		for _, err := range store.Scan(ctx, "gateway-1", 0) {
			errScan = err
		}
		for i, err := range []error{errTile, errLeaves, errSecret, errSetting, errScan, store.Commit(ctx, audit.Batch{}), store.SetSetting(ctx, trail.LogReadsKey, nil), store.Close()} {
			if !errors.Is(err, site.ErrBound) {
				t.Errorf("%d. is not refused: %v", i, err)
			}
		}
		if key, err := signingkey.KnownVerifier(ctx, store, "gateway-1"); err != nil || key != "key" {
			t.Errorf("public key %q, %v", key, err)
		}
	})
}

// TestAProofTakesOneRecord, the hashes of the tree and the checkpoint.
func TestAProofTakesOneRecord(t *testing.T) {
	boundSource(t, func(source *site.Source) {
		ctx := t.Context()
		proving, err := source.Proving(ctx, "gateway-1", 3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := audit.Prove(ctx, proving.Store, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), 3); err != nil {
			t.Error(err)
		}
		for first := range uint64(6) {
			var got []audit.Form
			for piece, err := range proving.Store.Scan(ctx, "gateway-1", first) {
				if err != nil {
					break
				}
				forms, err := piece.Unpack()
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, forms...)
			}
			want := 0
			if first == 0 || first == 3 {
				want = 1
			}
			if len(got) != want {
				t.Errorf("from record %d on: %d records, want %d", first, len(got), want)
			}
		}
		if _, err := audit.Prove(ctx, proving.Store, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), 4); err == nil {
			t.Error("another's record is proved")
		}
	})
}

// TestWhoIsAReader: by a row, or by being on the machine where nothing asks.
func TestWhoIsAReader(t *testing.T) {
	client := clients.Row{Name: "shop", User: []string{"shop"}, Cuits: []string{"*"}, May: []string{"*"}}
	everyone := clients.Row{Role: clients.RoleReader, Name: "chief", User: []string{"chief"}, Cuits: []string{"*"}}
	at := func(user, host, address string) (*http.Request, clients.Identity) {
		r := httptest.NewRequest(http.MethodGet, "http://"+host+"/consola/", nil)
		r.RemoteAddr = address
		server := &caddyhttp.Server{Listen: []string{"127.0.0.1:2020"}}
		return r.WithContext(context.WithValue(r.Context(), caddyhttp.ServerCtxKey, server)), clients.Identity{User: user}
	}
	for name, test := range map[string]struct {
		rows                []clients.Row
		all                 bool
		user, host, address string
		want                string
	}{
		"no row":                      {nil, false, "", "example.com", "192.0.2.1:5", "*"},
		"no row, a user":              {nil, false, "ana", "example.com", "192.0.2.1:5", "*"},
		"a reader":                    {[]clients.Row{desk}, false, "ana", "example.com", "192.0.2.1:5", "[20111111112]"},
		"a reader of all":             {[]clients.Row{desk, everyone}, false, "chief", "example.com", "192.0.2.1:5", "*"},
		"another user":                {[]clients.Row{desk}, false, "eva", "example.com", "192.0.2.1:5", ""},
		"nobody":                      {[]clients.Row{desk}, false, "", "example.com", "192.0.2.1:5", ""},
		"a client is no reader":       {[]clients.Row{client}, false, "shop", "example.com", "192.0.2.1:5", ""},
		"clients alone":               {[]clients.Row{client}, false, "", "example.com", "192.0.2.1:5", ""},
		"readers *":                   {[]clients.Row{client}, true, "eva", "example.com", "192.0.2.1:5", "*"},
		"nobody, on the machine":      {[]clients.Row{desk, client}, false, "", "localhost", "127.0.0.1:5", "*"},
		"another user on the machine": {[]clients.Row{desk}, false, "eva", "localhost", "127.0.0.1:5", ""},
		"a name that leads to the machine by chance": {[]clients.Row{desk}, false, "", "example.com", "127.0.0.1:5", ""},
	} {
		r, id := at(test.user, test.host, test.address)
		errUnproven := errors.New("nothing was proven")
		readers := &site.Readers{Unproven: errUnproven, Find: func(*http.Request) (*clients.Reader, error) {
			reader, err := tableOf(t, test.rows...).Reader(&id)
			switch {
			case test.all || len(test.rows) == 0:
				return nil, nil
			case id.User == "":
				return nil, errUnproven
			}
			return reader, err
		}}
		scope, err := readers.Scope(r)
		switch {
		case test.want == "":
			if !errors.Is(err, site.ErrNoReader) || scope.All() || scope.May(mine) {
				t.Errorf("%s: %+v, %v", name, scope, err)
			}
		case err != nil || scope.Key() != test.want || scope.Mask != (scope.Reader == "desk"):
			t.Errorf("%s: %+v, %v", name, scope, err)
		}
	}
	if (site.Scope{}).All() || (site.Scope{}).May(mine) || site.ScopeOf(&clients.Reader{}).May(mine) {
		t.Error("an empty scope has records")
	}
}

// TestAChangedScopeEndsAnAnswer that goes on: what it has shown is not what it may show now.
func TestAChangedScopeEndsAnAnswer(t *testing.T) {
	scope, polls := site.Everything, 0
	s := &site.Site{Base: "/consola", ReaderScope: func(*http.Request) (site.Scope, error) { return scope, nil }}
	s.Prepare()
	s.Open = func(_ context.Context, do func([]site.Source) error) error { return do(nil) }
	s.Get("/long", func(_ http.ResponseWriter, r *http.Request) error {
		for range 3 {
			if err := s.ReadUnnoted(r, func([]site.Source) error { polls++; return nil }); err != nil {
				return err
			}
			scope = site.ScopeOf(&clients.Reader{Name: "desk"})
		}
		return nil
	})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/consola/long", nil))
	if polls != 1 || w.Code != http.StatusForbidden {
		t.Errorf("%d polls, status %d", polls, w.Code)
	}
}
