// Package limit bounds how many requests are on their way at a time.
//
// It is a package of its own because the gateway, the console and the reader of requests each have
// something to bound.
package limit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrFull: no slot became free in time.
var ErrFull = errors.New("there is no room for one more")

// Limit bounds how many requests are on their way at a time. A nil Limit bounds nothing.
type Limit struct {
	slots chan struct{}
	// leave gives a slot back.
	leave func()
}

// NewLimit returns a limit of so many requests at a time, nil for 0.
func NewLimit(requests int) *Limit {
	if requests <= 0 {
		return nil
	}
	slots := make(chan struct{}, requests)
	return &Limit{slots: slots, leave: func() { <-slots }}
}

// Enter waits for room, no longer than patience (ErrFull). A caller that was let in must call
// leave.
func (l *Limit) Enter(ctx context.Context, patience time.Duration) (leave func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	select {
	case l.slots <- struct{}{}:
		return l.leave, nil
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case l.slots <- struct{}{}:
		return l.leave, nil
	case <-timer.C:
		return nil, fmt.Errorf("%d requests are on their way: %w", cap(l.slots), ErrFull)
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for room: %w", ctx.Err())
	}
}

// Fullness returns which share of the room is taken, from 0 to 1.
func (l *Limit) Fullness() float64 {
	if l == nil {
		return 0
	}
	return float64(len(l.slots)) / float64(cap(l.slots))
}
