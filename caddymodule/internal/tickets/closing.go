package tickets

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/internal/panics"
)

// closeWithin is how long closing waits for a login under way: its ticket would be lost, and there
// is no other for some minutes.
const closeWithin = 30 * time.Second

// closing are the keepers that are being closed.
var closing metrics.Live[*pooled]

// Close implements io.Closer. It does not wait until the keeper is closed, for all keepers of a configuration close
// at the same time: each may have a login under way that hangs. awaitClosed waits for them.
//
// The same keeper may be opened again meanwhile. It cannot log in before this one has returned the lease, and then
// finds what that has saved.
func (p *pooled) Close() error {
	live.Remove(p.keeper)
	lent.Remove(p)
	closing.Add(p)
	go func() {
		defer close(p.closed)
		defer closing.Remove(p)
		defer panics.Catch("closing the keeper of a ticket", nil)
		ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
		defer cancel()
		if err := errors.Join(p.keeper.Close(ctx), p.closeStore()); err != nil {
			logger().Error("closing the keeper of a ticket", zap.Error(err))
		}
	}()
	return nil
}

// awaitClosed waits for the keepers that are being closed.
func awaitClosed() {
	for _, p := range closing.All() {
		<-p.closed
	}
}
