// Package cache gives answers again that change rarely: one caller fetches, the others share.
// When the source fails, an answer that is not too old is given instead.
package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"
)

// maxCached bounds the number of answers that a cache holds.
const maxCached = 1024

// Freshness is where an answer comes from.
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

// Cache gives answers again that change rarely. It is safe for concurrent use. Now must
// be set before its first use.
type Cache struct {
	Now func() time.Time

	mu      sync.Mutex // guards entries and their fields
	entries map[string]*entry
}

// entry is the state of one key.
type entry struct {
	cached *Cached // nil if there is none yet
	// recalled: answers from before the start have been looked for.
	recalled bool
	// failed is when the service last gave no answer; zero once it gave one. unable is when a group could last not
	// ask, until it can.
	failed time.Time
	unable map[string]time.Time
	// calls are those under way, by Source.Caller; an empty text is shared by all.
	calls map[string]*call
}

// call is a call of Fetch under way; its result is set when done is closed.
type call struct {
	done      chan struct{}
	answer    *Cached
	freshness Freshness
	err       error
}

// Source is where a cache gets its answers from, and on which terms.
type Source struct {
	// TTL is how long an answer is given without asking, MaxStale how old one may be
	// that is given because the service has none.
	TTL, MaxStale time.Duration
	// Caller identifies the caller. Trusted callers, which the service is known to
	// accept, share cached answers. Others must be accepted by the service first, and
	// share with callers of the same name only, unless the service gives no answer at all.
	// Trusted must not call the cache.
	Caller  string
	Trusted func() bool
	// Group names the trusted callers that share one call of Fetch. What keeps one group from asking keeps no other.
	Group string
	// Fetch asks the service. It returns nil and no error for an answer that must not be
	// reused, and an error if the service gave no answer (ErrNotAsked if it was not asked, ErrLeft if nobody waits for
	// it). Others of the same group may see the error.
	Fetch func(context.Context) (*Cached, error)
	// Recall returns the newest answer from before the start, nil if there is none. An
	// error is no reason not to ask; it is then called again the next time.
	Recall func(context.Context) (*Cached, error)
	// Replaced is called, if it is set, for each answer that takes the place of another.
	Replaced func(before, after *Cached)
}

// ErrNotAsked: the caller could not ask. That says nothing about the service, which others go on asking.
var ErrNotAsked = errors.New("the service was not asked")

// ErrLeft: the caller left before it asked. One of those who wait asks in its place.
var ErrLeft = errors.New("the caller has left")

// downFor bounds how long a service that gave no answer is not asked again, if there is an old
// answer to give.
const downFor = 10 * time.Second

// Get returns the answer for a key. It calls Fetch if the answer is not fresh and no call is
// under way: many callers at a time share one call. If Fetch fails, an answer not older than
// MaxStale is returned instead, and the service is left alone for a while (TTL, at most 10
// s). If there is none, the error is returned.
//
// With Fetched, Fetch was called on behalf of this caller, whatever it returned. A nil
// answer without an error must not be shared.
func (c *Cache) Get(ctx context.Context, key string, source Source) (*Cached, Freshness, error) {
	for {
		e, f, answer, freshness := c.look(key, &source)
		switch {
		case answer != nil:
			return answer, freshness, nil
		case e != nil:
			c.fetch(ctx, e, f, &source)
			return f.answer, f.freshness, f.err
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, Joined, fmt.Errorf("waiting for the answer to the same question: %w", ctx.Err())
		}
		if !errors.Is(f.err, ErrLeft) {
			return f.share(ctx, &source)
		}
	}
}

// share returns the result of a call to one that has waited for it.
func (f *call) share(ctx context.Context, source *Source) (*Cached, Freshness, error) {
	switch {
	case f.err != nil:
		return nil, Joined, f.err
	case f.answer == nil:
		// The answer must not be shared; each waiter fetches its own.
		answer, err := source.Fetch(ctx)
		return answer, Fetched, err
	case f.freshness == Fetched:
		return f.answer, Joined, nil
	}
	return f.answer, f.freshness, nil
}

