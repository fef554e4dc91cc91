package trail

import (
	"context"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
)

// WitnessedBy returns a handle on a trail for its witnesses.
func WitnessedBy(handle *app.Handle[*Trail]) cosigned.Handle {
	return cosigned.Handle{Key: handle.Key, Enter: func(ctx context.Context) (cosigned.Source, func(), error) {
		t, leave, err := handle.Enter(ctx)
		return t, leave, err
	}}
}

// Cosigned returns the keeper of the checkpoints that witnesses have cosigned.
func (t *Trail) Cosigned() *cosigned.Keeper { return t.cosigned }

// Size returns the number of records in the log.
func (t *Trail) Size() uint64 { return t.writer.Size() }
