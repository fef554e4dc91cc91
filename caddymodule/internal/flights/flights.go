package flights

import (
	"path"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// stopReport is the pause between two reports of a stop.
const stopReport = 5 * time.Second

// Flights are the exchanges under way of a configuration's gateways. When the servers stop, which
// may take as long as the slowest exchange, they are reported until the last is done.
type Flights struct {
	reporting sync.WaitGroup

	mu     sync.Mutex // guards what follows
	inside map[*Flight]struct{}
	// idle is closed when the last exchange is done, nil unless somebody reports.
	idle chan struct{}
}

// Flight is an exchange under way.
type Flight struct {
	all   *Flights
	path  string
	since time.Time
}

// New returns flights with nothing under way.
func New() *Flights { return &Flights{inside: map[*Flight]struct{}{}} }

// Enter adds an exchange for a path. Leave removes it.
func (f *Flights) Enter(path string, since time.Time) *Flight {
	one := &Flight{all: f, path: path, since: since}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inside[one] = struct{}{}
	return one
}

// Leave removes an exchange that has ended.
func (o *Flight) Leave() {
	f := o.all
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.inside, o)
	if len(f.inside) == 0 && f.idle != nil {
		close(f.idle)
		f.idle = nil
	}
}

// Report logs the exchanges under way, now and until the last is done. It does not wait: its
// goroutine ends with them.
func (f *Flights) Report(logger *zap.Logger) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.inside) == 0 || f.idle != nil {
		return
	}
	idle := make(chan struct{})
	f.idle = idle
	panics.Go(&f.reporting, "reporting a stop", func() {
		began := time.Now()
		ticker := time.NewTicker(stopReport)
		defer ticker.Stop()
		f.show(logger, zap.InfoLevel)
		for {
			select {
			case <-ticker.C:
				f.show(logger, zap.WarnLevel) // the exchanges of a reload are over by now, as a rule
			case <-idle:
				logger.Info("the stop or reload waits for no exchange any more", zap.Duration("waited", time.Since(began)))
				return
			}
		}
	})
}

// show logs the exchanges under way.
func (f *Flights) show(logger *zap.Logger, level zapcore.Level) {
	f.mu.Lock()
	operations, oldest := map[string]int{}, time.Duration(0)
	for one := range f.inside {
		name := "unknown"
		if op := wsfev1.OperationByName(path.Base(one.path)); op != nil {
			name = op.Name
		}
		operations[name]++
		oldest = max(oldest, time.Since(one.since))
	}
	f.mu.Unlock()
	count := 0
	for _, n := range operations {
		count += n
	}
	if count > 0 {
		logger.Log(level, "the stop or reload waits for exchanges under way", zap.Int("exchanges", count), zap.Any("operations", operations), zap.Duration("oldest", oldest))
	}
}
