package sentinel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// hazardous is a store whose server has these hazards, or does not answer.
type hazardous struct {
	audit.Store
	mu    sync.Mutex
	found []audit.Hazard
	err   error
}

func (h *hazardous) Hazards(context.Context) ([]audit.Hazard, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.found, h.err
}

func (h *hazardous) set(found []audit.Hazard, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found, h.err = found, err
}

// TestAHazardIsSaidOnce, and stays known while the server does not answer.
func TestAHazardIsSaidOnce(t *testing.T) {
	core, logged := observer.New(zap.WarnLevel)
	store := &hazardous{Store: audittest.NewMemory()}
	s := Start(Settings{Log: "edge-1", Store: store, Checkpoint: func() []byte { return nil }, Logger: zap.New(core), Every: time.Hour})
	s.Close() // from here on the test looks, not the goroutine
	off := []audit.Hazard{{Kind: audit.HazardCommit, Found: "synchronous_commit is off", Cure: "set it to on"}}
	for _, step := range []struct {
		found []audit.Hazard
		err   error
		said  int
		known int
	}{
		{nil, nil, 0, 0}, {off, nil, 1, 1}, {off, nil, 1, 1}, {nil, errors.New("gone"), 1, 1}, {nil, nil, 1, 0}, {off, nil, 2, 1},
	} {
		store.set(step.found, step.err)
		s.look(t.Context())
		if said, known := logged.Len(), len(*s.hazards.Load()); said != step.said || known != step.known {
			t.Errorf("%+v: said %d times, %d known", step, said, known)
		}
	}
	if line := logged.All()[0]; !strings.Contains(line.ContextMap()["cure"].(string), "on") {
		t.Errorf("%v", line.ContextMap())
	}
}
