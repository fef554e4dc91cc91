package simulator

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// drawn returns many delays of a law, shortest first.
func drawn(t *testing.T, law string) []time.Duration {
	t.Helper()
	draw, err := parseDelay(law)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	delays := make([]time.Duration, 20_000)
	for i := range delays {
		delays[i] = draw(random)
	}
	slices.Sort(delays)
	return delays
}

// TestDelaysFollowTheirLaws: by their extremes and by the quantiles that the law
// gives them.
func TestDelaysFollowTheirLaws(t *testing.T) {
	for _, c := range []struct {
		law string
		// at are quantiles and their value; about, how far off they may be.
		at    map[float64]time.Duration
		about float64
		// shortest and longest are never passed.
		shortest, longest time.Duration
	}{
		{"fixed 2s", map[float64]time.Duration{0: 2 * time.Second, 0.5: 2 * time.Second}, 0, 2 * time.Second, 2 * time.Second},
		{
			"uniform 1s 5s",
			map[float64]time.Duration{0.25: 2 * time.Second, 0.5: 3 * time.Second, 0.75: 4 * time.Second},
			0.03, time.Second, 5 * time.Second,
		},
		{"uniform 1s 1s", map[float64]time.Duration{0.5: time.Second}, 0, time.Second, time.Second},
		{
			// e^0.5 is 1.6487: one sigma above the median, where 84.13 % are below.
			"lognormal 1s 0.5",
			map[float64]time.Duration{0.5: time.Second, 0.8413: 1649 * time.Millisecond, 0.1587: 607 * time.Millisecond},
			0.03, 0, maxDelay,
		},
		{"lognormal 10m 4", map[float64]time.Duration{0.6: maxDelay}, 0, 0, maxDelay},
	} {
		delays := drawn(t, c.law)
		if first, last := delays[0], delays[len(delays)-1]; first < c.shortest || last > c.longest {
			t.Errorf("%s: from %s to %s", c.law, first, last)
		}
		for quantile, want := range c.at {
			got := delays[int(quantile*float64(len(delays)))]
			if off := got.Seconds()/want.Seconds() - 1; off > c.about || off < -c.about {
				t.Errorf("%s: quantile %v is %s, want about %s", c.law, quantile, got, want)
			}
		}
	}
}
