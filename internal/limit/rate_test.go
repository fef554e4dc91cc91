package limit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/limit"
)

func mustParse(t *testing.T, text string) limit.Rate {
	t.Helper()
	r, err := limit.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRatesAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"10/s": "10/s", "600/m": "600/m", "36000/h": "36000/h", "1/h": "1/h", "1000000/s": "1000000/s", "007/m": "7/m",
	} {
		if r := mustParse(t, text); r.String() != want || r != mustParse(t, r.String()) {
			t.Errorf("%s became %s", text, r)
		}
	}
	if text := (limit.Rate{}).String(); text != "" {
		t.Errorf("no rate is %q", text)
	}
}

func TestWrongRatesSayWhatToWrite(t *testing.T) {
	const how = ": write how many requests in which time, such as 10/s or 600/m"
	const number = ": give a whole number of requests from 1 to 1000000, such as 10/s or 600/m"
	for text, want := range map[string]string{
		"10": how, "": how, "10/": how, "10/d": how, "10/min": how, "10 / s": how, "10/S": how, "10/s/s": how, "s": how,
		"/s": number, "0/s": number, "-1/s": number, "+1/s": number, "1.5/s": number, "1000001/s": number,
		"99999999999999999999/s": number, " 1/s": number, "ten/s": number, "1_000/s": number, "0x1/s": number,
	} {
		if _, err := limit.ParseRate(text); err == nil || err.Error() != `rate "`+text+`"`+want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestBucketLetsABurstPassAndThenTheRate(t *testing.T) {
	for _, rate := range []string{"10/s", "600/m", "36000/h"} {
		b, now := limit.NewBucket(mustParse(t, rate), 20), time.Unix(1_700_000_000, 0)
		for i := range 20 {
			if wait, ok := b.Take(now); !ok || wait != 0 {
				t.Fatalf("%s: request %d of the burst: %v, %v", rate, i, wait, ok)
			}
		}
		if wait, ok := b.Take(now); ok || wait != 100*time.Millisecond {
			t.Errorf("%s: %v, %v", rate, wait, ok)
		}
		if wait, ok := b.Take(now.Add(75 * time.Millisecond)); ok || wait != 25*time.Millisecond {
			t.Errorf("%s: %v, %v", rate, wait, ok)
		}
		passed := 0
		for range 1000 { // a request each 5 ms, for 5 seconds
			now = now.Add(5 * time.Millisecond)
			if _, ok := b.Take(now); ok {
				passed++
			}
		}
		if passed != 50 {
			t.Errorf("%s: %d requests passed in 5 seconds", rate, passed)
		}
		now = now.Add(time.Hour)
		for passed = 0; ; passed++ {
			if _, ok := b.Take(now); !ok {
				break
			}
		}
		if passed != 20 {
			t.Errorf("%s: %d requests passed after an hour of rest", rate, passed)
		}
	}
}

func TestBucketWithoutARateBoundsNothing(t *testing.T) {
	b := limit.NewBucket(limit.Rate{}, 1)
	for range 3 {
		if wait, ok := b.Take(time.Unix(0, 0)); !ok || wait != 0 {
			t.Errorf("%v, %v", wait, ok)
		}
	}
	b = limit.NewBucket(mustParse(t, "1/h"), 0)
	if _, ok := b.Take(time.Unix(0, 0)); !ok {
		t.Error("the first request of all did not pass")
	}
	if wait, ok := b.Take(time.Unix(0, 0)); ok || wait != time.Hour {
		t.Errorf("%v, %v", wait, ok)
	}
}

// TestBucketAgreesWithExactArithmetic compares with a bucket in whole numbers. Both may differ where a token
// is there to a billionth, or within two nanoseconds.
func TestBucketAgreesWithExactArithmetic(t *testing.T) {
	units := map[string]int64{"s": int64(time.Second), "m": int64(time.Minute), "h": int64(time.Hour)}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[1-9][0-9]{0,3}/[smh]`).Draw(t, "rate")
		r, err := limit.ParseRate(text)
		if err != nil {
			t.Fatal(err)
		}
		burst := rapid.Int64Range(1, 100).Draw(t, "burst")
		unit := units[text[len(text)-1:]]
		var requests int64
		for _, digit := range text[:len(text)-2] {
			requests = 10*requests + int64(digit-'0')
		}
		// level is the tokens times unit, of which each nanosecond brings requests
		b, now, level := limit.NewBucket(r, int(burst)), time.Unix(1_700_000_000, 0), burst*unit
		near := 2*requests + unit/1_000_000_000 + 1
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			pause := rapid.Int64Range(0, 2*unit/requests).Draw(t, "pause")
			now, level = now.Add(time.Duration(pause)), min(burst*unit, level+pause*requests)
			wait, ok := b.Take(now)
			if ok {
				level -= unit
			}
			switch soon := level + int64(wait)*requests; {
			case ok && (level < -near || wait != 0):
				t.Fatalf("passed with %d missing, wait %v", -level, wait)
			case !ok && (level >= unit+near || soon < unit-near || soon > unit+near):
				t.Fatalf("has %d of %d, wait %v", level, unit, wait)
			}
			if !ok && rapid.Bool().Draw(t, "waits") {
				now, level = now.Add(wait), min(burst*unit, level+int64(wait)*requests)-unit
				if again, ok := b.Take(now); !ok {
					t.Fatalf("told to wait for %v, and then for %v", wait, again)
				}
			}
		}
	})
}

func TestBucketCountsWhoComesAtOnce(t *testing.T) {
	b, now := limit.NewBucket(mustParse(t, "1/h"), 50), time.Unix(1_700_000_000, 0)
	var requests sync.WaitGroup
	var passed atomic.Int64
	for range 20 {
		requests.Go(func() {
			for range 10 {
				if _, ok := b.Take(now); ok {
					passed.Add(1)
				}
			}
		})
	}
	requests.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d of a burst of 50 passed", passed.Load())
	}
}

func BenchmarkTake(b *testing.B) {
	r, err := limit.ParseRate("1000/s")
	if err != nil {
		b.Fatal(err)
	}
	for name, step := range map[string]time.Duration{"passes": time.Second, "waits": time.Nanosecond} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			bucket, now := limit.NewBucket(r, 1), time.Unix(1_700_000_000, 0)
			for b.Loop() {
				now = now.Add(step)
				bucket.Take(now)
			}
		})
	}
}
