package audittest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

func purgeBesideWriter(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	all := months(t, s, 25, 50)
	trail, err := audit.Open(t.Context(), s, logName, Key(t, logName), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex // guards added
	added := map[uint64]*audit.Record{}
	for w := range 4 {
		wg.Go(func() {
			source := NewSource(uint64(100 + w))
			for n := range 100 {
				r := source.Issue(1)
				r.Time = time.Date(2026, time.Month(1+n%4), 2, 12, 0, 0, 0, time.UTC) // some are late
				index, err := trail.Append(t.Context(), r)
				if err != nil {
					t.Errorf("append beside a purge: %v", err)
					return
				}
				mu.Lock()
				added[index] = r
				mu.Unlock()
			}
		})
	}
	// What takes content is in the log itself, and found among the others.
	recorded := func(trail *audit.Writer, p audit.Purger, before audit.Period) {
		request := audit.PurgeRequest{Log: logName, Before: before, Now: late}
		_, err := audit.PurgeRecorded(t.Context(), s, p, request, func(ctx context.Context, scope audit.PurgeScope) (uint64, error) {
			r := Access(audit.AccessPurge, 0, &scope)
			index, err := append1(ctx, t, s, trail, logName, r)
			mu.Lock()
			added[index] = r
			mu.Unlock()
			return index, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p := purger(t)
	written := make(chan struct{})
	go func() {
		wg.Wait()
		close(written)
	}()
	for n, done := 0, false; !done; n++ {
		select {
		case <-written:
			done = true
		default:
			recorded(trail, p, january+1+audit.Period(n%3))
			sound(t, s) // beside the writer and after a purge that came later than its beginning
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	recorded(nil, p, january+3)
	closePurger(t, p)
	for index := uint64(len(all)); added[index] != nil; index++ {
		all = append(all, added[index])
	}
	if len(all) != 200+len(added) {
		t.Fatalf("%d records, want %d", len(all), 200+len(added))
	}
	want, _ := purged(all, january+3, nil)
	checkPurged(t, s, want)
}
