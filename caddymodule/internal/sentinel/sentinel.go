package sentinel

import (
	"bytes"
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// How often the tip is kept, if the log has grown, and how often the server of a store is looked at.
const (
	keepEvery = 3 * time.Second
	lookEvery = 5 * time.Minute
	// lookWithin bounds one look.
	lookWithin = 10 * time.Second
)

// Settings are the settings of a Sentinel.
type Settings struct {
	Log   string
	Store audit.Store
	// Checkpoint returns the newest durable checkpoint, a signed note.
	Checkpoint func() []byte
	Tip        Tip
	Logger     *zap.Logger
	// Every is how often the tip is kept, every three seconds if it is 0.
	Every time.Duration
}

// Sentinel watches over a trail. It is made by Start.
type Sentinel struct {
	settings Settings
	cancel   context.CancelFunc
	done     sync.WaitGroup
	hazards  atomic.Pointer[[]audit.Hazard]

	// What follows belongs to the goroutine, and to Close after it.
	kept    []byte
	failing bool
}

// Start begins to watch. The caller ends that with Close.
func Start(settings Settings) *Sentinel {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Sentinel{settings: settings, cancel: cancel}
	s.hazards.Store(new([]audit.Hazard))
	live.Add(s)
	panics.Go(&s.done, "watching over the trail", func() { s.run(ctx) })
	return s
}

// Close ends the goroutine, and keeps the tip a last time. The trail must have written its last record.
func (s *Sentinel) Close() {
	live.Remove(s)
	s.cancel()
	s.done.Wait()
	s.keep()
}

func (s *Sentinel) run(ctx context.Context) {
	s.keep()
	s.look(ctx)
	looked := time.Now()
	keeping := time.NewTicker(cmp.Or(s.settings.Every, keepEvery))
	defer keeping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-keeping.C:
		}
		s.keep()
		if time.Since(looked) > lookEvery {
			s.look(ctx)
			looked = time.Now()
		}
	}
}

// keep writes the tip if the log has grown since.
func (s *Sentinel) keep() {
	newest := s.settings.Checkpoint()
	if bytes.Equal(newest, s.kept) {
		return
	}
	err := s.settings.Tip.keep(newest, s.kept == nil)
	switch {
	case err == nil:
		s.kept, s.failing = newest, false
	case !s.failing: // tried again at the next tick, said once
		s.failing = true
		s.settings.Logger.Warn("the newest checkpoint could not be kept beside the private key: a later start may not notice if the log loses its end",
			zap.String("log", s.settings.Log), zap.Error(err))
	}
}

// look reads the hazards, and logs those that are new. A server that does not answer keeps those that
// are known.
func (s *Sentinel) look(ctx context.Context) {
	store, ok := s.settings.Store.(audit.Hazardous)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	found, err := store.Hazards(ctx)
	if err != nil {
		return // the commits meet the same server, and have a caller
	}
	known := map[audit.HazardKind]bool{}
	for _, hazard := range *s.hazards.Swap(&found) {
		known[hazard.Kind] = true
	}
	for _, hazard := range found {
		if !known[hazard.Kind] {
			s.settings.Logger.Warn("the database may lose acknowledged records", zap.String("log", s.settings.Log),
				zap.String("hazard", hazard.Found), zap.String("cure", hazard.Cure))
		}
	}
}
