package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/cache"
)

var errDown = errors.New("no answer")

func yes() bool { return true }

func TestCacheAsksOnceForManyAndAgainAfterTheTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		asked, down := 0, false
		source := cache.Source{TTL: time.Minute, MaxStale: time.Hour, Trusted: yes, Fetch: func(context.Context) (*cache.Cached, error) {
			asked++ // of one caller at a time
			time.Sleep(time.Second)
			if down {
				return nil, errDown
			}
			return &cache.Cached{Answer: asked, At: time.Now()}, nil
		}}
		get := func(want int, how cache.Freshness) {
			t.Helper()
			got, freshness, err := answers.Get(t.Context(), "key", source)
			if err != nil || got.Answer != want || freshness != how {
				t.Errorf("%+v, %v, %v; want %d, %v", got, freshness, err, want, how)
			}
		}
		count := together(64, func() string {
			got, how, err := answers.Get(t.Context(), "key", source)
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(got.Answer, how)
		})
		if asked != 1 || count[fmt.Sprint(1, cache.Fetched)] != 1 || count[fmt.Sprint(1, cache.Joined)] != 63 {
			t.Errorf("asked %d times, %v", asked, count)
		}
		get(1, cache.Fresh)
		time.Sleep(time.Minute)
		get(2, cache.Fetched)
		down = true
		time.Sleep(30 * time.Minute)
		get(2, cache.Stale)
		get(2, cache.Stale)
		if asked != 3 {
			t.Errorf("asked %d times: the second did not leave the service alone", asked)
		}
		time.Sleep(30 * time.Minute)
		if _, _, err := answers.Get(t.Context(), "key", source); !errors.Is(err, errDown) {
			t.Errorf("older than it may be: %v", err)
		}
		down = false
		get(5, cache.Fetched)
	})
}

// together calls f n times at once and counts what it returns.
func together(n int, f func() string) map[string]int {
	var all sync.WaitGroup
	var mu sync.Mutex
	count := map[string]int{}
	for range n {
		all.Go(func() {
			result := f()
			mu.Lock()
			defer mu.Unlock()
			count[result]++
		})
	}
	all.Wait()
	return count
}

// TestCacheSharesAFailure: a service that is down is not asked by one after the other.
func TestCacheSharesAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		asked := 0
		source := cache.Source{TTL: time.Minute, MaxStale: time.Hour, Trusted: yes, Fetch: func(context.Context) (*cache.Cached, error) {
			asked++
			time.Sleep(2 * time.Minute)
			return nil, errDown
		}}
		get := func() string {
			_, how, err := answers.Get(t.Context(), "key", source)
			return fmt.Sprint(how, errors.Is(err, errDown))
		}
		count := together(64, get)
		if asked != 1 || count[fmt.Sprint(cache.Fetched, true)] != 1 || count[fmt.Sprint(cache.Joined, true)] != 63 {
			t.Errorf("asked %d times, %v", asked, count)
		}
		source.Recall = func(context.Context) (*cache.Cached, error) {
			return &cache.Cached{Answer: "before", At: time.Now().Add(-2 * time.Minute)}, nil
		}
		// There was no Recall before, so the entry has not looked yet.
		if count = together(64, get); asked != 2 || count[fmt.Sprint(cache.Stale, false)] != 64 {
			t.Errorf("asked %d times, %v", asked, count)
		}
	})
}

// TestCacheGivesToNobodyWhatIsForOne: an answer such as a refusal of credentials.
func TestCacheGivesToNobodyWhatIsForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		var mu sync.Mutex
		asked := 0
		source := cache.Source{TTL: time.Minute, MaxStale: time.Hour, Trusted: yes, Fetch: func(context.Context) (*cache.Cached, error) {
			mu.Lock()
			asked++
			mu.Unlock()
			time.Sleep(time.Second)
			return nil, nil
		}}
		began := time.Now()
		count := together(64, func() string {
			got, how, err := answers.Get(t.Context(), "key", source)
			return fmt.Sprint(got == nil, how, err)
		})
		if asked != 64 || count[fmt.Sprint(true, cache.Fetched, nil)] != 64 || time.Since(began) != 2*time.Second {
			t.Errorf("asked %d times in %v, %v", asked, time.Since(began), count)
		}
	})
}

