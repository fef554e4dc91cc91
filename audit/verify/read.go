package verify

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// taskVerify names the work in the error of a panic.
const taskVerify = "reading the trail"

// parsed is a piece after a worker has looked at its records.
type parsed struct {
	first uint64
	items []item
	// damage is the error of Unpack, empty if the piece was unpacked.
	damage string
	// index is the error of Check.
	index error
}

// item holds the facts about a record that the rest of a verification needs.
type item struct {
	leaf     tlog.Hash
	kind     audit.Kind
	presence audit.Presence
	intent   uint64
	time     time.Time
	cuit     wsfev1.CUIT
	// err is the error of Decode.
	err error
	// beside: the leaf hash that the store keeps beside the record is another one.
	beside bool
}

// job is a piece on its way through a worker. It is used again.
type job struct {
	piece audit.Piece
	// ready has capacity for the one token of the worker.
	ready chan struct{}
	// failed is the panic of the worker, nil if there was none.
	failed error
	parsed
	records []audit.Record
	given   []*audit.Record // into records
}

// jobsPerWorker bounds the pieces that are in memory at a time: enough that a worker
// never waits for the one goroutine that reads.
const jobsPerWorker = 4

// readLog gives each piece of the log to use, in order and on the caller's goroutine,
// once its records were unpacked, decoded, hashed and compared by as many workers as
// there are processors. It stops at the first error of the store or of use, and leaves
// no goroutine behind.
func readLog(ctx context.Context, store audit.Store, log string, use func(*parsed) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	jobs := workers * jobsPerWorker
	// Each has capacity for all jobs: only free makes a sender wait.
	free, work, order := make(chan *job, jobs), make(chan *job, jobs), make(chan *job, jobs)
	for range jobs {
		free <- &job{ready: make(chan struct{}, 1)}
	}
	var failed error // set before order is closed
	all.Go(func() {
		defer close(order)
		defer close(work)
		failed = panics.Do(taskVerify, func() error {
			return feed(ctx, store, log, free, func(j *job) { work <- j; order <- j })
		})
	})
	for range workers {
		panics.Go(&all, taskVerify, func() {
			for j := range work {
				j.failed = panics.Do(taskVerify, func() error {
					j.run()
					return nil
				})
				j.ready <- struct{}{}
			}
		})
	}
	for j := range order {
		<-j.ready
		if j.failed != nil {
			return j.failed
		}
		if err := use(&j.parsed); err != nil {
			return err
		}
		free <- j
	}
	return failed
}

// feed scans the log and hands on each piece in a job that is free.
func feed(ctx context.Context, store audit.Store, log string, free <-chan *job, hand func(*job)) error {
	for piece, err := range store.Scan(ctx, log, 0) {
		if err != nil {
			return err
		}
		select {
		case j := <-free:
			j.piece = piece
			hand(j)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// run checks all of the piece that needs no neighbours.
func (j *job) run() {
	j.parsed = parsed{first: j.piece.First, items: j.items[:0]}
	forms, err := j.piece.Unpack()
	if err != nil {
		j.damage = err.Error()
		return
	}
	if len(forms) > len(j.records) {
		j.records, j.given = make([]audit.Record, len(forms)), make([]*audit.Record, len(forms))
		for i := range j.records {
			j.given[i] = &j.records[i]
		}
	}
	all := true
	for i, form := range forms {
		// No record outlives this piece, so that it may share the memory of the form.
		r := &j.records[i]
		it := item{leaf: form.Leaf(), presence: form.Presence, err: audit.DecodeInto(r, form)}
		it.kind, it.intent, it.time, it.cuit = r.Kind, r.Intent, r.Time, r.Cuit
		it.beside = !j.leafIs(i, it.leaf)
		all = all && it.err == nil
		j.items = append(j.items, it)
	}
	if extra := len(j.piece.Leaves) != 0 && len(j.piece.Leaves) != len(forms)*tlog.HashSize; extra && len(j.items) > 0 {
		j.items[len(j.items)-1].beside = true
	}
	if all && j.piece.Check != nil {
		j.index = j.piece.Check(j.given[:len(forms)])
	}
	if j.piece.Release != nil {
		j.piece.Release()
	}
}

// leafIs reports whether the piece has no other leaf hash for its record i.
func (j *job) leafIs(i int, leaf tlog.Hash) bool {
	from := i * tlog.HashSize
	if len(j.piece.Leaves) == 0 {
		return true
	}
	return len(j.piece.Leaves) >= from+tlog.HashSize && bytes.Equal(j.piece.Leaves[from:from+tlog.HashSize], leaf[:])
}
