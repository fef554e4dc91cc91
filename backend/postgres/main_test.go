package postgres_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	postgrestest.StopShared()
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}
