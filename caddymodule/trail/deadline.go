package trail

import (
	"context"
	"sync"
	"time"
)

// patience hands out contexts that end after a time, without a timer for each of
// them: all who ask within a second share one. It is exact to that second, which
// is enough for giving up on a store that hangs.
type patience struct {
	limit time.Duration

	mu      sync.Mutex // guards what follows
	current context.Context
	born    time.Time
}

// context returns a context that ends after at least limit and at most a second
// more, and with nothing else.
func (p *patience) context() context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.current == nil || now.Sub(p.born) >= time.Second {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(p.limit+time.Second, cancel)
		p.current, p.born = ctx, now
	}
	return p.current
}
