package once

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxCached bounds the number of answers that a cache holds.
const maxCached = 1024

// Freshness tells where an answer comes from.
type Freshness uint8

const (
	// Fetched: the service was asked by this caller.
	Fetched Freshness = iota
	// Fresh: it is from the cache and not older than the TTL.
	Fresh
	// Joined: the service was asked by another caller at the same time.
	Joined
	// Stale: it is older than the TTL, and the service gave no answer.
	Stale
)

// Cached is an answer with its age.
type Cached struct {
	// Answer is of the caller's own type.
	Answer any
	// At is when the service gave it.
	At time.Time
}

// Cache gives answers again that change rarely. It is safe for concurrent use. The zero
// Cache is not usable: TTL, MaxStale and Now must be set, before its first use.
type Cache struct {
	// TTL is how long an answer is given without asking, MaxStale how old one may be
	// that is given because the service has none.
	TTL, MaxStale time.Duration
	Now           func() time.Time

	mu      sync.Mutex // guards entries and what is in them
	entries map[string]*entry
}

type entry struct {
	cached *Cached // nil if there is none yet
	// recalled tells that what was there before the start was looked for.
	recalled bool
	// under way is closed when the one who asks is done; nil if nobody asks.
	underway chan struct{}
}

// Source is where a cache gets its answers from.
type Source struct {
	// Fetch asks the service. It returns nil and no error for an answer that must not
	// be given again.
	Fetch func(context.Context) (*Cached, error)
	// Recall returns the newest answer from before the start, nil if there is none.
	Recall func(context.Context) (*Cached, error)
}

// Get returns the answer for a key. It calls Fetch if nobody does and the answer is not
// fresh: for many callers at a time once. Where Fetch fails, an answer that is not older
// than MaxStale is given instead; if there is none, the error is returned to who called
// Fetch, and the others call it themselves, one after the other.
//
// With Fetched and a nil answer, Fetch has returned nil.
func (c *Cache) Get(ctx context.Context, key string, source Source) (*Cached, Freshness, error) {
	for joined := false; ; joined = true {
		e, answer, wait := c.look(key)
		switch {
		case answer != nil && joined:
			return answer, Joined, nil
		case answer != nil:
			return answer, Fresh, nil
		case wait == nil:
			return c.fetch(ctx, e, source)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, Joined, fmt.Errorf("waiting for the answer to the same question: %w", ctx.Err())
		}
	}
}

// look returns a fresh answer, or what to wait for; neither makes the caller the one who
// asks.
func (c *Cache) look(key string) (e *entry, fresh *Cached, wait <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]*entry{}
	}
	e, ok := c.entries[key]
	if !ok {
		e = &entry{}
		c.evict()
		c.entries[key] = e
	}
	if e.underway != nil {
		return e, nil, e.underway
	}
	if e.cached != nil && c.Now().Sub(e.cached.At) < c.TTL {
		return e, e.cached, nil
	}
	e.underway = make(chan struct{})
	return e, nil, nil
}

// evict makes room for one more. The caller holds mu.
func (c *Cache) evict() {
	for key, e := range c.entries {
		if len(c.entries) < maxCached {
			return
		}
		if e.underway == nil {
			delete(c.entries, key)
		}
	}
}

// fetch asks, as the only one for this entry.
func (c *Cache) fetch(ctx context.Context, e *entry, source Source) (*Cached, Freshness, error) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(e.underway)
		e.underway = nil
	}()
	if !e.recalled && source.Recall != nil {
		known, err := source.Recall(ctx)
		if err != nil {
			return nil, Fetched, err
		}
		c.mu.Lock()
		e.recalled = true
		if known != nil && e.cached == nil {
			e.cached = known
		}
		c.mu.Unlock()
		if known != nil && c.Now().Sub(known.At) < c.TTL {
			return known, Fresh, nil
		}
	}
	answer, err := source.Fetch(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		if answer != nil {
			e.cached = answer
		}
		return answer, Fetched, nil
	}
	if e.cached != nil && c.Now().Sub(e.cached.At) < c.MaxStale {
		return e.cached, Stale, nil
	}
	return nil, Fetched, err
}
