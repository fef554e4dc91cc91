package checkpoint

import (
	"context"
	"fmt"
	"sync"

	"github.com/fielato/fielato/internal/panics"
)

// turns has a channel for each file, by its path. It is full while somebody has the turn. During a reload two
// configurations publish to the same file, which must never go back to an older checkpoint.
var turns sync.Map

// turn is the right to work on a file. One goroutine uses it.
type turn struct {
	path  string
	taken chan struct{}
	// stuck: work did not end in time, and returns the turn when it does.
	stuck bool
}

// takeTurn waits for the turn. The caller leaves it.
func takeTurn(ctx context.Context, path string) (*turn, error) {
	taken, _ := turns.LoadOrStore(path, make(chan struct{}, 1))
	t := &turn{path: path, taken: taken.(chan struct{})}
	select {
	case t.taken <- struct{}{}:
		return t, nil
	case <-ctx.Done():
		return nil, t.late(ctx)
	}
}

func (t *turn) leave() {
	if !t.stuck {
		<-t.taken
	}
}

// do works on the file until the context ends. The disk may be another machine's and hang, and nothing interrupts a
// call to it: the work then goes on alone, and must use nothing of its caller.
func (t *turn) do(ctx context.Context, work func() error) error {
	done := make(chan error)
	go func() {
		err := panics.Do(taskPublish, work)
		select {
		case done <- err:
		case <-ctx.Done():
			<-t.taken
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		t.stuck = true
		return t.late(ctx)
	}
}

func (t *turn) late(ctx context.Context) error {
	return fmt.Errorf("checkpoint_to %s: the disk does not answer, check that it is mounted and reachable: %w", t.path, ctx.Err())
}
