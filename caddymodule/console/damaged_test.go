package console

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// brokenStore is a store with one record that cannot be read. No search can exclude it: whatever is asked for ends there,
// unless the bounds of the query leave it out.
type brokenStore struct {
	audit.Store
	log   string
	index uint64
}

func (s *brokenStore) has(query *audit.Query) bool {
	return query.Log == s.log && query.From <= s.index && (query.Before == 0 || s.index < query.Before)
}

func (s *brokenStore) err() error { return fmt.Errorf("record %d: %w", s.index, audit.ErrDamaged) }

// Search implements audit.Store.
func (s *brokenStore) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range s.Store.Search(ctx, query) {
			if s.has(&query) && err == nil && r.Index <= s.index {
				yield(nil, s.err())
				return
			}
			if !yield(r, err) {
				return
			}
		}
		if s.has(&query) {
			yield(nil, s.err())
		}
	}
}

// Get implements audit.Store.
func (s *brokenStore) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	if log == s.log && index == s.index {
		return nil, s.err()
	}
	return s.Store.Get(ctx, log, index)
}

// TestEveryPageOutlivesDamage: where one record cannot be read, each page that lists, counts or tells records shows what can
// be read, and says that something is missing. Documents that are handed out need all that they are made of.
func TestEveryPageOutlivesDamage(t *testing.T) {
	l, own := mixed(t)
	l.store = &brokenStore{l.store, scopeLog, own["b"][len(own["b"])/2]}
	s := l.site()
	strict := []string{"/constancia.html", "/evidence", "/request"}
	for _, route := range s.Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		if method != http.MethodGet || !slices.Contains(routesOfRecords, pattern) || strings.HasSuffix(pattern, "/live") {
			continue
		}
		for _, path := range addressesWith(t, pattern, map[string][]string{
			"{log}": {scopeLog}, "{index}": {fmt.Sprint(own["a"][1])}, "{part}": {"request"}, "{file}": {"proof"}, "{$}": {""},
			"{cuit}": {issuerA.String(), issuerB.String()}, "{tipo}": {"6"}, "{ptovta}": {"1"}, "{nro}": {"1"},
		}) {
			got := ask(t, s, "all", method, path)
			isStrict := slices.ContainsFunc(strict, func(end string) bool { return strings.HasSuffix(path, end) })
			if got.Code >= http.StatusInternalServerError && !isStrict {
				t.Errorf("%s: %d", path, got.Code)
			}
			isPage := got.Code == http.StatusOK && strings.Contains(got.Body, "<main") && !strings.Contains(pattern, "/proof/")
			if isPage && !strings.Contains(got.Body, "dañado") {
				t.Errorf("%s does not say that something is missing", path)
			}
		}
	}
}
