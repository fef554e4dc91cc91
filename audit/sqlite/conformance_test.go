package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
	"github.com/fielato/fielato/audit/sqlite"
)

func TestStoreConforms(t *testing.T) {
	audittest.Suite(t, func(t *testing.T) audittest.Open {
		path := filepath.Join(t.TempDir(), "evidence.db")
		return func(t *testing.T) audit.Store { return open(t, path) }
	})
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t testing.TB, s audit.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
