package site_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

// TestLogsOfTheSameName: each address leads to the store that it was made for, and to no other one.
func TestLogsOfTheSameName(t *testing.T) {
	var stores []audit.Store
	s := &site.Site{Base: "/consola"}
	s.Prepare()
	s.Open = func(_ context.Context, do func([]site.Source) error) error {
		var sources []site.Source
		for _, store := range stores {
			sources = append(sources, site.Source{Store: store, Logs: []string{"gateway-1"}})
		}
		return do(sources)
	}
	r := httptest.NewRequest(http.MethodGet, "/consola/", nil)
	var keys []string
	records := []*audit.Record{{Kind: audit.KindExchange, ID: "a"}, {Kind: audit.KindExchange, ID: "b"}, {Kind: audit.KindExchange, ID: "c"}}
	for i := range records {
		store := audittest.NewMemory()
		if err := store.Commit(t.Context(), audittest.Seal(t, store, "gateway-1", records[:i+1]...)); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, store)
	}
	err := s.Read(r, "", "show", func(sources []site.Source) error {
		for _, source := range sources {
			keys = append(keys, source.Key("gateway-1"))
		}
		return nil
	})
	if err != nil || keys[0] != "gateway-1" {
		t.Errorf("%v, %v", keys, err)
	}
	for i, key := range keys {
		err := s.Read(r, key, "show", func(sources []site.Source) error {
			head, err := sources[0].Store.Head(t.Context(), "gateway-1")
			if len(sources) != 1 || head.Size != uint64(i+1) {
				t.Errorf("%s leads to the store with %d records", key, head.Size)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, key := range []string{"gateway-1:4", "gateway-1:1", "gateway-1:", "gateway-2", ":2", ":"} {
		if err := s.Read(r, key, "show", func([]site.Source) error { return nil }); !errors.Is(err, site.ErrNotFound) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestAStoreOfOthersHasNoLogs, as a log of others has no name beside the reader's own in one store.
func TestAStoreOfOthersHasNoLogs(t *testing.T) {
	reader, err := tableOf(t, desk).Reader(&clients.Identity{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	var sources []site.Source
	for log, issuer := range map[string]wsfev1.CUIT{"gateway-1": mine, "gateway-2": theirs} {
		store := audittest.NewMemory()
		if err := store.Commit(t.Context(), audittest.Seal(t, store, log, &audit.Record{Kind: audit.KindExchange, ID: "x", Cuit: issuer})); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, site.Source{Store: store, Logs: []string{log}})
	}
	s := &site.Site{Base: "/consola", ReaderScope: func(*http.Request) (site.Scope, error) { return site.ScopeOf(reader), nil }}
	s.Prepare()
	s.Open = func(_ context.Context, do func([]site.Source) error) error { return do(slices.Clone(sources)) }
	r := httptest.NewRequest(http.MethodGet, "/consola/", nil)
	var logs []string
	if err := s.Read(r, "", "show", func(sources []site.Source) error {
		for i := range sources {
			logs = append(logs, sources[i].Logs...)
		}
		return nil
	}); err != nil || !slices.Equal(logs, []string{"gateway-1"}) {
		t.Errorf("the reader has the logs %v, %v", logs, err)
	}
	if err := s.Read(r, "gateway-2", "show", func([]site.Source) error { return nil }); !errors.Is(err, site.ErrNotFound) {
		t.Errorf("the log of others: %v", err)
	}
}
