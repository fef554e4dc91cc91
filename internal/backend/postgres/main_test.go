package postgres_test

import (
	"testing"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }
