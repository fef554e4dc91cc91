package audittest_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

func TestLeasesInMemory(t *testing.T) {
	audittest.LeaseSuite(t, func(*testing.T) func(*testing.T) audit.Leases {
		shared := new(audittest.Leases)
		return func(*testing.T) audit.Leases { return shared }
	})
}
