package app

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

// Reopener replaces a resource that is spent.
type Reopener[T io.Closer] struct {
	// Spent reports whether the resource must be replaced.
	Spent func(T) bool
	// Reopen opens the replacement and logs the result. Requests inside keep the spent one.
	Reopen func(ctx context.Context, spent T) (T, error)
}

// reopenPause is the pause after an attempt to replace a spent resource.
const reopenPause = time.Second

// entry is what a pool holds: a resource, which may be replaced. A replaced one is closed when
// its last user has left.
type entry[T io.Closer] struct {
	// running has the reopening, and the closing of replaced resources. end interrupts the
	// reopening.
	running sync.WaitGroup
	life    context.Context
	end     context.CancelFunc

	mu        sync.Mutex // guards the rest
	current   *ref[T]
	reopening bool
	tried     time.Time // when the last reopening ended
}

// ref is a resource and the number of its users. The entry guards its fields.
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

// enter returns the resource; leave gives it back. It starts a reopening that is due. r is nil
// for a resource that is never replaced.
func (p *entry[T]) enter(r *Reopener[T]) *ref[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reopen(r)
	p.current.users++
	return p.current
}

// leave ends what enter began. It starts a reopening that is due: the user may have found the
// resource spent.
func (p *entry[T]) leave(u *ref[T], r *Reopener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reopen(r)
	u.users--
	p.closeIfIdle(u)
}

// taskReopen names the task in the report of a panic.
const taskReopen = "replacing a resource"

// reopen starts to replace the resource if it is spent. The caller holds mu.
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
			return // Reopen has logged it
		}
		before := p.current
		p.current, before.replaced = &ref[T]{resource: resource}, true
		p.closeIfIdle(before)
	})
}

// closeIfIdle closes a replaced resource without users. The caller holds mu.
func (p *entry[T]) closeIfIdle(u *ref[T]) {
	if u.replaced && u.users == 0 {
		// The resource itself reports what it could not write.
		panics.Go(&p.running, taskReopen, func() { _ = u.resource.Close() })
	}
}

// Destruct implements caddy.Destructor. The last handle has released the entry.
func (p *entry[T]) Destruct() error {
	p.end()
	p.running.Wait()
	return p.current.resource.Close()
}
