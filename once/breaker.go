package once

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
type Breaker struct {
	Threshold int
	Rest      time.Duration
	Now       func() time.Time

	mu       sync.Mutex // guards the rest, and Threshold and Rest once it is used
	failures int        // in a row
	first    time.Time  // of these failures
	open     bool
	next     time.Time // when it may be tried again
	probing  bool
}

// Tune sets Threshold and Rest. An outage that lasts goes on.
func (b *Breaker) Tune(threshold int, rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Threshold, b.Rest = threshold, rest
}

// Restore opens the breaker as it was before a restart: since then, after so many
// failures. It may be tried at once.
func (b *Breaker) Restore(since time.Time, failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open, b.first, b.failures, b.next = true, since, failures, b.Now()
}

// Permission is what Allow says.
type Permission uint8

const (
	// Pass: send it.
	Pass Permission = iota
	// Probe: ask the service first, call Report with what came of it, and EndProbe in any
	// case: until then nobody else may try.
	Probe
	// Halt: send nothing.
	Halt
)

// Allow says whether something may be sent, and if not, how long to wait.
func (b *Breaker) Allow() (Permission, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.Now()
	switch {
	case !b.open:
		return Pass, 0
	case !b.probing && !now.Before(b.next):
		b.probing = true
		return Probe, 0
	}
	return Halt, max(b.next.Sub(now), time.Second)
}

// EndProbe lets somebody else try after another Rest, unless the service has answered.
func (b *Breaker) EndProbe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing, b.next = false, b.Now().Add(b.Rest)
}

// Halts reports whether Allow would say Halt, and how long to wait then. It claims no
// probe.
func (b *Breaker) Halts() (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := b.next.Sub(b.Now())
	return max(wait, time.Second), b.open && (b.probing || wait > 0)
}

// Outage is a time in which the service did not answer.
type Outage struct {
	// Began is the first failure, Ended the first answer after it: zero while it lasts.
	Began, Ended time.Time
	// Failures is how many there were in a row so far.
	Failures int
}

// Report tells of an answer or of none. It returns the outage that begins or ends with
// it, nil for none. A failure while it is open does not put the next probe off: others
// may go on asking, and failing, all the time.
func (b *Breaker) Report(answered bool) *Outage {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.Now()
	if answered {
		ended := b.open
		outage := &Outage{Began: b.first, Ended: now, Failures: b.failures}
		b.open, b.failures = false, 0
		if ended {
			return outage
		}
		return nil
	}
	if b.failures == 0 {
		b.first = now
	}
	b.failures++
	if b.open || b.failures < b.Threshold {
		return nil
	}
	b.open, b.next = true, now.Add(b.Rest)
	return &Outage{Began: b.first, Failures: b.failures}
}

// Open reports since when the service is taken not to answer; false if it does.
func (b *Breaker) Open() (since time.Time, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.first, b.open
}
