package binding_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// BenchmarkReservation measures the cost of the memory of a request that waits for nothing: an invoice, and a lot
// of 250.
func BenchmarkReservation(b *testing.B) {
	for name, weight := range map[string]int64{"invoice": 1000, "lot": 230 << 10} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			held := binding.Reservation{Budget: binding.NewMemoryBudget(binding.DefaultMaxBodies), MaxWait: time.Second}
			for b.Loop() {
				if refused := held.Work(b.Context(), weight); refused != nil {
					b.Fatal(refused)
				}
				held.Settle(weight / 2)
				held.Release()
			}
		})
	}
}
