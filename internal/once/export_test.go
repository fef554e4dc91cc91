package once

// SetClock has the leases run out by another clock. No lease may be held yet.
func (m *LeaseManager) SetClock(now func() Instant) { m.now = now }
