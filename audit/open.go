package audit

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

// Options tune a Writer. The zero Options are good.
type Options struct {
	// MaxBatch is the largest number of records in one commit, 512 if it is 0.
	MaxBatch int
	// MaxWaiting is how many records may wait for a commit before Append itself
	// waits, 1024 if it is 0. Together with the size of a body it bounds the memory.
	MaxWaiting int
	// Observe is called after each commit, by the trail's one goroutine: with the
	// number of records, the time that the commit took and its error. It must not
	// call the trail.
	Observe func(records int, took time.Duration, err error)
	// First: the log was never signed with the key. Open signs what there is, nothing or the
	// records of a build that did not sign. Without First, a log that has no checkpoint has
	// lost it.
	First bool
	// Now is the clock that measures a commit, time.Now if it is nil.
	Now func() time.Time
	// Random is where salts come from, crypto/rand's Reader if it is nil. It must be
	// safe for concurrent use.
	Random io.Reader
}

// defaultBatch is Options.MaxBatch if it is 0.
const defaultBatch = 512

// Open returns the writer of the log, which appends to it and signs with the key. The caller
// keeps the store and closes it after the writer.
//
// Open checks that the log is sound: the checkpoint must be signed by the key, and have the
// size and the root that the store's hashes give. If not, the error wraps ErrUnsound. The
// records themselves are not read.
func Open(ctx context.Context, store Store, log string, key *Key, options Options) (*Writer, error) {
	tree, newest, checkpoint, err := openTree(ctx, store, log, key, options.First)
	if err != nil {
		return nil, err
	}
	if options.MaxBatch <= 0 {
		options.MaxBatch = defaultBatch
	}
	if options.MaxWaiting <= 0 {
		options.MaxWaiting = 1024
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Random == nil {
		options.Random = rand.Reader
	}
	if options.Observe == nil {
		options.Observe = func(int, time.Duration, error) {}
	}
	w := &Writer{
		store: store, log: log, key: key, options: options, tree: tree, signs: newest.successor(),
		queue: make(chan *waiter, options.MaxWaiting),
		done:  make(chan struct{}),
	}
	w.preparer, _ = store.(Preparer)
	w.advance(tree, checkpoint)
	go func() {
		defer close(w.done)
		defer panics.Catch(taskWrite, nil)
		w.write()
	}()
	return w, nil
}

// openTree returns the tree of a log that is sound with its checkpoint, and signs one
// that never was.
func openTree(ctx context.Context, store Store, log string, key *Key, first bool) (*Tree, Checkpoint, []byte, error) {
	head, err := store.Head(ctx, log)
	if err != nil {
		return nil, Checkpoint{}, nil, fmt.Errorf("reading the head of log %q: %w", log, err)
	}
	tree, err := ReadTree(ctx, store, log, head.Size)
	if err != nil {
		return nil, Checkpoint{}, nil, err
	}
	if head.Checkpoint != nil || !first {
		newest, err := checkHead(ctx, store, head, tree, log, key.Verifier())
		return tree, newest, head.Checkpoint, err
	}
	// Nothing was purged from a log that was never signed: taking the signature away, to have
	// the log signed anew, does not hide content that is gone as well.
	newest := Checkpoint{Origin: key.origin(log), Size: tree.Size(), Root: tree.Root(), Purges: true}
	signed, err := newest.Sign(key)
	if err != nil {
		return nil, Checkpoint{}, nil, err
	}
	if err := store.Commit(ctx, Batch{Log: log, First: tree.Size(), Checkpoint: signed}); err != nil {
		return nil, Checkpoint{}, nil, fmt.Errorf("writing the first checkpoint of log %q: %w", log, err)
	}
	return tree, newest, signed, nil
}
