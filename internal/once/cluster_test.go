package once_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/lease"
)

// cluster are gateways that share a store and a service, each with a log of its own.
type cluster struct {
	t       *testing.T
	store   audit.Store
	service *fakeService
	leases  *audittest.Leases
	nodes   int
}

// node is a gateway of a cluster, with its own line to the leases.
type node struct {
	*gateway
	*line
}

// line leads to the leases until it is cut: then the process is as good as dead.
type line struct {
	audit.Leases
	mu  sync.Mutex // guards cut
	cut bool
}

var errCut = errors.New("the line is cut")

func (l *line) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
}

func (l *line) TakeLease(ctx context.Context, name string, holder audit.Holder, ttl time.Duration) (audit.Lease, error) {
	if l.isCut() {
		return audit.Lease{}, errCut
	}
	return l.Leases.TakeLease(ctx, name, holder, ttl)
}

func (l *line) ExtendLeases(ctx context.Context, held map[string]audit.Holder, ttl time.Duration) ([]string, error) {
	if l.isCut() {
		return nil, errCut
	}
	return l.Leases.ExtendLeases(ctx, held, ttl)
}

func (l *line) ReturnLeases(ctx context.Context, changes []audit.LeaseChange) error {
	if l.isCut() {
		return errCut
	}
	return l.Leases.ReturnLeases(ctx, changes)
}

func (l *line) isCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

// inCluster runs a test in a bubble in which time passes when all are waiting.
func inCluster(t *testing.T, test func(*testing.T, *cluster)) {
	synctest.Test(t, func(t *testing.T) {
		store := audittest.NewMemory()
		store.Leases = new(audittest.Leases)
		test(t, &cluster{t: t, store: store, service: newService(), leases: store.Leases})
	})
}

// join starts one more gateway. It is closed at the test's end.
func (c *cluster) join() *node { return c.joinBy(clocks.Now) }

// joinBy is join, with another clock for the leases.
func (c *cluster) joinBy(now func() clocks.Instant) *node {
	c.nodes++
	name := fmt.Sprintf("edge-%d", c.nodes)
	line := &line{Leases: c.leases}
	logs := func(context.Context) (all []string, err error) {
		for i := range c.nodes {
			all = append(all, fmt.Sprintf("edge-%d", i+1))
		}
		return all, nil
	}
	leases := lease.New(line, name, now, func(error) {})
	g := openNode(c.t, c.store, c.service, name, once.Settings{Leases: leases}, logs)
	c.t.Cleanup(g.close)
	return &node{g, line}
}

func (c *cluster) wantApproved(n *node, r *once.Request) {
	c.t.Helper()
	if result, err := n.issue(c.t.Context(), r, nothingLost); err != nil || result.State != once.Approved {
		c.t.Errorf("%s: %+v, %v", n.log, result, err)
	}
}
