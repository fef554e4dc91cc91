package trail

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/starts"
)

// logStart records which program writes from now on, once for each time that the process opens the trail. A
// reload goes on with the same program.
func (t *Trail) logStart(now time.Time) error {
	if t.started.Swap(true) {
		return nil
	}
	r, err := starts.Record(t.Log, now)
	if err != nil {
		trailLogger().Warn("the record of this start does not have the digest of the program", zap.String("log", t.Log), zap.Error(err))
	}
	if _, err := t.Append(r, nil); err != nil {
		t.started.Store(false)
		return fmt.Errorf("recording the start of the gateway: %w", err)
	}
	return nil
}
