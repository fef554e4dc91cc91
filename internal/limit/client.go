package limit

import (
	"container/list"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Share bounds the requests of one client at a Limit.
type Share struct {
	// Slots is how many slots the client has at most at a time. 0 is no bound but the limit's own.
	Slots int
	// Waiting is how many of its requests wait at most. More are refused at once.
	// Default: 16 for each slot that it may have, at least 1024.
	Waiting int
}

const (
	waitingBySlot = 16
	minWaiting    = 1024
)

// client counts the slots and holds the waiting requests of one client. limit.mu guards all fields but limit,
// name and leave.
type client struct {
	limit *Limit
	name  string
	// share is the most slots that it has at a time, mostWaiting the most requests that wait.
	share       int64
	mostWaiting int
	// dropped: the division names it no longer. The client remains until its last request has left, so that
	// these requests count if it is named again.
	dropped bool
	taken   int64
	// queue holds the requests that wait, the oldest first. One that is handed its slots is taken out of the queue.
	queue list.List
	// turn is the client's element in the line, nil if it is not in line.
	turn *list.Element
	// leave gives a slot back. It is made once, so that entering does not allocate.
	leave func()
}

// newClient returns a client without bounds of its own.
func (l *Limit) newClient(name string) *client {
	c := &client{limit: l, name: name, share: l.slots, mostWaiting: math.MaxInt}
	c.leave = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.free(c, 1)
	}
	return c
}

// client returns the client of that name. l.mu is held.
func (l *Limit) client(name string) *client {
	if name == "" {
		return l.nobody
	}
	if c := l.clients[name]; c != nil && !c.dropped {
		return c
	}
	return l.nobody
}

// belowShare reports whether its share allows the client so many slots more. A request of more than the share has
// it alone.
func (c *client) belowShare(weight int64) bool { return c.taken == 0 || c.taken+weight <= c.share }

// full returns why the client cannot have so many slots more: it has its whole share, or too few are free.
func (c *client) full(weight int64) error {
	l := c.limit
	if c.share < l.slots && !c.belowShare(weight) || !l.leavesEnough(c, weight) {
		return fmt.Errorf("%d %s: %w", c.taken, l.held, ErrShare)
	}
	return fmt.Errorf("%d %s: %w", l.taken, l.held, ErrFull)
}

// bound sets the client's bounds.
func (c *client) bound(s Share) {
	c.share = c.limit.slots
	if s.Slots > 0 {
		c.share = min(int64(s.Slots), c.limit.slots)
	}
	c.mostWaiting = int(min(max(minWaiting, waitingBySlot*c.share), math.MaxInt32))
	if s.Waiting > 0 {
		c.mostWaiting = s.Waiting
	}
}

// Divide replaces the shares, by name of the client. The name "" stands for requests without a client,
// which have a Share{} if it is missing. No request loses its slot or its place in the queue, so a client can
// have more slots than its new share until enough requests have left. Requests of a client that is not
// named any more end under its old share; new ones count as requests without a client. A nil Limit stays
// without bounds.
func (l *Limit) Divide(shares map[string]Share) {
	if l == nil {
		return
	}
	names := slices.Sorted(maps.Keys(shares)) // chance decides no turn
	l.mu.Lock()
	defer l.mu.Unlock()
	l.divided = true
	for name, c := range l.clients {
		if _, ok := shares[name]; !ok {
			c.dropped = true
			l.settle(c)
		}
	}
	l.nobody.bound(shares[""])
	l.settle(l.nobody)
	for _, name := range names {
		if name == "" {
			continue
		}
		c := l.clients[name]
		if c == nil {
			c = l.newClient(name)
			l.clients[name] = c
		}
		c.dropped = false
		c.bound(shares[name])
		l.settle(c)
	}
	l.serve()
}

// Usage says how many slots a client has and how many of its requests wait.
type Usage struct {
	// Client is the name, "" for the requests without a client.
	Client string
	// Share is how many slots the client may have, never more than the limit has.
	Share int
	// Taken is how many slots it has. It is more than Share only after the share became smaller.
	Taken int
	// Waiting is how many of its requests wait for a slot.
	Waiting int
}

// Usage returns an element for each client of the division and one for the requests without a
// client, by name. It leaves out clients of earlier divisions, whose last requests Fullness counts.
func (l *Limit) Usage() []Usage {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Usage, 0, 1+len(l.clients))
	all = append(all, l.nobody.usage())
	for _, c := range l.clients {
		if !c.dropped {
			all = append(all, c.usage())
		}
	}
	slices.SortFunc(all, func(a, b Usage) int { return strings.Compare(a.Client, b.Client) })
	return all
}

func (c *client) usage() Usage {
	return Usage{Client: c.name, Share: int(c.share), Taken: int(c.taken), Waiting: c.queue.Len()}
}
