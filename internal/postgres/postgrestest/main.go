package postgrestest

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/fielato/fielato/internal/testrun"
)

// Main is testrun.Main for a package whose tests use the shared server.
func Main(m *testing.M, options ...goleak.Option) { testrun.Main(m, StopShared, options...) }
