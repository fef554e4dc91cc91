package postgres_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestSeriesAreLeased(t *testing.T) {
	audittest.LeaseSuite(t, func(t *testing.T) func(*testing.T) audit.Leases {
		dsn := postgrestest.Shared(t).Database(t)
		return func(t *testing.T) audit.Leases {
			s := open(t, dsn, postgres.Options{})
			t.Cleanup(func() { closeStore(t, s) })
			return s
		}
	})
}
