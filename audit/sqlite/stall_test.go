package sqlite_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// The steady load: exchanges of 10 kB that nothing compresses, 20 MB/s in all. It is the
// bytes that make checkpoints; as many of them are 30,000 usual exchanges a second.
const (
	stallEvery = 500 * time.Microsecond
	stallBytes = 10_000
)

// TestCheckpointsStallNobody appends at a steady rate, whether or not earlier appends have
// ended. It bounds how long the slowest appends take, from when they were due, and how large
// the write-ahead log becomes. In a long run the bound is p99.9 below 50 ms; a short one is
// more lenient. The time of the disk itself, for a page in a file beside the trail, is added:
// other programs may use it too.
//
//	TMPDIR=/var/tmp FIELATO_TEST_LONG=60 go test ./audit/sqlite -run CheckpointsStallNobody -v
func TestCheckpointsStallNobody(t *testing.T) {
	last, longest, largest := testrun.Size(t, time.Second, time.Second), 5*time.Second, int64(64<<20)
	if testrun.Factor(t) >= 10 {
		longest, largest = 50*time.Millisecond, 32<<20
	}
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	disk := probeDisk(t, last)
	took, wal := steadyLoad(t, trail, path, last)
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if len(took) == 0 {
		t.Fatal("nothing was appended")
	}
	at := func(all []time.Duration, share int) time.Duration {
		slices.Sort(all)
		return all[(len(all)-1)*share/1000]
	}
	slowest := at(<-disk, 999)
	t.Logf("%d appends in %v: p50 %v, p99 %v, p99.9 %v, longest %v; the disk: p99.9 %v; largest write-ahead log %d MB, %d MB written",
		len(took), last, at(took, 500), at(took, 990), at(took, 999), at(took, 1000), slowest, wal>>20, len(took)*stallBytes>>20)
	// A commit syncs once. It may wait for the sync before, and for a sync of the database file.
	if longest += 3 * slowest; at(took, 999) > longest {
		t.Errorf("one append in a thousand took %v or more, want less than %v", at(took, 999), longest)
	}
	if wal > largest {
		t.Errorf("the write-ahead log grew to %d bytes, want less than %d", wal, largest)
	}
}

// probeDisk writes and syncs a page again and again, and sends how long each took.
func probeDisk(t *testing.T, last time.Duration) <-chan []time.Duration {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "probe"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan []time.Duration, 1)
	go func() {
		defer file.Close()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		var took []time.Duration
		for end := time.Now().Add(last); len(took) == 0 || time.Now().Before(end); {
			began := time.Now()
			_, err := file.WriteAt(make([]byte, 4096), 0)
			if err := errors.Join(err, file.Sync()); err != nil {
				t.Error(err)
			}
			took = append(took, time.Since(began))
			<-tick.C
		}
		done <- took
	}()
	return done
}

// steadyLoad returns how long each append took, and the largest size that the
// write-ahead log had.
func steadyLoad(t *testing.T, trail *audit.Writer, path string, last time.Duration) (took []time.Duration, largest int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), last)
	defer cancel()
	var mu sync.Mutex // guards took
	var wait sync.WaitGroup
	bodies := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{4}).Read(bodies) // never fails
	tick := time.NewTicker(stallEvery)
	defer tick.Stop()
	began := time.Now()
	for n := 0; ctx.Err() == nil; {
		// A tick that came late is for all that were due meanwhile. A machine on which starting an append takes
		// longer than the time between two would never catch up, and run out of memory: hence the end.
		for ; time.Duration(n)*stallEvery <= min(time.Since(began), last); n++ {
			due := began.Add(time.Duration(n) * stallEvery)
			from := n * 977 % (len(bodies) - stallBytes)
			wait.Go(func() {
				r := &audit.Record{Kind: audit.KindExchange, Request: bodies[from:][:stallBytes]}
				if _, err := trail.Append(t.Context(), r); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, time.Since(due))
			})
		}
		if info, err := os.Stat(path + "-wal"); err == nil {
			largest = max(largest, info.Size())
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	wait.Wait()
	return took, largest
}
