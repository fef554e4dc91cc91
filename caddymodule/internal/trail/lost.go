package trail

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// Lost returns an error that wraps audit.ErrLost if the files of the store are gone. A trail that
// has lost them accepts no record any more: only a start can tell which records are still there.
func (t *Trail) Lost() error {
	attached, ok := t.Store.(audit.Attached)
	if !ok {
		return nil
	}
	err := attached.Attached()
	t.noteLost(err)
	return err
}

// noteLost logs, the first time, that the files of the store are gone.
func (t *Trail) noteLost(err error) {
	if errors.Is(err, audit.ErrLost) {
		t.lost.Do(func() {
			trailLogger().Error("the files of the trail are gone: it accepts no record any more, until the gateway is started again",
				zap.String("log", t.Log), zap.Uint64("records", t.Size()), zap.Error(err))
		})
	}
}

// reportLost logs at the end of a trail that its files are gone.
func (t *Trail) reportLost() {
	if err := t.Lost(); err != nil {
		trailLogger().Error("the trail is closed without its files: its records end with this process, if there is no backup",
			zap.String("log", t.Log), zap.Uint64("records", t.Size()), zap.Error(err))
	}
}

// Owing returns the error of a record that is not tried because others wait before it. It names a
// store that has lost its files, which will never take them.
func (t *Trail) Owing() error {
	if err := t.Lost(); err != nil {
		return fmt.Errorf("%w: %w", errBacklog, err)
	}
	return errBacklog
}
