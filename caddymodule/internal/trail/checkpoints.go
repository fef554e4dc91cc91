package trail

import (
	"context"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
)

// CheckpointsOf returns a handle on the checkpoints of a trail.
func CheckpointsOf(handle *app.Handle[*Trail]) checkpoint.Handle {
	return checkpoint.Handle{Key: handle.Key, Enter: func(ctx context.Context) (checkpoint.Source, func(), error) {
		t, leave, err := handle.Enter(ctx)
		return t, leave, err
	}}
}