// look returns an answer that needs no call, or a call under way. With an entry the caller
// makes the call.
func (c *Cache) look(key string, source *Source) (e *entry, f *call, answer *Cached, freshness Freshness) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Asked before the lock, a caller could be untrusted and yet find the answer to the call by
	// which it became trusted: it would ask the service once more.
	trusted := source.Trusted()
	if e = c.entry(key); e.cached != nil {
		age := c.Now().Sub(e.cached.At)
		switch {
		case trusted && age < source.TTL:
			return nil, nil, e.cached, Fresh
		case e.rests(source.Group, c.Now().Add(-min(source.TTL, downFor))) && age < source.MaxStale:
			return nil, nil, e.cached, Stale
		}
	}
	caller := source.Caller
	if trusted {
		caller = source.Group
	}
	if f = e.calls[caller]; f == nil {
		// By the call under way the caller may just have become trusted.
		f = e.calls[source.Caller]
	}
	if f != nil {
		return nil, f, nil, 0
	}
	f = &call{done: make(chan struct{}), err: errAbandoned}
	e.calls[caller] = f
	return e, f, nil, 0
}

// rests reports whether the service gave no answer since then, or the group could not ask it.
func (e *entry) rests(group string, since time.Time) bool {
	return e.failed.After(since) || e.unable[group].After(since)
}

// errAbandoned is the result for the waiters of a Fetch that panics.
var errAbandoned = errors.New("the question was given up")

// entry returns the entry of a key. The caller holds mu.
func (c *Cache) entry(key string) *entry {
	if c.entries == nil {
		c.entries = map[string]*entry{}
	}
	e, ok := c.entries[key]
	if !ok {
		e = &entry{calls: map[string]*call{}}
		c.evict()
		c.entries[key] = e
	}
	return e
}

// evict makes room for one more. The caller holds mu.
func (c *Cache) evict() {
	for key, e := range c.entries {
		if len(c.entries) < maxCached {
			return
		}
		if len(e.calls) == 0 {
			delete(c.entries, key)
		}
	}
}

// fetch calls Fetch, once for this call, and wakes the waiters.
func (c *Cache) fetch(ctx context.Context, e *entry, f *call, source *Source) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.DeleteFunc(e.calls, func(_ string, other *call) bool { return other == f })
		close(f.done)
	}()
	if f.answer, f.freshness = c.recall(ctx, e, source), Fresh; f.answer != nil {
		f.err = nil
		return
	}
	answer, err := source.Fetch(ctx)
	before := c.finish(e, f, answer, err, source)
	if before != nil && err == nil && answer != nil && source.Replaced != nil {
		source.Replaced(before, answer)
	}
}

// finish takes the result of Fetch, and returns the answer from before.
func (c *Cache) finish(e *entry, f *call, answer *Cached, err error, source *Source) (before *Cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = e.cached
	f.answer, f.freshness, f.err = answer, Fetched, err
	switch {
	case errors.Is(err, ErrLeft):
		return before
	case err == nil:
		e.failed = time.Time{}
		delete(e.unable, source.Group)
		if answer != nil {
			e.cached = answer
		}
		return before
	case before != nil && c.Now().Sub(before.At) < source.MaxStale:
		f.answer, f.freshness, f.err = before, Stale, nil
	}
	switch {
	case !errors.Is(err, ErrNotAsked):
		e.failed = c.Now()
	case e.unable == nil:
		e.unable = map[string]time.Time{source.Group: c.Now()}
	default:
		e.unable[source.Group] = c.Now()
	}
	return before
}

// recall looks for an answer from before the start, once for an entry, and returns it if
// it can be given without asking.
func (c *Cache) recall(ctx context.Context, e *entry, source *Source) *Cached {
	c.mu.Lock()
	done := e.recalled
	c.mu.Unlock()
	if done || source.Recall == nil {
		return nil
	}
	known, err := source.Recall(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	// Asked before the lock, a caller could be untrusted and yet find the answer to the call by
	// which it became trusted: it would ask the service once more.
	trusted := source.Trusted()
	e.recalled = err == nil
	if known == nil || e.cached != nil {
		return nil
	}
	if now := c.Now(); known.At.After(now) {
		// The clock has been set back since: its age is unknown, so it is not fresh.
		known = &Cached{Answer: known.Answer, At: now.Add(-source.TTL)}
	}
	e.cached = known
	if trusted && c.Now().Sub(known.At) < source.TTL {
		return known
	}
	return nil
}
