package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

const (
	// keepTimeout bounds one try to keep a checkpoint.
	keepTimeout = 10 * time.Second
	// lastKeepTimeout bounds the last one, for which a reload or a stop waits.
	lastKeepTimeout = 3 * time.Second
)

// keeper keeps the newest checkpoint of a trail at one place, as long as its configuration
// runs. It has one goroutine, between Start and Stop.
type keeper struct {
	place    Destination
	interval time.Duration
	source   Handle
	logger   *zap.Logger
	now      func() time.Time

	cancel context.CancelFunc // nil before Start
	done   chan struct{}      // closed when the goroutine has ended

	mu sync.Mutex // guards what follows
	// kept is the checkpoint that is known to be there, at when it was last known to be
	// the newest; both are zero before.
	kept []byte
	at   time.Time
	// problem is why the newest checkpoint is not there, nil if it is.
	problem error
}

// Handle leads to a source that outlives configurations.
type Handle struct {
	// Key is the same for two handles of one source.
	Key string
	// Enter returns the source, and what is to be called once to leave it again.
	Enter func(context.Context) (of Source, leave func(), err error)
}

func New(p Destination, interval time.Duration, source Handle, logger *zap.Logger) *keeper {
	return &keeper{
		place: p, interval: interval, source: source, now: time.Now,
		logger: logger.With(zap.String("checkpoint_to", p.address())), done: make(chan struct{}),
	}
}

// Start begins to keep, at once and then at each interval.
func (k *keeper) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	checkpointKept.Add(k)
	go func() {
		defer close(k.done)
		defer panics.Catch(taskKeep, nil)
		k.run(ctx)
	}()
}

// Stop keeps the newest checkpoint for the last time and ends the goroutine. The lease is
// closed after it.
func (k *keeper) Stop() {
	if k.cancel == nil {
		return // the configuration did not start
	}
	k.cancel()
	<-k.done
	ctx, cancel := context.WithTimeout(context.Background(), lastKeepTimeout)
	defer cancel()
	k.try(ctx)
	checkpointKept.Remove(k)
}

// taskKeep is what a panic is told to have happened in.
const taskKeep = "keeping the newest checkpoint elsewhere"

func (k *keeper) run(ctx context.Context) {
	ticker := time.NewTicker(k.interval)
	defer ticker.Stop()
	for {
		one, cancel := context.WithTimeout(ctx, keepTimeout)
		k.try(one)
		cancel()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// try keeps the newest checkpoint if it is not known to be there.
func (k *keeper) try(ctx context.Context) {
	defer panics.Catch(taskKeep, nil) // the next try comes with the next interval
	of, leave, err := k.source.Enter(ctx)
	if err != nil {
		return // there is no trail; who needs it says so
	}
	defer leave()
	k.mu.Lock()
	kept := k.kept
	k.mu.Unlock()
	if newest := of.Checkpoint(); bytes.Equal(newest, kept) {
		k.saw(newest, nil, false)
		return
	}
	kept, err = k.place.keep(ctx, of)
	if errors.Is(ctx.Err(), context.Canceled) && err != nil {
		return // Stop has cut it off, and tries again itself
	}
	k.saw(kept, err, true)
}

// saw takes note of a try. It is logged when it went otherwise than the one before.
func (k *keeper) saw(kept []byte, err error, posted bool) {
	k.mu.Lock()
	before := resultOf(k.problem)
	k.problem = err
	if err == nil {
		k.kept, k.at = kept, k.now()
	}
	k.mu.Unlock()
	result := resultOf(err)
	if posted {
		checkpointPosts.WithLabelValues(result).Inc()
	}
	if result == before {
		return
	}
	switch result {
	case resultKept:
		k.logger.Info("the newest checkpoint is kept elsewhere again")
	case resultUnsound:
		k.logger.Error("the trail is not a continuation of the checkpoint that was kept: what is kept stays as it is", zap.Error(err))
	default:
		k.logger.Error("the newest checkpoint could not be kept elsewhere", zap.Error(err))
	}
}

// The results of a try, which label a metric.
const (
	resultKept    = "kept"
	resultUnsound = "unsound"
	resultNotKept = "failed"
)

func resultOf(err error) string {
	switch {
	case err == nil:
		return resultKept
	case errors.Is(err, audit.ErrUnsound):
		return resultUnsound
	}
	return resultNotKept
}

// state returns when the newest checkpoint was last known to be kept (zero: never), and
// why it is not.
func (k *keeper) state() (at time.Time, problem error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.at, k.problem
}
