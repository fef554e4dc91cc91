package once_test

import (
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/once"
)

// BenchmarkEnter measures the cost of the turn to an exchange, from Enter to Leave, without the
// records of the exchange itself:
//
//	new     the next number of a series: no search
//	recent  the same request again, from the queue's memory
//	repeat  an older request again, which is looked up in the trail (SQLite)
func BenchmarkEnter(b *testing.B) {
	for _, form := range []struct {
		name   string
		number func(i int) int64
	}{
		{"new", func(i int) int64 { return int64(i) + 101 }},
		{"recent", func(int) int64 { return 100 }},
		{"repeat", func(int) int64 { return 50 }},
	} {
		b.Run(form.name, func(b *testing.B) {
			store, err := sqlite.Open(filepath.Join(b.TempDir(), "audit.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			g := open(b, store, newService())
			defer g.close()
			for n := range int64(100) {
				if _, err := g.issue(b.Context(), request("100", n+1), nothingLost); err != nil {
					b.Fatal(err)
				}
			}
			requests := make([]*once.Request, b.N)
			for i := range requests {
				requests[i] = request("100", form.number(i))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for _, r := range requests {
				turn, err := g.coordinator.Enter(b.Context(), r, g.service)
				if err != nil {
					b.Fatal(err)
				}
				if form.name == "new" {
					turn.Leave(once.Result{State: once.Approved, Reply: "the answer", Last: r.Key.Hasta})
				} else {
					turn.Leave(*turn.Repeat)
				}
			}
		})
	}
}
