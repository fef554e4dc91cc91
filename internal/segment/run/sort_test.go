package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPostingsAreSorted as by slices.Sort, also where many are equal or alike in their digits.
func TestPostingsAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		differ := rapid.Uint64Max(1<<(8*postingBytes)-1).Draw(t, "bits that differ")
		got := make([]posting, rapid.IntRange(0, 2*fewPostings).Draw(t, "postings"), 3*fewPostings)
		for i := range got {
			got[i] = random.Uint64() & differ
		}
		want := slices.Sorted(slices.Values(got))
		if sortPostings(got); !slices.Equal(got, want) {
			t.Errorf("%x, not %x", got, want)
		}
	})
}

// BenchmarkSort sorts the postings of a block and of a list, and does the same by comparing them.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{Format.Terms, Format.Terms / Buckets} {
		random := rand.New(rand.NewPCG(1, 2))
		all, work := make([]posting, n), make([]posting, n, 2*n)
		for i := range all {
			all[i] = random.Uint64N(1 << (8 * postingBytes))
		}
		for name, sort := range map[string]func([]posting){"digits": sortPostings, "compare": slices.Sort[[]posting]} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					copy(work, all)
					sort(work)
				}
			})
		}
	}
}
