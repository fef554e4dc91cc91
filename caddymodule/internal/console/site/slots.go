package site

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// Slots bound how many do something at a time: as many as the channel has room for.
type Slots chan struct{}

// Enter waits for a slot, for so long at the most (ErrBusy); 0 does not wait. Leave gives the slot back.
func (s Slots) Enter(ctx context.Context, patience time.Duration) error {
	select {
	case s <- struct{}{}:
		return nil
	default:
	}
	if patience <= 0 {
		return ErrBusy
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return ErrBusy
	}
}

// Leave gives a slot back.
func (s Slots) Leave() { <-s }

// LogUnfinished logs why an answer that had begun was not finished, unless its reader has left.
func (s *Site) LogUnfinished(r *http.Request, what string, err error) {
	if r.Context().Err() == nil {
		s.Logger.Error(what, zap.String("path", r.URL.Path), zap.Error(err))
	}
}
