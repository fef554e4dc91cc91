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
	Renewal *Renewal[T]

	// ready is closed when err is final: Caddy may start serving before it starts the app
	// that opens the resource.
	ready chan struct{}
	err   error

	mu      sync.Mutex // guards what follows
	pooled  *pooled[T]
	checked *used[T] // the newest that check has passed
	decided bool     // ready is closed
	held    bool     // this lease counts in the pool
	closing bool
	inside  int
}

func NewHandle[T io.Closer](pool *caddy.UsagePool, key string, open func() (T, error)) *Handle[T] {
	return &Handle[T]{pool: pool, Key: key, open: open, ready: make(chan struct{})}
}

// Start opens the resource, or takes the one that the pool holds.
func (l *Handle[T]) Start() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.take()
	if err == nil {
		u := l.pooled.enter(l.Renewal)
		err = l.approve(u) // the resource is let go of by Stop
		l.pooled.leave(u, l.Renewal)
	}
	l.decide(err)
	return err
}

// take makes this lease count in the pool. The caller holds mu.
func (l *Handle[T]) take() error {
	opening.Lock()
	defer opening.Unlock()
	value, _, err := l.pool.LoadOrNew(l.Key, func() (caddy.Destructor, error) {
		resource, err := l.open()
		if err != nil {
			return nil, err
		}
		return newPooled(resource), nil
	})
	if err == nil {
		l.pooled, l.held = value.(*pooled[T]), true
	}
	return err
}

// approve checks a resource once. The caller holds mu.
func (l *Handle[T]) approve(u *used[T]) error {
	if l.Check == nil || l.checked == u {
		return nil
	}
	if err := l.Check(u.resource); err != nil {
		return err
	}
	l.checked = u
	return nil
}

// decide makes err final. The caller holds mu.
func (l *Handle[T]) decide(err error) {
	if !l.decided {
		l.decided, l.err = true, err
		close(l.ready)
	}
}

// Enter returns the resource, and what is to be called once to leave it again. It waits for
// the configuration to start, at most as long as ctx lives.
func (l *Handle[T]) Enter(ctx context.Context) (resource T, leave func(), err error) {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return resource, nil, fmt.Errorf("waiting for the store to open: %w", ctx.Err())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return resource, nil, l.err
	}
	if l.closing && !l.held {
		// The old server has read one more request after its configuration was
		// cleaned up: turning it away would lose it to a reload.
		if err := l.take(); err != nil {
			return resource, nil, err
		}
	}
	l.inside++
	u := l.pooled.enter(l.Renewal)
	if err := l.approve(u); err != nil {
		l.left(u)
		return resource, nil, err
	}
	return u.resource, func() { l.leave(u) }, nil
}

func (l *Handle[T]) leave(u *used[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left(u)
}

// left is leave for who holds mu.
func (l *Handle[T]) left(u *used[T]) {
	l.pooled.leave(u, l.Renewal)
	l.inside--
	l.releaseIfIdle()
}

// Stop lets go of the resource once nobody is inside; it does not wait for that.
// Who comes later takes hold of it again for as long as he stays.
func (l *Handle[T]) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing = true
	l.decide(errNotOpen)
	l.releaseIfIdle()
}

// releaseIfIdle lets go of the resource when its time has come. The caller holds
// mu: nobody can enter meanwhile.
func (l *Handle[T]) releaseIfIdle() {
	if l.closing && l.held && l.inside == 0 {
		l.held = false
		opening.Lock()
		defer opening.Unlock()
		// The destructor's error has nowhere to go but here; the resource reports
		// what it could not write where it was asked to write it.
		_, _ = l.pool.Delete(l.Key)
	}
}
