package sqlite_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

func TestStoreConforms(t *testing.T) { audittest.Suite(t, fresh) }

func TestSearchesOfAStoreConform(t *testing.T) { audittest.Searches(t, fresh) }

// fresh makes a store for a test.
func fresh(t *testing.T) audittest.Open {
	path := filepath.Join(t.TempDir(), "evidence.db")
	return func(t *testing.T) audit.Store { return open(t, path) }
}

// TestStoreConformsWithRuns makes runs of many levels of few records, while the store is used.
func TestStoreConformsWithRuns(t *testing.T) {
	for _, shape := range testrun.Few(t, 1, []struct{ bits, records int }{{1, 8}, {2, 40}, {4, 3}}) {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			audittest.SearchSuite(t, func(t *testing.T) audittest.Open {
				path := filepath.Join(t.TempDir(), "evidence.db")
				return func(t *testing.T) audit.Store { return open(t, path, sqlite.WithShape(shape.bits, shape.records)) }
			})
		})
	}
}

func contentKey(t testing.TB, seed byte) *audit.ContentKey {
	t.Helper()
	key, err := audit.NewContentKey(rand.NewChaCha8([32]byte{seed}))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func open(t testing.TB, path string, options ...sqlite.Option) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t testing.TB, s io.Closer) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
