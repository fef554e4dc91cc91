package app

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

// Renewal is how a resource is replaced that has become of no use.
type Reopener[T io.Closer] struct {
	// Spent reports whether it has.
	Spent func(T) bool
	// Reopen opens another one in its place, and tells of what came of it. Those who are
	// inside use the spent one still.
	Reopen func(ctx context.Context, spent T) (T, error)
}

// renewalPause is how long a spent resource is left alone after an attempt to replace it.
const reopenPause = time.Second

// pooled is what a pool holds: a resource, which may be replaced. A replaced one is closed
// when the last who uses it has left.
type entry[T io.Closer] struct {
	// running are the renewal and what closes a replaced resource; end interrupts the first.
	running sync.WaitGroup
	life    context.Context
	end     context.CancelFunc

	mu        sync.Mutex // guards the rest
	current   *ref[T]
	reopening bool
	tried     time.Time // when the last renewal has ended
}

// used is a resource and how many use it. The pooled guards its fields.
type ref[T io.Closer] struct {
	resource T
	users    int
	replaced bool
}

func newEntry[T io.Closer](resource T) *entry[T] {
	p := &entry[T]{current: &ref[T]{resource: resource}}
	p.life, p.end = context.WithCancel(context.Background()) //nolint:gosec // Destruct ends it
	return p
}

// enter returns the resource, to be left again by leave. A renewal that is due begins; nil is
// for a resource that is never replaced.
func (p *entry[T]) enter(r *Reopener[T]) *ref[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reopen(r)
	p.current.users++
	return p.current
}

// leave ends what enter began. Who has found out that the resource is spent has it replaced.
func (p *entry[T]) leave(u *ref[T], r *Reopener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reopen(r)
	u.users--
	p.closeIfIdle(u)
}

// taskRenew is what a panic is told to have happened in.
const taskReopen = "replacing a resource"

// renew begins to replace the resource if it is spent. The caller holds mu.
func (p *entry[T]) reopen(r *Reopener[T]) {
	if r == nil || p.reopening || p.life.Err() != nil || !r.Spent(p.current.resource) || time.Since(p.tried) < reopenPause {
		return
	}
	p.reopening = true
	spent := p.current.resource
	panics.Go(&p.running, taskReopen, func() {
		var resource T
		err := panics.Do(taskReopen, func() (err error) {
			resource, err = r.Reopen(p.life, spent)
			return err
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reopening, p.tried = false, time.Now()
		if err != nil {
			return // it was told of
		}
		before := p.current
		p.current, before.replaced = &ref[T]{resource: resource}, true
		p.closeIfIdle(before)
	})
}

// closeIfIdle closes a replaced resource that nobody uses. The caller holds mu.
func (p *entry[T]) closeIfIdle(u *ref[T]) {
	if u.replaced && u.users == 0 {
		// Its error has nowhere to go but here: the resource tells what it could not write.
		panics.Go(&p.running, taskReopen, func() { _ = u.resource.Close() })
	}
}

// Destruct implements caddy.Destructor: the last lease has let go, and nobody is inside.
func (p *entry[T]) Destruct() error {
	p.end()
	p.running.Wait()
	return p.current.resource.Close()
}
