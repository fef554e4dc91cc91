package cosigned

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/panics"
)

const (
	// firstTime bounds the first attempt, for which a start waits, and lastTime the last one, for which a reload or a
	// stop waits.
	firstTime = 5 * time.Second
	lastTime  = 3 * time.Second
	// turnTime bounds all requests of an attempt.
	turnTime = 30 * time.Second
)

// Handle gives access to a source that outlives configurations.
type Handle struct {
	// Key is the same for all handles of one source.
	Key string
	// Enter returns the source, and a function to be called once to leave it.
	Enter func(context.Context) (of Source, leave func(), err error)
}

// Clock is the time of a group.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// Group asks the witnesses of one trail while its configuration runs. Each has a goroutine between Start and Stop.
type Group struct {
	policy *Policy
	source Handle
	clock  Clock
	logger *zap.Logger

	members []*member
	cancel  context.CancelFunc // nil before Start
	running sync.WaitGroup
	first   sync.Once
	atStart error // the result of First

	mu sync.Mutex // guards target
	// target is the checkpoint that all witnesses are asked for.
	target []byte
}

// member is a witness of a group.
type member struct {
	*Witness
	group  *Group
	logger *zap.Logger

	mu    sync.Mutex // guards state
	state state
}

// state is the state of a witness, as far as it is known.
type state struct {
	// size is the number of records that it has signed last. at is when the target of that moment was last known to be
	// signed. Both are zero before the first success.
	size uint64
	at   time.Time
	// problem is why the target is not signed, nil if it is. failures counts the attempts since it was.
	problem  error
	failures int
	// done is the target that is known to be signed.
	done []byte
}

// New returns a group. It does nothing before First or Start.
func New(policy *Policy, source Handle, logger *zap.Logger, clock Clock) *Group {
	g := &Group{policy: policy, source: source, clock: clock, logger: logger}
	for _, w := range policy.witnesses {
		g.members = append(g.members, &member{Witness: w, group: g, logger: logger.With(zap.String("witness", w.Name()), zap.String("url", w.address()))})
		countNothing(w.Name())
	}
	return g
}

// First asks all witnesses at once, before the log is written to. It returns an error if there is proof that the log
// does not continue what a witness has signed, or if the witnesses are required and too few have signed. It waits
// five seconds at most, and asks once however often it is called.
func (g *Group) First(ctx context.Context, of Source) error {
	if g == nil {
		return nil // nobody cosigns
	}
	g.first.Do(func() { g.atStart = g.askAll(ctx, of) })
	return g.atStart
}

func (g *Group) askAll(ctx context.Context, of Source) error {
	if err := g.policy.rule.For(of.Cosigned().log.Verifier); err != nil {
		return fmt.Errorf("witness_policy: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, firstTime)
	defer cancel()
	target := of.Checkpoint()
	g.mu.Lock()
	g.target = target
	g.mu.Unlock()
	var asked sync.WaitGroup
	for _, m := range g.members {
		panics.Go(&asked, taskAsk, func() { m.try(ctx, of, target, true) })
	}
	asked.Wait()
	var problems []error
	signed := map[string]bool{}
	for _, m := range g.members {
		_, problem := m.shown()
		if errors.Is(problem, audit.ErrUnsound) {
			return problem
		}
		if problem != nil {
			problems = append(problems, fmt.Errorf("witness %s at %s: %w", m.Name(), m.address(), problem))
			continue
		}
		signed[m.verifier.String()] = true
	}
	if g.policy.require && !g.policy.satisfied(func(key string) bool { return signed[key] }) {
		return fmt.Errorf("require_witnesses: %d of %d witnesses have signed the newest checkpoint, which is no quorum. "+
			"Make them reachable, or remove require_witnesses to start with an alert: %w", len(signed), len(g.members), errors.Join(problems...))
	}
	return nil
}

// Start begins to ask.
func (g *Group) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	for _, m := range g.members {
		live.Add(m)
		panics.Go(&g.running, taskAsk, func() { m.run(ctx) })
	}
}

// Stop ends the goroutines, and has the newest checkpoint cosigned for the last time. The source's handle must be
// stopped after it.
func (g *Group) Stop() {
	if g.cancel == nil {
		return // the configuration did not start
	}
	g.cancel()
	g.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	var last sync.WaitGroup
	for _, m := range g.members {
		if _, problem := m.shown(); problem == nil { // a stop does not wait for one that did not answer before
			panics.Go(&last, taskAsk, func() { m.turn(ctx) })
		}
	}
	last.Wait()
	for _, m := range g.members {
		live.Remove(m)
	}
}

// taskAsk names the task in the report of a panic.
const taskAsk = "having checkpoints cosigned"

func (m *member) run(ctx context.Context) {
	for {
		select {
		case <-m.group.clock.After(m.pause()):
		case <-ctx.Done():
			return
		}
		one, cancel := context.WithTimeout(ctx, turnTime)
		m.turn(one)
		cancel()
	}
}

// pause returns how long to wait for the next turn.
func (m *member) pause() time.Duration {
	m.mu.Lock()
	failures := m.state.failures
	m.mu.Unlock()
	return outside.Pause(m.every, failures)
}

// turn asks the witness once.
func (m *member) turn(ctx context.Context) {
	defer panics.Catch(taskAsk, nil) // the next turn comes
	of, leave, err := m.group.source.Enter(ctx)
	if err != nil {
		return // the trail is not open, which its handlers report
	}
	defer leave()
	m.try(ctx, of, m.group.aim(m, of.Checkpoint()), false)
}

// aim returns the checkpoint that a witness is asked for. The target stays until the witness whose turn it is has
// signed it, and so becomes the newest one: all witnesses sign the same checkpoints as far as they keep up.
func (g *Group) aim(m *member, newest []byte) []byte {
	m.mu.Lock()
	done := m.state.done
	m.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.target == nil || string(g.target) == string(done) {
		g.target = newest
	}
	return g.target
}

// try asks for the target, and notes the result.
func (m *member) try(ctx context.Context, of Source, target []byte, always bool) {
	one := &asking{Witness: m.Witness, of: of, keeper: of.Cosigned(), policy: m.group.policy, now: m.group.clock.Now}
	err := panics.Do(taskAsk, func() error { return one.ask(ctx, target, always) })
	if errors.Is(ctx.Err(), context.Canceled) && err != nil {
		return // Stop has interrupted it, and tries again
	}
	if one.sent {
		count(m.Name(), resultOf(err))
	}
	m.observe(target, of, err)
}

// observe notes the result of an attempt. It is logged if it differs from the one before.
func (m *member) observe(target []byte, of Source, err error) {
	result := resultOf(err)
	var signed Signed
	unread := err
	if err == nil {
		// Not under mu: it may wait for the store, and a scrape for mu.
		signed, unread = of.Cosigned().by(context.Background(), m.Witness, m.group.clock.Now())
	}
	m.mu.Lock()
	before := resultOf(m.state.problem)
	m.state.problem = err
	if err == nil {
		m.state.failures, m.state.done, m.state.at = 0, target, m.group.clock.Now()
	} else {
		m.state.failures++
	}
	if unread == nil {
		m.state.size = signed.Size
	}
	m.mu.Unlock()
	switch {
	case result == before:
	case err == nil:
		m.logger.Info("the witness signs again")
	default:
		m.logger.Error("the newest checkpoint is not cosigned", zap.String("result", result), zap.Error(err))
	}
}

// shown returns when the newest checkpoint was last known to be signed (zero: never), and why it is not.
func (m *member) shown() (at time.Time, problem error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.at, m.state.problem
}
