package postgres_test

import (
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// arrangements are how the tables may stand: divided by log, as testdata/partition.sql does it, or each one whole,
// as all other tests have them. Unlike these, the first prepares no statements, as behind a pooler.
var arrangements = []struct {
	name, parameters string
	arrange          func(t *testing.T, dsn string)
}{
	{"divided", "&default_query_exec_mode=exec", func(t *testing.T, dsn string) {
		divide, err := os.ReadFile("testdata/partition.sql")
		if err != nil {
			t.Fatal(err)
		}
		closeStore(t, open(t, dsn, postgres.Options{}))
		partition := " CREATE TABLE audit_segments_1 PARTITION OF audit_segments FOR VALUES IN ('gateway-1');"
		postgrestest.Shared(t).Exec(t, postgrestest.DatabaseOf(t, dsn), string(divide)+partition)
	}},
	{"whole", "", func(*testing.T, string) {}},
}

// TestStoreConforms keeps content as it is; TestPurgerConforms seals it too.
func TestStoreConforms(t *testing.T) { conforms(t, audittest.Suite) }

func TestSearchesOfAStoreConform(t *testing.T) { conforms(t, audittest.Searches) }

// conforms checks stores in each arrangement of the tables.
func conforms(t *testing.T, suite func(*testing.T, func(*testing.T) audittest.Open)) {
	t.Parallel()
	for _, a := range testrun.Few(t, 1, arrangements) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			suite(t, func(t *testing.T) audittest.Open {
				dsn := postgrestest.Shared(t).Database(t)
				a.arrange(t, dsn)
				return func(t *testing.T) audit.Store { return open(t, dsn+a.parameters, postgres.Options{}) }
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

// open opens a store, with the tables.
func open(t testing.TB, dsn string, options postgres.Options) *postgres.Store {
	t.Helper()
	options.Migrate = true
	s, err := postgres.Open(t.Context(), dsn, options)
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