// TestCacheShowsStrangersToTheService: an untrusted caller gets a cached answer only while
// the service does not answer.
func TestCacheShowsStrangersToTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		known, changes, asked, down := map[string]bool{}, 0, 0, false
		get := func(caller string, want any, how cache.Freshness) {
			t.Helper()
			got, freshness, err := answers.Get(t.Context(), "key", cache.Source{
				TTL: time.Minute, MaxStale: time.Hour, Caller: caller, Trusted: func() bool { return known[caller] },
				Replaced: func(before, after *cache.Cached) {
					if before.Answer != after.Answer {
						changes++
					}
				},
				Fetch: func(context.Context) (*cache.Cached, error) {
					asked++
					switch {
					case down:
						return nil, errDown
					case caller == "wrong":
						return nil, nil
					}
					known[caller] = true
					return &cache.Cached{Answer: asked / 3, At: time.Now()}, nil
				},
			})
			if err != nil || freshness != how || (want == nil) != (got == nil) || got != nil && got.Answer != want {
				t.Errorf("%s: %+v, %v, %v; want %v, %v", caller, got, freshness, err, want, how)
			}
		}
		get("one", 0, cache.Fetched)
		get("one", 0, cache.Fresh)
		get("wrong", nil, cache.Fetched)
		get("another", 1, cache.Fetched)
		get("one", 1, cache.Fresh)
		down = true
		get("wrong", 1, cache.Stale)
		if asked != 4 || changes != 1 {
			t.Errorf("asked %d times, %d changes", asked, changes)
		}
	})
}

// TestACallerThatHasJustBecomeTrustedJoinsItsCall: by the call under way, whose answer is not there yet.
func TestACallerThatHasJustBecomeTrustedJoinsItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		var trusted, asked atomic.Int64
		get := func() string {
			_, how, err := answers.Get(t.Context(), "key", cache.Source{
				TTL: time.Minute, MaxStale: time.Hour, Caller: "one", Trusted: func() bool { return trusted.Load() > 0 },
				Fetch: func(context.Context) (*cache.Cached, error) {
					asked.Add(1)
					trusted.Store(1)
					time.Sleep(time.Second)
					return &cache.Cached{Answer: "a", At: time.Now()}, nil
				},
			})
			return fmt.Sprint(how, err)
		}
		var first sync.WaitGroup
		first.Go(func() { get() })
		synctest.Wait()
		if got := get(); got != fmt.Sprint(cache.Joined, nil) || asked.Load() != 1 {
			t.Errorf("%s, asked %d times", got, asked.Load())
		}
		first.Wait()
	})
}

func TestCacheRemembersWhatWasBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		recalled := 0
		source := func(age time.Duration) cache.Source {
			return cache.Source{
				TTL: time.Minute, MaxStale: time.Hour, Trusted: yes,
				Fetch: func(context.Context) (*cache.Cached, error) { return nil, errDown },
				Recall: func(context.Context) (*cache.Cached, error) {
					recalled++
					return &cache.Cached{Answer: "before", At: time.Now().Add(-age)}, nil
				},
			}
		}
		for key, want := range map[string]struct {
			age time.Duration
			how cache.Freshness
		}{"young": {time.Second, cache.Fresh}, "old": {2 * time.Minute, cache.Stale}} {
			got, how, err := answers.Get(t.Context(), key, source(want.age))
			if err != nil || got.Answer != "before" || how != want.how {
				t.Errorf("%s: %+v, %v, %v", key, got, how, err)
			}
		}
		if _, _, err := answers.Get(t.Context(), "too old", source(2*time.Hour)); !errors.Is(err, errDown) {
			t.Errorf("too old: %v", err)
		}
		if _, _, err := answers.Get(t.Context(), "too old", source(2*time.Hour)); !errors.Is(err, errDown) || recalled != 3 {
			t.Errorf("looked for %d times, want 3", recalled)
		}
	})
}

