package timestamped

import (
	"context"
	"time"
)

// Limit sets how long a request may take.
func (s *Stamper) Limit(d time.Duration) { s.authority.limit = d }

// Keep keeps a stamp that was verified, as the first.
func (s Shelf) Keep(ctx context.Context, checkpoint, reply []byte) error {
	_, err := s.keep(ctx, checkpoint, reply, nil)
	return err
}
