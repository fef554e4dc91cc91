// Package limit bounds how many requests are on their way at a time, and how many of a client arrive in a
// time.
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

// Limit bounds how many requests are on their way at a time. A nil Limit bounds nothing.
//
// Requests that wait are served in turn by client: a free slot goes to the next of the clients that
// wait and are below their share, and within the client to the request that has waited longest.
// Requests without a client count as one client.
type Limit struct {
	slots  int
	nobody *client // for the requests without a client

	mu sync.Mutex
	// taken is at most slots. While it is less, the line is empty: a free slot is handed over at once.
	taken int
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
	l := &Limit{slots: requests, clients: map[string]*client{}}
	l.nobody = l.newClient("")
	return l
}

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
	l.mu.Lock()
	c := l.client(name)
	if l.taken < l.slots && c.belowShare() {
		l.take(c)
		l.mu.Unlock()
		return c.leave, nil
	}
	if c.queue.Len() >= c.mostWaiting {
		defer l.mu.Unlock()
		return nil, fmt.Errorf("%d requests wait already: %w", c.queue.Len(), c.full())
	}
	turn := make(chan struct{}, 1)
	place := c.queue.PushBack(turn)
	l.settle(c)
	l.mu.Unlock()

	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-turn:
		return c.leave, nil
	case <-timer.C:
		return l.giveUp(c, place, nil)
	case <-ctx.Done():
		return l.giveUp(c, place, ctx.Err())
	}
}

// giveUp ends the wait of a request whose patience is over, or whose caller has left (gone is the error of its
// context). If it was handed a slot in the same moment, it enters, or passes the slot on if its caller
// has left. Otherwise the slot would be lost.
func (l *Limit) giveUp(c *client, place *list.Element, gone error) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := place.Value.(chan struct{})
	handed := len(turn) > 0
	switch {
	case handed && gone == nil:
		return c.leave, nil
	case handed:
		l.free(c)
	default:
		c.queue.Remove(place)
		l.settle(c)
	}
	if gone != nil {
		return nil, fmt.Errorf("waiting for room: %w", gone)
	}
	return nil, c.full()
}

// take gives the client a slot. l.mu is held.
func (l *Limit) take(c *client) {
	l.taken++
	c.taken++
}

// free takes a slot from the client and gives it to the request whose turn it is. l.mu is held.
func (l *Limit) free(c *client) {
	l.taken--
	c.taken--
	l.settle(c)
	l.serve()
}

// serve gives the free slots to the clients in line. l.mu is held.
func (l *Limit) serve() {
	for l.taken < l.slots && l.line.Len() > 0 {
		c := l.line.Remove(l.line.Front()).(*client)
		c.turn = nil
		turn := c.queue.Remove(c.queue.Front()).(chan struct{})
		l.take(c)
		turn <- struct{}{} // has room: a request is handed one slot
		l.settle(c)
	}
}

// settle puts the client at the end of the line or takes it out, after a change of its queue,
// slots or share. It forgets a client of an earlier division once nothing of it is left. l.mu is held.
func (l *Limit) settle(c *client) {
	ready := c.queue.Len() > 0 && c.belowShare()
	switch {
	case ready && c.turn == nil:
		c.turn = l.line.PushBack(c)
	case !ready && c.turn != nil:
		l.line.Remove(c.turn)
		c.turn = nil
	}
	if c.dropped && c.taken == 0 && c.queue.Len() == 0 {
		delete(l.clients, c.name)
	}
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
