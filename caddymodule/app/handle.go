package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/caddyserver/caddy/v2"
)

// errNotOpen: the configuration that opens the resource did not start.
var errNotOpen = errors.New("the store is not open in this configuration")

// opening serialises the opening and the closing of a pooled resource: a file that is still being
// closed is locked, and cannot be opened until that is done. Each resource has a lock of its own: the closing of
// a trail waits for queries that are under way, and these may have to leave another resource, such as the ledger
// of the built-in service.
var opening = locks{all: map[string]*namedLock{}}

// Handle is one configuration's hold on a resource that outlives configurations, such as an open
// database. The resource lives in a pool, under a key that identifies it: a reload that keeps
// the key keeps the resource.
//
// Caddy cleans up a replaced configuration while its requests still run. The handle counts them,
// and releases the resource when the last has left.
type Handle[T io.Closer] struct {
	pool *caddy.UsagePool
	Key  string
	open func() (T, error)
	// Excludes names what must not be opened and closed at the same time by two handles, even if their keys
	// differ. It is the key if it is empty.
	Excludes string
	// Check checks the resource for this configuration before a request may enter, including one that
	// the pool holds already or that has replaced another. It is nil if there is nothing to
	// check.
	Check func(T) error
	// Reopener replaces the resource once it is spent, nil if it never is.
	Reopener *Reopener[T]

	// ready is closed when err is final: Caddy may serve requests before it starts the app.
	ready chan struct{}
	err   error

	mu      sync.Mutex // guards what follows
	entry   *entry[T]
	checked *ref[T] // the newest that Check has passed
	decided bool    // ready is closed
	held    bool    // this handle counts in the pool
	closing bool
	inside  int
}

// NewHandle returns a handle on the resource under a key of a pool. Start opens it.
func NewHandle[T io.Closer](pool *caddy.UsagePool, key string, open func() (T, error)) *Handle[T] {
	return &Handle[T]{pool: pool, Key: key, open: open, ready: make(chan struct{})}
}

// Start opens the resource, or takes the one that the pool holds.
func (h *Handle[T]) Start() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.take(context.Background())
	if err == nil {
		u := h.entry.enter(h.Reopener)
		err = h.approve(u) // Stop releases the resource
		h.entry.leave(u, h.Reopener)
	}
	h.decide(err)
	return err
}

// alone waits until no other handle opens or closes the resource, until ctx ends.
func (h *Handle[T]) alone(ctx context.Context) (unlock func(), err error) {
	return opening.lock(ctx, cmp.Or(h.Excludes, h.Key))
}

// take makes this handle count in the pool. It waits until ctx ends for a resource that is still being closed: the
// closing may wait for the caller. The caller holds mu.
func (h *Handle[T]) take(ctx context.Context) error {
	unlock, err := h.alone(ctx)
	if err != nil {
		return fmt.Errorf("waiting for the store to be closed: %w", err)
	}
	defer unlock()
	value, _, err := h.pool.LoadOrNew(h.Key, func() (caddy.Destructor, error) {
		resource, err := h.open()
		if err != nil {
			return nil, err
		}
		return newEntry(resource), nil
	})
	if err == nil {
		h.entry, h.held = value.(*entry[T]), true
	}
	return err
}

// approve checks a resource once. The caller holds mu.
func (h *Handle[T]) approve(u *ref[T]) error {
	if h.Check == nil || h.checked == u {
		return nil
	}
	if err := h.Check(u.resource); err != nil {
		return err
	}
	h.checked = u
	return nil
}

// decide makes err final. The caller holds mu.
func (h *Handle[T]) decide(err error) {
	if !h.decided {
		h.decided, h.err = true, err
		close(h.ready)
	}
}

// Enter returns the resource, and a function to be called once to leave it. It waits for the
// configuration to start, until ctx ends.
func (h *Handle[T]) Enter(ctx context.Context) (resource T, leave func(), err error) {
	select {
	case <-h.ready:
	case <-ctx.Done():
		return resource, nil, fmt.Errorf("waiting for the store to open: %w", ctx.Err())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return resource, nil, h.err
	}
	if h.closing && !h.held {
		// The old server has read one more request after the cleanup of its
		// configuration: a refusal would lose it to the reload.
		if err := h.take(ctx); err != nil {
			return resource, nil, err
		}
	}
	h.inside++
	u := h.entry.enter(h.Reopener)
	if err := h.approve(u); err != nil {
		h.left(u)
		return resource, nil, err
	}
	return u.resource, func() { h.leave(u) }, nil
}

func (h *Handle[T]) leave(u *ref[T]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left(u)
}

// left is leave for a caller that holds mu.
func (h *Handle[T]) left(u *ref[T]) {
	h.entry.leave(u, h.Reopener)
	h.inside--
	h.releaseIfIdle()
}

// Stop releases the resource once no request is inside. It does not wait for that. A later
// caller reopens the resource for the length of its request.
func (h *Handle[T]) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closing = true
	h.decide(errNotOpen)
	h.releaseIfIdle()
}

// releaseIfIdle releases the resource if the handle is stopped and no request is inside. The
// caller holds mu, so none can enter.
func (h *Handle[T]) releaseIfIdle() {
	if h.closing && h.held && h.inside == 0 {
		h.held = false
		unlock, _ := h.alone(context.Background()) // this context never ends
		defer unlock()
		// The resource itself reports what it could not write.
		_, _ = h.pool.Delete(h.Key)
	}
}
