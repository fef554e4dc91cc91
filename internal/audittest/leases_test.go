package audittest_test

import (
	"testing"

	"github.com/fielato/fielato/internal/audittest"
)

// memory is a store in memory with leases.
type memory struct {
	*audittest.Memory
	*audittest.Leases
}

func TestLeasesInMemory(t *testing.T) {
	audittest.LeaseSuite(t, func(*testing.T) func(*testing.T) audittest.LeaseStore {
		shared := memory{audittest.NewMemory(), new(audittest.Leases)}
		shared.Memory.Leases = shared.Leases
		return func(*testing.T) audittest.LeaseStore { return shared }
	})
}
