package console

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

// rank compares two samples of times: how likely a time of the first is longer than one of the second, 0.5 if they
// do not differ, and by how many standard deviations that is off (Mann and Whitney).
func rank(first, second []time.Duration) (likely, deviations float64) {
	type one struct {
		took  time.Duration
		first bool
	}
	var all []one
	for _, took := range first {
		all = append(all, one{took, true})
	}
	for _, took := range second {
		all = append(all, one{took, false})
	}
	slices.SortStableFunc(all, func(a, b one) int { return int(a.took - b.took) })
	n, m, sum := float64(len(first)), float64(len(second)), 0.0
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].took == all[from].took {
			to++
		}
		for _, o := range all[from:to] {
			if o.first {
				sum += float64(from+to+1) / 2 // ties have the mean of their ranks
			}
		}
		from = to
	}
	u := sum - n*(n+1)/2
	return u / (n * m), (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}

// TestTimeDoesNotTellWhatOthersHave: in a trail with 50,000 records of another issuer, a question about one of them
// takes as long as one about nothing that exists.
//
//	FIELATO_TEST_LONG=1 go test ./caddymodule/console -run TimeDoesNotTell -v
func TestTimeDoesNotTellWhatOthersHave(t *testing.T) {
	// Below a factor of 1 no time is judged: that the addresses answer takes few of them.
	others, asked := testrun.Full(t, 500, testrun.Size(t, 0, 50_000)), testrun.Full(t, 20, testrun.Size(t, 0, 2_000))
	l := newLedger(t)
	l.fillPages()
	from := l.write(scopeLog, nobodys()...)
	l.many(scopeLog, others)
	l.fillPages() // the reader's own are on both sides
	s := l.site()
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		// address of something that another has, or that nobody has. Both have the same number of digits.
		address func(of int, exists bool) string
	}{
		{"record", func(of int, exists bool) string {
			if exists {
				return fmt.Sprintf("/consola/exchange/%s/%d", scopeLog, from+10+uint64(of))
			}
			return fmt.Sprintf("/consola/exchange/%s/%d", scopeLog, 900_000+of)
		}},
		{"proof", func(of int, exists bool) string {
			if exists {
				return fmt.Sprintf("/consola/proof/%s/%d", scopeLog, from+10+uint64(of))
			}
			return fmt.Sprintf("/consola/proof/%s/%d", scopeLog, 900_000+of)
		}},
		{"invoice", func(of int, exists bool) string {
			number := 1000 + of
			if !exists {
				number += 500_000
			}
			return fmt.Sprintf("/consola/search?q=B+0001-%08d", number)
		}},
		{"invoice of an issuer", func(of int, exists bool) string {
			number := 1000 + of
			if !exists {
				number += 500_000
			}
			return fmt.Sprintf("/consola/search?q=30500010912+6-1-%08d", number)
		}},
		{"CAE", func(of int, exists bool) string {
			if exists {
				return fmt.Sprintf("/consola/search?q=9300707%07d", 1000+of)
			}
			return fmt.Sprintf("/consola/search?q=9310707%07d", 1000+of)
		}},
		{"exchange", func(of int, exists bool) string {
			tag := "300707"
			if !exists {
				tag = "310707"
			}
			return fmt.Sprintf("/consola/search?q=00000000-0000-4000-8000-%s%06d", tag, 1000+of)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var took [2][]time.Duration
			for i := range asked + asked/10 {
				order := []int{0, 1}
				if random.IntN(2) == 0 {
					order = []int{1, 0}
				}
				for _, exists := range order {
					address := c.address(random.IntN(others-20), exists == 1)
					began := time.Now()
					got := ask(t, s, "a", http.MethodGet, address)
					if i >= asked/10 { // else it warms up
						took[exists] = append(took[exists], time.Since(began))
					}
					if got.Code >= http.StatusInternalServerError {
						t.Fatalf("%s: %d", address, got.Code)
					}
				}
			}
			likely, deviations := rank(took[1], took[0])
			absent, exists := slices.Sorted(slices.Values(took[0])), slices.Sorted(slices.Values(took[1]))
			t.Logf("another's: median %v, p95 %v; nobody's: %v, %v; another's takes longer in %.1f %%, %.1f deviations off",
				exists[asked/2], exists[asked*95/100], absent[asked/2], absent[asked*95/100], 100*likely, deviations)
			// With 2,000 of each that is more than five deviations: chance passes it once in a million times.
			if testrun.Factor(t) >= 1 && math.Abs(likely-0.5) > 0.05 {
				t.Errorf("another's takes longer than nobody's in %.1f %% of pairs", 100*likely)
			}
		})
	}
}
