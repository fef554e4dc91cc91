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
	publishTimeout = 10 * time.Second
	// lastKeepTimeout bounds the last one, for which a reload or a stop waits.
	lastPublishTimeout = 3 * time.Second
)

// keeper keeps the newest checkpoint of a trail at one place, as long as its configuration
// runs. It has one goroutine, between Start and Stop.
type Publisher struct {
	destination Destination
	interval    time.Duration
	source      Handle
	logger      *zap.Logger
	now         func() time.Time

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

func New(d Destination, interval time.Duration, source Handle, logger *zap.Logger) *Publisher {
	return &Publisher{
		destination: d, interval: interval, source: source, now: time.Now,
		logger: logger.With(zap.String("checkpoint_to", d.address())), done: make(chan struct{}),
	}
}

// Start begins to keep, at once and then at each interval.
func (p *Publisher) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	checkpointKept.Add(p)
	go func() {
		defer close(p.done)
		defer panics.Catch(taskPublish, nil)
		p.run(ctx)
	}()
}

// Stop keeps the newest checkpoint for the last time and ends the goroutine. The lease is
// closed after it.
func (p *Publisher) Stop() {
	if p.cancel == nil {
		return // the configuration did not start
	}
	p.cancel()
	<-p.done
	ctx, cancel := context.WithTimeout(context.Background(), lastPublishTimeout)
	defer cancel()
	p.try(ctx)
	checkpointKept.Remove(p)
}

// taskKeep is what a panic is told to have happened in.
const taskPublish = "keeping the newest checkpoint elsewhere"

func (p *Publisher) run(ctx context.Context) {
	ticker := time.NewTicker(p.interval)
	defer ticker.Stop()
	for {
		one, cancel := context.WithTimeout(ctx, publishTimeout)
		p.try(one)
		cancel()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// try keeps the newest checkpoint if it is not known to be there.
func (p *Publisher) try(ctx context.Context) {
	defer panics.Catch(taskPublish, nil) // the next try comes with the next interval
	of, leave, err := p.source.Enter(ctx)
	if err != nil {
		return // there is no trail; who needs it says so
	}
	defer leave()
	p.mu.Lock()
	kept := p.kept
	p.mu.Unlock()
	if newest := of.Checkpoint(); bytes.Equal(newest, kept) {
		p.observe(newest, nil, false)
		return
	}
	kept, err = p.destination.publish(ctx, of)
	if errors.Is(ctx.Err(), context.Canceled) && err != nil {
		return // Stop has cut it off, and tries again itself
	}
	p.observe(kept, err, true)
}

// saw takes note of a try. It is logged when it went otherwise than the one before.
func (p *Publisher) observe(kept []byte, err error, posted bool) {
	p.mu.Lock()
	before := resultOf(p.problem)
	p.problem = err
	if err == nil {
		p.kept, p.at = kept, p.now()
	}
	p.mu.Unlock()
	result := resultOf(err)
	if posted {
		checkpointPosts.WithLabelValues(result).Inc()
	}
	if result == before {
		return
	}
	switch result {
	case resultKept:
		p.logger.Info("the newest checkpoint is kept elsewhere again")
	case resultUnsound:
		p.logger.Error("the trail is not a continuation of the checkpoint that was kept: what is kept stays as it is", zap.Error(err))
	default:
		p.logger.Error("the newest checkpoint could not be kept elsewhere", zap.Error(err))
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
func (p *Publisher) state() (at time.Time, problem error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.problem
}