// TestCacheDoesNotTrustTheFuture: the clock was ahead when an answer was recorded and has
// been set back since, so the answer's age is unknown. It is used only while the service
// gives no answer.
func TestCacheDoesNotTrustTheFuture(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			answers := &cache.Cache{Now: time.Now}
			down := true
			source := cache.Source{
				TTL: 5 * time.Minute, MaxStale: 2 * time.Hour, Trusted: yes,
				Recall: func(context.Context) (*cache.Cached, error) {
					return &cache.Cached{Answer: "before", At: time.Now().Add(ahead)}, nil
				},
				Fetch: func(context.Context) (*cache.Cached, error) {
					if down {
						return nil, errDown
					}
					return &cache.Cached{Answer: "now", At: time.Now()}, nil
				},
			}
			get := func(want any, how cache.Freshness) {
				t.Helper()
				got, freshness, err := answers.Get(t.Context(), "key", source)
				if err != nil || freshness != how || got.Answer != want {
					t.Errorf("%v, %v, %v; want %v, %v", got, freshness, err, want, how)
				}
			}
			get("before", cache.Stale)
			down = false
			time.Sleep(time.Minute) // of the bubble's clock
			get("now", cache.Fetched)
			get("now", cache.Fresh)
		})
	}
}

// TestWhoCannotAskKeepsNobodyFromAsking: one certificate has no ticket, and another one has.
func TestWhoCannotAskKeepsNobodyFromAsking(t *testing.T) {
	now := time.Unix(0, 0)
	c := cache.Cache{Now: func() time.Time { return now }}
	asked := map[string]int{}
	get := func(group string, want cache.Freshness) {
		t.Helper()
		_, freshness, err := c.Get(t.Context(), "key", cache.Source{
			TTL: time.Minute, MaxStale: time.Hour, Trusted: yes, Group: group,
			Fetch: func(context.Context) (*cache.Cached, error) {
				asked[group]++
				if group == "without" {
					return nil, fmt.Errorf("no ticket: %w", cache.ErrNotAsked)
				}
				return &cache.Cached{At: now}, nil
			},
		})
		if err != nil || freshness != want {
			t.Errorf("%s: freshness %d, want %d, %v", group, freshness, want, err)
		}
	}
	get("with", cache.Fetched)
	now = now.Add(2 * time.Minute)
	get("without", cache.Stale)
	get("without", cache.Stale) // it does not try again at once
	get("with", cache.Fetched)
	get("without", cache.Fresh)
	if asked["with"] != 2 || asked["without"] != 1 {
		t.Errorf("asked %v", asked)
	}
	// A call that waits for a ticket is waited for by its own group alone.
	now = now.Add(2 * time.Minute)
	waits, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, _, _ = c.Get(t.Context(), "key", cache.Source{
			TTL: time.Minute, MaxStale: time.Hour, Trusted: yes, Group: "without",
			Fetch: func(context.Context) (*cache.Cached, error) {
				close(waits)
				<-release
				return nil, cache.ErrNotAsked
			},
		})
	})
	<-waits
	get("with", cache.Fetched)
	close(release)
	all.Wait()
}

func TestWhoLeavesLeavesTheQuestionToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := &cache.Cache{Now: time.Now}
		asked := 0
		get := func(ctx context.Context) string {
			_, how, err := answers.Get(ctx, "key", cache.Source{TTL: time.Minute, MaxStale: time.Hour, Trusted: yes, Fetch: func(context.Context) (*cache.Cached, error) {
				select { // as for room at the service
				case <-ctx.Done():
					return nil, cache.ErrLeft
				case <-time.After(2 * time.Second):
				}
				asked++
				return &cache.Cached{At: time.Now()}, nil
			}})
			return fmt.Sprint(how, err)
		}
		first, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		left := make(chan string)
		go func() { left <- get(first) }()
		synctest.Wait()
		count := together(8, func() string { return get(t.Context()) })
		if got := <-left; got != fmt.Sprint(cache.Fetched, cache.ErrLeft) {
			t.Errorf("who has left: %s", got)
		}
		if asked != 1 || count[fmt.Sprint(cache.Fetched, nil)] != 1 || count[fmt.Sprint(cache.Joined, nil)] != 7 {
			t.Errorf("asked %d times, %v", asked, count)
		}
	})
}
