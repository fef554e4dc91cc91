// Package clocks reads both clocks of the machine, to tell how long something has taken while the machine may have been
// suspended or its clock set. It is a package of its own because leases and exchanges both measure by it, and neither
// is a part of the other.
package clocks

import "time"

// Instant is a moment by both clocks of the machine. The monotonic one stands still while
// the machine is suspended; the wall clock is set, forwards and back.
type Instant struct {
	// Wall is the wall clock, Run how long the monotonic one has been running.
	Wall time.Time
	Run  time.Duration
}

// origin is a reading of the monotonic clock.
var origin = time.Now()

// Now returns the present moment.
func Now() Instant {
	now := time.Now()
	return Instant{Wall: now.Round(0), Run: now.Sub(origin)}
}

// Since returns how long ago an earlier moment was, by the clock that shows more: by it no
// time is left that others have counted down.
func (i Instant) Since(earlier Instant) time.Duration {
	return max(i.Run-earlier.Run, i.Wall.Sub(earlier.Wall))
}
