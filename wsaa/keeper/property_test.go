package keeper_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
)

// TestWhateverHappens: nodes come, die and are stopped, their clocks are wrong, the login service
// fails in all its ways, the store fails, tickets are refused, somebody asks for logins. Never are there two logins at once, never
// is a ticket used in its last ten minutes, never does a node ask again within a minute, or five seconds after
// what a person has mended, and never within the window of a ticket that it knows. When all is well again each node has a ticket.
func TestWhateverHappens(t *testing.T) {
	for seed := range testrun.Size(t, 8, 60) {
		inWorld(t, uint64(seed), func(w *world) {
			c := &chaos{w: w, seed: seed, last: map[*node]call{}}
			for range 1 + w.random.IntN(3) {
				c.join()
			}
			for range 100 {
				c.step()
				c.look()
			}
			c.calm()
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// chaos is what happens to a world.
type chaos struct {
	w     *world
	seed  int
	alive []*node
	// asked: somebody has asked for a login.
	asked bool
	// last is the last login of each node.
	last map[*node]call
}

// call is a login.
type call struct {
	ended time.Time
	code  string
}

func (c *chaos) join() {
	skew := time.Duration(c.w.random.Int64N(int64(40*time.Minute))) - 20*time.Minute
	if c.w.random.IntN(2) == 0 {
		skew = 0
	}
	var n *node
	n = c.w.prepare(skew, func(config *keeper.Config) {
		inner := config.Login
		config.Login = func(ctx context.Context, service string, skew time.Duration) (client.Result, error) {
			c.begins(n)
			result, err := inner(ctx, service, skew)
			code := ""
			if failed, ok := errors.AsType[*client.Error](err); ok {
				code = failed.Code
			}
			c.w.store.mu.Lock()
			c.last[n] = call{time.Now(), code}
			c.w.store.mu.Unlock()
			return result, err
		}
	})
	n.keeper.Start()
	c.alive = append(c.alive, n)
}

// begins checks that a login does not come too early after the one before.
func (c *chaos) begins(n *node) {
	c.w.store.mu.Lock()
	last, again := c.last[n]
	c.w.store.mu.Unlock()
	if !again {
		return
	}
	least := time.Minute
	switch last.code {
	case "", wsaa.AlreadyAuthenticated:
		least = 10 * time.Minute
	case wsaa.GenerationTimeInvalid, wsaa.ExpirationTimeExpired, wsaa.ExpirationTimeInvalid:
		least = 2 * time.Second
	default:
		if fault := client.Fault(last.code); fault != nil && fault.Advice == client.Stop && c.asked {
			least = 5 * time.Second
		}
	}
	// The window is counted from when the service answered, up to ten seconds before.
	if between := time.Since(last.ended); between < least-time.Second/2 && (least < 10*time.Minute || between < least-10*time.Second) {
		c.w.Errorf("seed %d: a login %v after %q", c.seed, between, last.code)
	}
}

// step lets one thing happen, and some time pass.
func (c *chaos) step() {
	r := c.w.random
	switch r.IntN(13) {
	case 0:
		c.join()
	case 1, 2:
		if i := r.IntN(len(c.alive) + 1); i < len(c.alive) {
			n := c.alive[i]
			c.alive = append(c.alive[:i:i], c.alive[i+1:]...)
			if r.IntN(2) == 0 {
				n.die()
			} else {
				n.end()
			}
		}
	case 3:
		codes := wsaa.FaultCodes()
		c.w.service.Change(func(s *wsaatest.Service) { s.Failure = codes[r.IntN(len(codes))] })
	case 4:
		c.w.service.Change(func(s *wsaatest.Service) { s.Down, s.Lost = errors.New("no route"), r.IntN(2) == 0 })
	case 5:
		c.w.service.Change(func(s *wsaatest.Service) { s.Took = time.Duration(r.Int64N(int64(20 * time.Second))) })
	case 6:
		methods := []string{"Take", "Load", "Save", "Return"}
		c.w.store.fail(methods[r.IntN(4)], methods[r.IntN(4)])
	case 7:
		if len(c.alive) > 0 {
			n := c.alive[r.IntN(len(c.alive))]
			if tickets := n.tickets(); len(tickets) > 0 {
				n.keeper.Refused(tickets[r.IntN(len(tickets))])
			}
		}
	case 8:
		if len(c.alive) > 0 {
			c.asked = true
			_ = c.alive[r.IntN(len(c.alive))].logIn(time.Duration(r.Int64N(int64(time.Minute))))
		}
	default:
		c.mend()
	}
	pauses := []time.Duration{time.Second, 20 * time.Second, 3 * time.Minute, 12 * time.Minute, 3 * time.Hour}
	wait(time.Duration(r.Int64N(int64(pauses[r.IntN(len(pauses))]))))
}

func (c *chaos) mend() {
	c.w.service.Change(func(s *wsaatest.Service) { s.Failure, s.Down, s.Lost, s.Took = "", nil, false, time.Second })
	c.w.store.fail()
}

// look uses the ticket of each node. A node whose clock is measured knows it to about a second, and to
// half of the time that a message took.
func (c *chaos) look() {
	for _, n := range c.alive {
		s := n.keeper.Snapshot()
		if !s.Ready {
			continue
		}
		least := 10*time.Minute - 11*time.Second
		if !s.Measured {
			least -= max(n.skew-s.Skew, 0)
		}
		if _, err := n.ticket(least); err != nil {
			c.w.Errorf("seed %d: it is ready, and %v", c.seed, err)
		}
	}
}

// calm mends everything: within the longest pause all nodes have a ticket.
func (c *chaos) calm() {
	c.mend()
	if len(c.alive) == 0 {
		c.join()
	}
	wait(75 * time.Minute)
	for _, n := range c.alive {
		if _, err := n.ticket(10*time.Minute - 11*time.Second - max(n.skew, 0)); err != nil {
			c.w.Errorf("seed %d: %v", c.seed, err)
		}
	}
}
