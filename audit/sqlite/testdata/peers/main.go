// Command peers appends the same exchanges of 2.5 kB to Fielato's trail and to two other
// tamper-evident stores, each durable when the append returns. It is a module of its own,
// so that Fielato does not depend on them:
//
//	cd audit/sqlite/testdata/peers && go mod tidy && go run . -records 30000
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codenotary/immudb/embedded/logger"
	"github.com/codenotary/immudb/embedded/store"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
)

// appender writes one exchange and returns when it is durable.
type appender func(ctx context.Context, n int, r *audit.Record) error

// opener starts a store in an empty folder. The second function ends it.
type opener func(ctx context.Context, dir string) (appender, func() error, error)

func main() {
	records := flag.Int("records", 30000, "appends in each run")
	seconds := flag.Duration("for", 10*time.Second, "a run ends then, whatever it has appended")
	dir := flag.String("dir", os.TempDir(), "folder on the disk to measure")
	flag.Parse()
	samples := exchanges(512)
	for _, writers := range []int{1, 64, 256} {
		for _, peer := range []struct {
			name string
			open opener
		}{{"fielato", openTrail}, {"tessera", openTessera}, {"immudb", openImmudb}} {
			if err := measure(peer.name, peer.open, *dir, samples, writers, *records, *seconds); err != nil {
				log.Fatalf("%s: %v", peer.name, err)
			}
		}
	}
}

func measure(name string, open opener, dir string, samples []audit.Record, writers, records int, most time.Duration) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel() // Tessera's goroutines end with it
	dir, err := os.MkdirTemp(dir, "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	add, end, err := open(ctx, dir)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var mu sync.Mutex // guards took and failed
	var took []time.Duration
	var failed error
	var wait sync.WaitGroup
	began := time.Now()
	for range writers {
		wait.Go(func() {
			var own []time.Duration
			var err error
			for err == nil && time.Since(began) < most {
				n := int(next.Add(1)) - 1
				if n >= records {
					break
				}
				r := samples[n%len(samples)]
				started := time.Now()
				err = add(ctx, n, &r)
				own = append(own, time.Since(started))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
			if err != nil {
				failed = err
			}
		})
	}
	wait.Wait()
	passed := time.Since(began)
	if err := end(); failed == nil {
		failed = err
	}
	cancel()
	if failed != nil {
		return failed
	}
	slices.Sort(took)
	at := func(share int) time.Duration { return took[(len(took)-1)*share/1000].Round(10 * time.Microsecond) }
	fmt.Printf("%-8s %4d writers %8.0f records/s  p50 %8v  p99 %8v  p99.9 %8v  %5d bytes/record\n", name, writers,
		float64(len(took))/passed.Seconds(), at(500), at(990), at(999), size(dir)/int64(len(took)))
	return nil
}

// size returns the bytes in the files of a folder.
func size(dir string) (bytes int64) {
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// exchanges are of two invoices each: request of 1,500 bytes, answer of 720.
func exchanges(n int) []audit.Record {
	source := audittest.NewSource(1)
	records := make([]audit.Record, n)
	for i := range records {
		r := source.Issue(2)
		source.Answer(r)
		records[i] = *r
	}
	return records
}

func openTrail(ctx context.Context, dir string) (appender, func() error, error) {
	s, err := sqlite.Open(filepath.Join(dir, "evidence.db"))
	if err != nil {
		return nil, nil, err
	}
	key, err := audittest.NewKey("peers")
	if err != nil {
		return nil, nil, err
	}
	trail, err := audit.Open(ctx, s, "peers", key, audit.Options{First: true})
	if err != nil {
		return nil, nil, err
	}
	add := func(ctx context.Context, _ int, r *audit.Record) error {
		_, err := trail.Append(ctx, r)
		return err
	}
	return add, func() error {
		if err := trail.Close(); err != nil {
			return err
		}
		return s.Close()
	}, nil
}

// openTessera batches for a millisecond at most: its 250 ms are meant for many writers.
// It publishes its checkpoint in the background, at the shortest interval that it takes;
// an append returns before, when the entry is in the tree.
func openTessera(ctx context.Context, dir string) (appender, func() error, error) {
	driver, err := posix.New(ctx, posix.Config{Path: dir})
	if err != nil {
		return nil, nil, err
	}
	secret, _, err := note.GenerateKey(nil, "peers")
	if err != nil {
		return nil, nil, err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, nil, err
	}
	log, shutdown, _, err := tessera.NewAppender(ctx, driver, tessera.NewAppendOptions().
		WithCheckpointSigner(signer).WithCheckpointInterval(time.Second).WithBatching(256, time.Millisecond))
	if err != nil {
		return nil, nil, err
	}
	add := func(ctx context.Context, n int, r *audit.Record) error {
		form := r.Encode(nil)
		_, err := log.Add(ctx, tessera.NewEntry(append(binary.BigEndian.AppendUint64(form.Summary, uint64(n)), form.Content...)))()
		return err
	}
	return add, func() error { return shutdown(ctx) }, nil
}

// openImmudb syncs as soon as a caller waits, not each 20 ms as by default.
func openImmudb(_ context.Context, dir string) (appender, func() error, error) {
	options := store.DefaultOptions().WithSynced(true).WithSyncFrequency(0).WithMaxConcurrency(300).
		WithLogger(logger.NewMemoryLoggerWithLevel(logger.LogError))
	s, err := store.Open(dir, options)
	if err != nil {
		return nil, nil, err
	}
	add := func(ctx context.Context, n int, r *audit.Record) error {
		tx, err := s.NewWriteOnlyTx(ctx)
		if err != nil {
			return err
		}
		form := r.Encode(nil)
		if err := tx.Set(binary.BigEndian.AppendUint64(nil, uint64(n)), nil, slices.Concat(form.Summary, form.Content)); err != nil {
			return err
		}
		_, err = tx.AsyncCommit(ctx)
		return err
	}
	return add, s.Close, nil
}
