package timestamped

import "time"

// Limit sets how long a request may take.
func (s *Stamper) Limit(d time.Duration) { s.authority.limit = d }
