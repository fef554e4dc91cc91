package postgres_test

import (
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/backendtest"
	"github.com/fielato/fielato/internal/backend/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// places maps each folder of the shared tests to a database.
type places struct {
	mu  sync.Mutex // guards dsn
	dsn map[string]string
}

func (p *places) open(tb testing.TB, place string) backend.Ledger {
	tb.Helper()
	p.mu.Lock()
	dsn, ok := p.dsn[place]
	if !ok {
		dsn = postgrestest.Shared(tb).Database(tb)
		p.dsn[place] = dsn
	}
	p.mu.Unlock()
	return open(tb, dsn)
}

func open(tb testing.TB, dsn string) *postgres.Ledger {
	tb.Helper()
	ledger, err := postgres.Open(tb.Context(), dsn, postgres.Options{Migrate: true})
	if err != nil {
		tb.Fatal(err)
	}
	return ledger
}

func TestLedgerKeepsItsContract(t *testing.T) {
	t.Parallel()
	backendtest.Suite(t, (&places{dsn: map[string]string{}}).open)
}
