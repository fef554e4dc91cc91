package timestamped

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/panics"
)

const (
	// turnTime bounds an attempt.
	turnTime = 30 * time.Second
	// refreshAfter is the age from which on the checkpoint of a log that does not grow is stamped again.
	refreshAfter = 24 * time.Hour
)

// Source is a trail whose checkpoints are stamped.
type Source interface {
	// Checkpoint returns the newest durable checkpoint, a signed note.
	Checkpoint() []byte
	// Timestamps returns where its time-stamps are kept.
	Timestamps() Shelf
}

// Handle gives access to a source that outlives configurations.
type Handle struct {
	// Key is the same for all handles of one source.
	Key string
	// Enter returns the source, and a function to be called once to leave it.
	Enter func(context.Context) (of Source, leave func(), err error)
}

// Clock is the time of a stamper.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// Stamper has the checkpoints of one trail stamped while its configuration runs. It has one goroutine, between Start
// and Stop.
type Stamper struct {
	authority *Authority
	source    Handle
	clock     Clock
	random    io.Reader
	logger    *zap.Logger

	cancel  context.CancelFunc // nil before Start
	running sync.WaitGroup

	mu    sync.Mutex // guards state
	state state
}

// state is how it stands, as far as it is known.
type state struct {
	// kept is the newest stamp, nil for none. at is when the newest checkpoint was last known to be stamped, zero for
	// never.
	kept *Kept
	at   time.Time
	// problem is why the newest checkpoint is not stamped, nil if it is. failures counts the attempts since it was.
	problem  error
	failures int
}

// New returns a stamper of the source's checkpoints. It does nothing before Start.
func New(authority *Authority, source Handle, logger *zap.Logger, clock Clock) *Stamper {
	return &Stamper{
		authority: authority, source: source, clock: clock, random: rand.Reader,
		logger: logger.With(zap.String("timestamp", authority.address())),
	}
}

// taskStamp names the task in the report of a panic.
const taskStamp = "having checkpoints stamped"

// Start begins to ask.
func (s *Stamper) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	live.Add(s)
	panics.Go(&s.running, taskStamp, func() { s.run(ctx) })
}

// Stop ends the goroutine. The source's handle must be stopped after it.
func (s *Stamper) Stop() {
	if s.cancel == nil {
		return // the configuration did not start
	}
	s.cancel()
	s.running.Wait()
	live.Remove(s)
}

func (s *Stamper) run(ctx context.Context) {
	for {
		one, cancel := context.WithTimeout(ctx, turnTime)
		s.turn(one)
		cancel()
		select {
		case <-s.clock.After(s.pause()):
		case <-ctx.Done():
			return
		}
	}
}

// pause returns how long to wait for the next turn.
func (s *Stamper) pause() time.Duration {
	s.mu.Lock()
	failures := s.state.failures
	s.mu.Unlock()
	return outside.Pause(s.authority.every, failures)
}

// turn has the newest checkpoint stamped, if it is not.
func (s *Stamper) turn(ctx context.Context) {
	defer panics.Catch(taskStamp, nil) // the next turn comes
	of, leave, err := s.source.Enter(ctx)
	if err != nil {
		return // the trail is not open, which its handlers report
	}
	defer leave()
	kept, asked, err := s.try(ctx, of)
	if errors.Is(ctx.Err(), context.Canceled) && err != nil {
		return // Stop has interrupted it
	}
	if asked {
		count(resultOf(err))
	}
	s.observe(kept, err)
}

// try returns the newest stamp that is kept, also with an error. asked: a request was sent.
func (s *Stamper) try(ctx context.Context, of Source) (kept *Kept, asked bool, err error) {
	shelf, signed := of.Timestamps(), of.Checkpoint()
	checkpoint, err := audit.OpenLogCheckpoint(signed, shelf.Verifier, shelf.Log)
	if err != nil {
		return nil, false, fail(resultFailed, "reading the newest checkpoint: %v", err) // %v: no proof against the log
	}
	kept, unread := shelf.Newest(ctx)
	if unread != nil && !errors.Is(unread, ErrNone) {
		s.logger.Warn("the time-stamp that was kept cannot be read, and the newest checkpoint is stamped anew", zap.Error(unread))
	}
	if checkpoint.Size == 0 || s.stands(kept, checkpoint) {
		return kept, false, nil
	}
	query, err := s.authority.trusted.Query(signed, s.random)
	if err != nil {
		return kept, false, err
	}
	reply, err := s.authority.send(ctx, query.DER)
	if err != nil {
		return kept, true, err
	}
	if _, err := s.authority.trusted.Accept(reply, query, s.clock.Now()); err != nil {
		return kept, true, refusedOrInvalid(err)
	}
	fresh, err := shelf.keep(ctx, signed, reply, kept)
	if err != nil {
		return kept, true, err
	}
	return fresh, true, nil
}

// stands reports whether a stamp that is kept is of the checkpoint, not old, and by an authority that counts today.
func (s *Stamper) stands(kept *Kept, checkpoint audit.Checkpoint) bool {
	if kept == nil || kept.Records != checkpoint.Size || s.clock.Now().Sub(kept.Time) >= refreshAfter {
		return false
	}
	_, err := s.authority.trusted.Open(kept.Reply, kept.Checkpoint)
	return err == nil
}

// observe notes the result of a turn. It is logged if it differs from the one before.
func (s *Stamper) observe(kept *Kept, err error) {
	result := resultOf(err)
	s.mu.Lock()
	before := resultOf(s.state.problem)
	if kept != nil {
		s.state.kept = kept
	}
	s.state.problem = err
	if err == nil {
		s.state.failures, s.state.at = 0, s.clock.Now()
	} else {
		s.state.failures++
		if kept != nil && s.state.at.IsZero() {
			s.state.at = kept.Time
		}
	}
	s.mu.Unlock()
	switch {
	case result == before:
	case err == nil:
		s.logger.Info("the authority stamps again")
	default:
		s.logger.Error("the newest checkpoint has no time-stamp", zap.String("result", result), zap.Error(err))
	}
}
