package site_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
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
