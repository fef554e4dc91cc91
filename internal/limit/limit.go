// Package limit bounds how many requests are on their way at a time, how many bytes they hold, and how many of a
// client arrive in a time.
//
// It is a package of its own because the gateway, the console and the reader of requests each have
// something to bound.
package limit

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrFull: no slot became free in time, or too many requests wait already.
var ErrFull = errors.New("there is no room for one more")

// ErrShare is the ErrFull of a client that has all the slots of its share: others may still enter.
var ErrShare = fmt.Errorf("the client's share is taken: %w", ErrFull)

// Limit bounds how many requests are on their way at a time, each of which has a slot, or how many bytes they
// hold, each of which is a slot then. A nil Limit bounds nothing.
//
// Requests that wait are served in turn by client: free slots go to the next of the clients that wait and may
// have more, and within the client to the request that has waited longest. Requests without a client count as
// one client.
type Limit struct {
	slots int64
	held  string // names the slots that are taken, in errors
	// leaves: with a division, a client that has slots takes more only if as many stay free as it has then.
	leaves bool
	nobody *client // for the requests without a client

	mu      sync.Mutex
	taken   int64 // at most slots
	divided bool
	// clients has the clients of the division, and earlier ones until their last request has left.
	clients map[string]*client
	// line holds the clients that have a request waiting and are below their share, in the order
	// of their turns.
	line list.List
}

// NewLimit returns a limit of so many requests at a time, nil for 0. Before the first Divide all requests are
// without a client: they are served first come first served, and patience alone bounds how many wait.
func NewLimit(requests int) *Limit {
	if requests <= 0 {
		return nil
	}
	l := &Limit{slots: int64(requests), held: "requests are on their way", clients: map[string]*client{}}
	l.nobody = l.newClient("")
	return l
}

// NewPool returns a limit of so many bytes, at least one. Requests hold many at a time, and may hold them for
// long. So after the first Divide, a client that has some gets more only if it leaves as many free as it has then:
// one alone has at most half, and a second one a quarter beside it. A request of more than half waits until it
// fits, and others pass it.
func NewPool(size int64) *Limit {
	l := &Limit{slots: max(size, 1), held: "bytes of bodies are in the gateway", leaves: true, clients: map[string]*client{}}
	l.nobody = l.newClient("")
	return l
}

// Size returns how many slots there are.
func (l *Limit) Size() int64 { return l.slots }

// Enter waits for room, no longer than patience (ErrFull). A caller that was let in must call
// leave, once.
func (l *Limit) Enter(ctx context.Context, patience time.Duration) (leave func(), err error) {
	return l.EnterAs(ctx, "", patience)
}

// EnterAs is Enter for a request of a client: it also waits while the client has all the slots of
// its share (ErrShare). It does not wait if too many requests of the client wait already. A client
// that the division does not name is no client, as is "".
func (l *Limit) EnterAs(ctx context.Context, name string, patience time.Duration) (leave func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	c, _, err := l.enter(ctx, name, 1, patience)
	if err != nil {
		return nil, err
	}
	return c.leave, nil
}

// TakeAs is EnterAs for so many slots, which are returned with the Part. More than there are count as all.
func (l *Limit) TakeAs(ctx context.Context, name string, weight int64, patience time.Duration) (Part, error) {
	c, weight, err := l.enter(ctx, name, weight, patience)
	return Part{c, weight}, err
}

// enter waits until the client has weight slots more. It returns the client and how many it got.
func (l *Limit) enter(ctx context.Context, name string, weight int64, patience time.Duration) (*client, int64, error) {
	weight = min(weight, l.slots)
	l.mu.Lock()
	c := l.client(name)
	// Requests in line come first. If they may not have the free slots, serve lets this one pass.
	if l.line.Len() == 0 && c.queue.Len() == 0 && l.fits(c, weight) {
		l.take(c, weight)
		l.mu.Unlock()
		return c, weight, nil
	}
	if c.queue.Len() >= c.mostWaiting {
		defer l.mu.Unlock()
		return nil, 0, fmt.Errorf("%d requests wait already: %w", c.queue.Len(), c.full(weight))
	}
	turn := &request{handed: make(chan struct{}, 1), weight: weight}
	place := c.queue.PushBack(turn)
	l.settle(c)
	l.serve()
	l.mu.Unlock()

	timer := time.NewTimer(patience)
	defer timer.Stop()
	var gone error
	select {
	case <-turn.handed:
		return c, weight, nil
	case <-timer.C:
	case <-ctx.Done():
		gone = ctx.Err()
	}
	if err := l.giveUp(c, place, gone); err != nil {
		return nil, 0, err
	}
	return c, weight, nil
}

// giveUp ends the wait of a request whose patience is over, or whose caller has left (gone is the error of its
// context). If it was handed its slots in the same moment, it enters (nil), or passes them on if its caller
// has left. Otherwise they would be lost.
func (l *Limit) giveUp(c *client, place *list.Element, gone error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := place.Value.(*request)
	handed := len(turn.handed) > 0
	switch {
	case handed && gone == nil:
		return nil
	case handed:
		l.free(c, turn.weight)
	default:
		c.queue.Remove(place)
		l.settle(c)
		l.serve() // those whom it kept waiting may fit
	}
	if gone != nil {
		return fmt.Errorf("waiting for room: %w", gone)
	}
	return c.full(turn.weight)
}

// Fullness returns which share of the room is taken, from 0 to 1.
func (l *Limit) Fullness() float64 {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return float64(l.taken) / float64(l.slots)
}
