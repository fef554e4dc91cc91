package app

import (
	"context"
	"sync"
)

// locks are mutual exclusions by name.
type locks struct {
	mu  sync.Mutex // guards all and the users of each
	all map[string]*namedLock
}

// namedLock has room for the one that holds it. users hold it or wait for it.
type namedLock struct {
	turn  chan struct{}
	users int
}

// lock waits for the lock of a name until ctx ends. The function that it returns gives the lock back.
func (l *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	l.mu.Lock()
	one := l.all[name]
	if one == nil {
		one = &namedLock{turn: make(chan struct{}, 1)}
		l.all[name] = one
	}
	one.users++
	l.mu.Unlock()
	select {
	case one.turn <- struct{}{}:
		return func() {
			<-one.turn
			l.leave(name, one)
		}, nil
	case <-ctx.Done():
		l.leave(name, one)
		return nil, ctx.Err()
	}
}

// leave forgets a lock that nobody uses any more.
func (l *locks) leave(name string, one *namedLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.all, name)
	}
}
