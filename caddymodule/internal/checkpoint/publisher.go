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
	// publishTimeout bounds one attempt to publish.
	publishTimeout = 10 * time.Second
	// lastPublishTimeout bounds the last attempt, for which a reload or a stop waits.
	lastPublishTimeout = 3 * time.Second
)

// Publisher publishes the newest checkpoint of a trail to one destination while its
// configuration runs. It has one goroutine, between Start and Stop.
type Publisher struct {
	destination Destination
	interval    time.Duration
	source      Handle
	logger      *zap.Logger
	now         func() time.Time

	cancel context.CancelFunc // nil before Start
	done   chan struct{}      // closed when the goroutine has ended

	mu sync.Mutex // guards what follows
	// kept is the checkpoint that is known to be there. at is when it was last known to be the
	// newest. Both are zero before the first success.
	kept []byte
	at   time.Time
	// problem is why the newest checkpoint is not there, nil if it is.
	problem error
}

// Handle gives access to a source that outlives configurations.
type Handle struct {
	// Key is the same for all handles of one source.
	Key string
	// Enter returns the source, and a function to be called once to leave it.
	Enter func(context.Context) (of Source, leave func(), err error)
}

// New returns a publisher of the source's checkpoints. It does nothing before Start.
func New(d Destination, interval time.Duration, source Handle, logger *zap.Logger) *Publisher {
	return &Publisher{
		destination: d, interval: interval, source: source, now: time.Now,
		logger: logger.With(zap.String("checkpoint_to", d.address())), done: make(chan struct{}),
	}
}

// Start publishes at once and then at each interval.
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

// Stop publishes the newest checkpoint for the last time and ends the goroutine. The source's
// handle must be stopped after it.
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

// taskPublish names the task in the report of a panic.
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

// try publishes the newest checkpoint if it is not known to be there.
func (p *Publisher) try(ctx context.Context) {
	defer panics.Catch(taskPublish, nil) // the next try comes with the next interval
	of, leave, err := p.source.Enter(ctx)
	if err != nil {
		return // the trail is not open, which its handlers report
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
		return // Stop has interrupted it, and tries again
	}
	p.observe(kept, err, true)
}

// observe notes the result of an attempt. It is logged if it differs from the one before.
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
		p.logger.Error("the trail does not continue the checkpoint that is kept elsewhere, which stays as it is", zap.Error(err))
	default:
		p.logger.Error("the newest checkpoint could not be kept elsewhere", zap.Error(err))
	}
}

// The results of an attempt, which label a metric.
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

// state returns when the newest checkpoint was last known to be published (zero: never), and why
// it is not.
func (p *Publisher) state() (at time.Time, problem error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.problem
}
