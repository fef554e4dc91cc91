package gateway

import "github.com/fielato/fielato/internal/clocks"

// SetInstant changes the clock that measures how long a request has been ready, and returns
// what undoes it. No exchange may be under way.
func SetInstant(now func() clocks.Instant) (undo func()) {
	before := instant
	instant = now
	return func() { instant = before }
}
