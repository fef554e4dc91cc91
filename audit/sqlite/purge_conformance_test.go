package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
)

func TestPurgerConforms(t *testing.T) {
	for name, key := range map[string]*audit.ContentKey{"plain": nil, "sealed": contentKey(t, 1)} {
		t.Run(name, func(t *testing.T) {
			audittest.PurgeSuite(t, func(t *testing.T) (audittest.Open, audittest.OpenPurger) {
				path := filepath.Join(t.TempDir(), "evidence.db")
				return func(t *testing.T) audit.Store { return open(t, path, sqlite.WithContentKey(key)) },
					func(t *testing.T) audit.Purger { return openPurger(t, path, sqlite.WithContentKey(key)) }
			})
		})
	}
}

func openPurger(t testing.TB, path string, options ...sqlite.Option) *sqlite.Purger {
	t.Helper()
	p, err := sqlite.OpenPurger(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
