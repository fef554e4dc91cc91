package once_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/once"
)

func TestCacheAsksOnceForManyAndAgainAfterTheTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := &once.Cache{TTL: time.Minute, MaxStale: time.Hour, Now: time.Now}
		asked, down := 0, false
		source := once.Source{Fetch: func(context.Context) (*once.Cached, error) {
			asked++ // of one caller at a time
			time.Sleep(time.Second)
			if down {
				return nil, errDown
			}
			return &once.Cached{Answer: asked, At: time.Now()}, nil
		}}
		get := func(want int, how once.Freshness) {
			t.Helper()
			got, freshness, err := cache.Get(t.Context(), "key", source)
			if err != nil || got.Answer != want || freshness != how {
				t.Errorf("%+v, %v, %v; want %d, %v", got, freshness, err, want, how)
			}
		}
		var all sync.WaitGroup
		fetched := make(chan once.Freshness, 64)
		for range 64 {
			all.Go(func() {
				got, how, err := cache.Get(t.Context(), "key", source)
				if err != nil || got.Answer != 1 {
					t.Errorf("%+v, %v", got, err)
				}
				fetched <- how
			})
		}
		all.Wait()
		close(fetched)
		count := map[once.Freshness]int{}
		for how := range fetched {
			count[how]++
		}
		if asked != 1 || count[once.Fetched] != 1 || count[once.Joined] != 63 {
			t.Errorf("asked %d times, %v", asked, count)
		}
		get(1, once.Fresh)
		time.Sleep(time.Minute)
		get(2, once.Fetched)
		down = true
		time.Sleep(30 * time.Minute)
		get(2, once.Stale)
		time.Sleep(30 * time.Minute)
		if _, _, err := cache.Get(t.Context(), "key", source); !errors.Is(err, errDown) {
			t.Errorf("older than it may be: %v", err)
		}
		down = false
		get(5, once.Fetched)
	})
}

func TestCacheRemembersWhatWasBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := &once.Cache{TTL: time.Minute, MaxStale: time.Hour, Now: time.Now}
		recalled := 0
		source := func(age time.Duration) once.Source {
			return once.Source{
				Fetch: func(context.Context) (*once.Cached, error) { return nil, errDown },
				Recall: func(context.Context) (*once.Cached, error) {
					recalled++
					return &once.Cached{Answer: "before", At: time.Now().Add(-age)}, nil
				},
			}
		}
		for key, want := range map[string]struct {
			age time.Duration
			how once.Freshness
		}{"young": {time.Second, once.Fresh}, "old": {2 * time.Minute, once.Stale}} {
			got, how, err := cache.Get(t.Context(), key, source(want.age))
			if err != nil || got.Answer != "before" || how != want.how {
				t.Errorf("%s: %+v, %v, %v", key, got, how, err)
			}
		}
		if _, _, err := cache.Get(t.Context(), "too old", source(2*time.Hour)); !errors.Is(err, errDown) {
			t.Errorf("too old: %v", err)
		}
		if _, _, err := cache.Get(t.Context(), "too old", source(2*time.Hour)); !errors.Is(err, errDown) || recalled != 3 {
			t.Errorf("looked for %d times, want 3", recalled)
		}
	})
}
