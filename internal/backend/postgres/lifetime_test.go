package postgres_test

import (
	"testing"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestCloseCommitsWhatWaitsAndRefusesTheRest(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	ledger, other := open(t, dsn), open(t, dsn)
	defer other.Close()
	l := newLoad(t, ledger)
	l.await(40)
	if err := ledger.Close(); err != nil {
		t.Error(err)
	}
	l.verify(other)
}

func TestOneConnectionIsEnough(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	ledger := open(t, dsn+"&pool_max_conns=1")
	defer ledger.Close()
	l := newLoad(t, ledger)
	l.await(60)
	for range 3 {
		if _, err := taken(t.Context(), ledger, 700, true); err != nil {
			t.Error(err)
		}
	}
	l.verify(ledger)
}
