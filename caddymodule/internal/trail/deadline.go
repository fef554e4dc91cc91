package trail

import (
	"context"
	"sync"
	"time"
)

// deadlines hands out contexts that end after a time, without a timer for each: all callers
// within a second share one. It is exact to that second, which is enough for giving up on a
// store that hangs.
type deadlines struct {
	limit time.Duration

	mu      sync.Mutex // guards what follows
	current context.Context
	born    time.Time
}

// context returns a context that ends after at least limit and at most a second more, and for no
// other reason.
func (d *deadlines) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); d.current == nil || now.Sub(d.born) >= time.Second {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(d.limit+time.Second, cancel)
		d.current, d.born = ctx, now
	}
	return d.current
}
