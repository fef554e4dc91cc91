package outage

import (
	"sync"
	"time"
)

// Breaker tells when a service does not answer any more, so that nothing is sent to it
// for nothing. It is safe for concurrent use. Threshold, Rest and Now must be set before
// it is used; Tune changes the first two later.
//
// It is closed while the service answers. After Threshold failures in a row it opens:
// Allow then refuses, but for one caller after each Rest, who may look whether the
// service answers again (Probe).
//
// A service may answer questions and leave everything that changes something without an
// answer. So there are two streaks of failures, one of everything and one of what changes
// something: the second is not broken by the answer to a question.
type Breaker struct {
	Threshold int
	Cooldown  time.Duration
	Now       func() time.Time

	mu      sync.Mutex // guards the rest, and Threshold and Rest once it is used
	streaks [2]streak  // by Scope
	// open is the streak because of which it is open, nil while it is closed.
	open    *streak
	next    time.Time // when it may be tried again
	probing bool
}

// Scope is what a service does not answer.
type Scope uint8

const (
	// Everything: no question either.
	Everything Scope = iota
	// Changes: what changes something, while questions are answered.
	Changes
)

// streak is a number of failures without an answer between them.
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

// Tune sets Threshold and Rest. An outage that lasts goes on.
func (b *Breaker) Tune(threshold int, rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Threshold, b.Cooldown = threshold, rest
}

// Restore opens the breaker as it was before a restart: since then, after so many
// failures. It may be tried at once.
func (b *Breaker) Restore(scope Scope, since time.Time, failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streaks[scope] = streak{scope, failures, since}
	b.open, b.next = &b.streaks[scope], b.Now()
}

// Permission is what Allow says.
type Permission uint8

const (
	// Pass: send it.
	Pass Permission = iota
	// Probe: ask the service first, tell what came of it (Answered, Failed), and call
	// EndProbe in any case: until then nobody else may try. Where it is open because of
	// what changes something, only such a request shows whether that is over: send it if
	// the questions were answered.
	Probe
	// Halt: send nothing.
	Deny
)

// Allow says whether something may be sent, and if not, how long to wait.
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

// EndProbe lets somebody else try after another Rest, unless the service has answered.
func (b *Breaker) EndProbe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing, b.next = false, b.Now().Add(b.Cooldown)
}

// Halts reports whether Allow would say Halt, and how long to wait then. It claims no
// probe.
func (b *Breaker) Denies() (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := b.next.Sub(b.Now())
	return max(wait, time.Second), b.open != nil && (b.probing || wait > 0)
}

// StateChange is the beginning or the end of a time in which the service did not answer.
type StateChange struct {
	Scope Scope
	// Began is the first failure, Ended the first answer after it: zero while it lasts.
	Began, Ended time.Time
	// Failures is how many there were in a row so far.
	Failures int
}

// Answered tells that the service has answered a question, or what changes something. It
// returns the outage that this ends, nil for none.
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

// Failed tells when the service has not answered, and which streaks that belongs to: a
// request that was sent before an answer came and fails after it is of no streak which that
// answer has ended. It returns the outage that begins, nil for none. A failure while the
// breaker is open does not put the next probe off: others may go on asking, and failing,
// all the time.
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
	for i := range b.streaks { // Everything first: it is the whole of what is known
		if r := &b.streaks[i]; r.failures >= b.Threshold {
			b.open, b.next = r, b.Now().Add(b.Cooldown)
			return &StateChange{Scope: r.scope, Began: r.first, Failures: r.failures}
		}
	}
	return nil
}

// Open reports since when the service is taken not to answer, and what; false if it does.
func (b *Breaker) Open() (scope Scope, since time.Time, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		return 0, time.Time{}, false
	}
	return b.open.scope, b.open.first, true
}
