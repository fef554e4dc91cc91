package once

import "time"

// Instant is a moment by both clocks of the machine. The one that only runs stands still
// while the machine is suspended; the one on the wall is set, forwards and back.
type Instant struct {
	// Wall is what the clock on the wall shows, Run how long the other one has been running.
	Wall time.Time
	Run  time.Duration
}

// origin has a reading of the clock that only runs.
var origin = time.Now()

// Now returns the present moment.
func Now() Instant {
	now := time.Now()
	return Instant{Wall: now.Round(0), Run: now.Sub(origin)}
}

// Since returns how long ago an earlier moment was, by the clock that says more: who goes by
// it never believes that there is time which others have counted down.
func (i Instant) Since(earlier Instant) time.Duration {
	return max(i.Run-earlier.Run, i.Wall.Sub(earlier.Wall))
}
