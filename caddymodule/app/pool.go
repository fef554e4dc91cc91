package app

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

// Renewal is how a resource is replaced that has become of no use.
type Renewal[T io.Closer] struct {
	// Spent reports whether it has.
	Spent func(T) bool
	// Reopen opens another one in its place, and tells of what came of it. Those who are
	// inside use the spent one still.
	Reopen func(ctx context.Context, spent T) (T, error)
}

// renewalPause is how long a spent resource is left alone after an attempt to replace it.
const renewalPause = time.Second

// pooled is what a pool holds: a resource, which may be replaced. A replaced one is closed
// when the last who uses it has left.
type pooled[T io.Closer] struct {
	// running are the renewal and what closes a replaced resource; end interrupts the first.
	running sync.WaitGroup
	life    context.Context
	end     context.CancelFunc

	mu       sync.Mutex // guards the rest
	current  *used[T]
	renewing bool
	tried    time.Time // when the last renewal has ended
}

// used is a resource and how many use it. The pooled guards its fields.
type used[T io.Closer] struct {
	resource T
	users    int
	replaced bool
}

func newPooled[T io.Closer](resource T) *pooled[T] {
	p := &pooled[T]{current: &used[T]{resource: resource}}
	p.life, p.end = context.WithCancel(context.Background()) //nolint:gosec // Destruct ends it
	return p
}

// enter returns the resource, to be left again by leave. A renewal that is due begins; nil is
// for a resource that is never replaced.
func (p *pooled[T]) enter(r *Renewal[T]) *used[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renew(r)
	p.current.users++
	return p.current
}

// leave ends what enter began. Who has found out that the resource is spent has it replaced.
func (p *pooled[T]) leave(u *used[T], r *Renewal[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renew(r)
	u.users--
	p.closeIfIdle(u)
}

// taskRenew is what a panic is told to have happened in.
const taskRenew = "replacing a resource"

// renew begins to replace the resource if it is spent. The caller holds mu.
func (p *pooled[T]) renew(r *Renewal[T]) {
	if r == nil || p.renewing || p.life.Err() != nil || !r.Spent(p.current.resource) || time.Since(p.tried) < renewalPause {
		return
	}
	p.renewing = true
	spent := p.current.resource
	panics.Go(&p.running, taskRenew, func() {
		var resource T
		err := panics.Do(taskRenew, func() (err error) {
			resource, err = r.Reopen(p.life, spent)
			return err
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		p.renewing, p.tried = false, time.Now()
		if err != nil {
			return // it was told of
		}
		before := p.current
		p.current, before.replaced = &used[T]{resource: resource}, true
		p.closeIfIdle(before)
	})
}

// closeIfIdle closes a replaced resource that nobody uses. The caller holds mu.
func (p *pooled[T]) closeIfIdle(u *used[T]) {
	if u.replaced && u.users == 0 {
		// Its error has nowhere to go but here: the resource tells what it could not write.
		panics.Go(&p.running, taskRenew, func() { _ = u.resource.Close() })
	}
}

// Destruct implements caddy.Destructor: the last lease has let go, and nobody is inside.
func (p *pooled[T]) Destruct() error {
	p.end()
	p.running.Wait()
	return p.current.resource.Close()
}
