package trail

import (
	"context"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
)

// StampedBy returns a handle on a trail for its time-stamping authority.
func StampedBy(handle *app.Handle[*Trail]) timestamped.Handle {
	return timestamped.Handle{Key: handle.Key, Enter: func(ctx context.Context) (timestamped.Source, func(), error) {
		t, leave, err := handle.Enter(ctx)
		return t, leave, err
	}}
}

// Timestamps returns where the time-stamps of the checkpoints are kept.
func (t *Trail) Timestamps() timestamped.Shelf {
	return timestamped.Shelf{Store: t.Store, Log: t.Log, Verifier: t.publicKey}
}
