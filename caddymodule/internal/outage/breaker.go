package outage

import (
	"sync"
	"time"
)

// Breaker is a circuit breaker for a service that stops answering. It is safe for concurrent
// use. Threshold, Cooldown and Now must be set before it is used; Tune changes the first two
// later.
//
// It is closed while the service answers. After Threshold failures in a row it opens: Allow
// then denies, except to one caller after each Cooldown, which may find out whether the
// service answers again (Probe).
//
// A service may answer queries and leave every operation that changes something without an
// answer. So there are two streaks of failures, one of all operations and one of those that
// change something. The answer to a query does not end the second.
type Breaker struct {
	// Threshold is how many failures in a row open the breaker, Cooldown the time between
	// two probes, Now the clock.
	Threshold int
	Cooldown  time.Duration
	Now       func() time.Time

	mu      sync.Mutex // guards the rest, and Threshold and Cooldown once it is used
	streaks [2]streak  // by Scope
	// open is the streak that opened it, nil while it is closed.
	open    *streak
	next    time.Time // when the next probe is due
	probing bool
}

// Scope is the kind of operations that a service does not answer.
type Scope uint8

const (
	// Everything: queries are not answered either.
	Everything Scope = iota
	// Changes: operations that change something, while queries are answered.
	Changes
)

// streak is a number of failures in a row.
type streak struct {
	scope    Scope
	failures int
	first    time.Time
}

func (r *streak) fail(at time.Time) {
	if r.failures == 0 {
		r.first = at
	}
	r.failures++
}

// Tune sets Threshold and Cooldown. It does not end an outage.
func (b *Breaker) Tune(threshold int, rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Threshold, b.Cooldown = threshold, rest
}

// Restore opens the breaker as it was before a restart: since the given time, after that many
// failures. A probe is due at once.
func (b *Breaker) Restore(scope Scope, since time.Time, failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streaks[scope] = streak{scope, failures, since}
	b.open, b.next = &b.streaks[scope], b.Now()
}

// Permission is the answer of Allow.
type Permission uint8

const (
	// Pass: send the request.
	Pass Permission = iota
	// Probe: query the service first, report the result (Answered, Failed), and call
	// EndProbe in any case: no other caller may probe until then. If the scope is Changes,
	// only a request that changes something shows whether the outage is over: send it if
	// the queries were answered.
	Probe
	// Deny: send nothing.
	Deny
)

// Allow returns whether a request may be sent, and if not, how long to wait.
func (b *Breaker) Allow() (Permission, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.Now()
	switch {
	case b.open == nil:
		return Pass, 0
	case !b.probing && !now.Before(b.next):
		b.probing = true
		return Probe, 0
	}
	return Deny, max(b.next.Sub(now), time.Second)
}

// EndProbe ends a probe. Unless the service has answered, the next is due after Cooldown.
func (b *Breaker) EndProbe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing, b.next = false, b.Now().Add(b.Cooldown)
}

// Denies reports whether Allow would return Deny, and how long to wait then. It does not
// begin a probe.
func (b *Breaker) Denies() (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := b.next.Sub(b.Now())
	return max(wait, time.Second), b.open != nil && (b.probing || wait > 0)
}

// StateChange is the beginning or the end of an outage.
type StateChange struct {
	// Scope is what was not answered.
	Scope Scope
	// Began is the time of the first failure, Ended the time of the first answer after it: zero while it
	// lasts.
	Began, Ended time.Time
	// Failures is the number of failures in a row so far.
	Failures int
}

// Answered records an answer of the service to an operation of the scope. It returns the end
// of the outage, nil if there was none.
func (b *Breaker) Answered(scope Scope) *StateChange {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ended *StateChange
	if b.open != nil && (scope == Changes || b.open.scope == Everything) {
		ended = &StateChange{b.open.scope, b.open.first, b.Now(), b.open.failures}
		if ended.Ended.Before(ended.Began) { // the clock was set back meanwhile
			ended.Ended = ended.Began
		}
		b.open = nil
	}
	b.streaks[Everything].failures = 0
	if scope == Changes || ended != nil {
		b.streaks[Changes].failures = 0
	}
	return ended
}

// Failed records a failure in the given scopes. A request that was sent before an answer and
// fails after it must not count in a scope whose streak that answer has ended. Failed returns
// the outage that begins, nil for none. A failure while the breaker is open does not postpone
// the next probe: queries may fail all the time.
func (b *Breaker) Failed(at time.Time, scopes ...Scope) *StateChange {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, scope := range scopes {
		b.streaks[scope].scope = scope
		b.streaks[scope].fail(at)
	}
	if b.open != nil {
		return nil
	}
	for i := range b.streaks { // Everything first: it includes the other
		if r := &b.streaks[i]; r.failures >= b.Threshold {
			b.open, b.next = r, b.Now().Add(b.Cooldown)
			return &StateChange{Scope: r.scope, Began: r.first, Failures: r.failures}
		}
	}
	return nil
}

// Open returns the scope and the beginning of the present outage; false if the breaker is closed.
func (b *Breaker) Open() (scope Scope, since time.Time, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		return 0, time.Time{}, false
	}
	return b.open.scope, b.open.first, true
}
