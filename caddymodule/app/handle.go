package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/caddyserver/caddy/v2"
)

// errNotOpen says that a resource is not there: its configuration did not start.
var errNotOpen = errors.New("the store is not open in this configuration")

// opening serialises the opening and the closing of pooled resources: one that is
// still being closed must not be opened again meanwhile, its file is locked.
var opening sync.Mutex

// Handle is one configuration's hold on a resource that outlives configurations,
// such as an open database. The resource itself lives in a pool, under a key that
// says all that defines it: a reload that keeps the key keeps the resource.
//
// Caddy cleans a replaced configuration up while its requests still run. The lease
// counts them: the resource is let go of when the last has left.
type Handle[T io.Closer] struct {
	pool *caddy.UsagePool
	Key  string
	open func() (T, error)
	// Check is what a configuration asks of the resource, also of one that the pool holds or
	// that has replaced another, before anybody may enter; nil for nothing.
	Check func(T) error
	// Renewal is how the resource is replaced once it is spent, nil if it never is.
	Reopener *Reopener[T]

	// ready is closed when err is final: Caddy may start serving before it starts the app
	// that opens the resource.
	ready chan struct{}
	err   error

	mu      sync.Mutex // guards what follows
	entry   *entry[T]
	checked *ref[T] // the newest that check has passed
	decided bool    // ready is closed
	held    bool    // this lease counts in the pool
	closing bool
	inside  int
}

func NewHandle[T io.Closer](pool *caddy.UsagePool, key string, open func() (T, error)) *Handle[T] {
	return &Handle[T]{pool: pool, Key: key, open: open, ready: make(chan struct{})}
}

// Start opens the resource, or takes the one that the pool holds.
func (h *Handle[T]) Start() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.take()
	if err == nil {
		u := h.entry.enter(h.Reopener)
		err = h.approve(u) // the resource is let go of by Stop
		h.entry.leave(u, h.Reopener)
	}
	h.decide(err)
	return err
}

// take makes this lease count in the pool. The caller holds mu.
func (h *Handle[T]) take() error {
	opening.Lock()
	defer opening.Unlock()
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

// Enter returns the resource, and what is to be called once to leave it again. It waits for
// the configuration to start, at most as long as ctx lives.
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
		// The old server has read one more request after its configuration was
		// cleaned up: turning it away would lose it to a reload.
		if err := h.take(); err != nil {
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

// left is leave for who holds mu.
func (h *Handle[T]) left(u *ref[T]) {
	h.entry.leave(u, h.Reopener)
	h.inside--
	h.releaseIfIdle()
}

// Stop lets go of the resource once nobody is inside; it does not wait for that.
// Who comes later takes hold of it again for as long as he stays.
func (h *Handle[T]) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closing = true
	h.decide(errNotOpen)
	h.releaseIfIdle()
}

// releaseIfIdle lets go of the resource when its time has come. The caller holds
// mu: nobody can enter meanwhile.
func (h *Handle[T]) releaseIfIdle() {
	if h.closing && h.held && h.inside == 0 {
		h.held = false
		opening.Lock()
		defer opening.Unlock()
		// The destructor's error has nowhere to go but here; the resource reports
		// what it could not write where it was asked to write it.
		_, _ = h.pool.Delete(h.Key)
	}
}
