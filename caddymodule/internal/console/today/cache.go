package today

import (
	"context"
	"sync"
	"time"
)

// freshFor is how long a digest serves other readers.
const freshFor = 10 * time.Second

// cache has the newest digest of a few days. One reader makes it, the others wait for it.
type cache struct {
	now func() time.Time
	// most is how many exchanges of a day are read.
	most int

	mu   sync.Mutex // guards days
	days map[dayKey]*entry
}

// dayKey is a day as some readers see it.
type dayKey struct{ day, scope string }

type entry struct {
	turn chan struct{} // has room for the one that reads

	// These are guarded by turn.
	made time.Time
	has  *digest
}

// maxDays bounds the days that are kept, each as often as readers see different records.
const maxDays = 64

// of returns the digest of a day, at most freshFor old.
func (c *cache) of(ctx context.Context, day dayKey, read func() (*digest, error)) (*digest, error) {
	e := c.entry(day)
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.turn }()
	if e.has != nil && c.now().Sub(e.made) < freshFor {
		return e.has, nil
	}
	has, err := read()
	if err != nil {
		return nil, err
	}
	e.has, e.made = has, c.now()
	return has, nil
}

func (c *cache) entry(day dayKey) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.days[day]
	if e == nil {
		if len(c.days) >= maxDays {
			clear(c.days)
		}
		e = &entry{turn: make(chan struct{}, 1)}
		c.days[day] = e
	}
	return e
}
