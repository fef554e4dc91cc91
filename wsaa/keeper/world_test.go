package keeper_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// testURL is where the login service is.
const testURL = "https://login.test/ws/services/LoginCms"

// first is the CUIT of the certificate, second another one.
const (
	first  = wsfev1.CUIT(20111111112)
	second = wsfev1.CUIT(30500010912)
)

// begin is when each world begins.
var begin = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// world is a login service, a store and the nodes that use them, in virtual time, which the
// authority's clock shows.
type world struct {
	*testing.T
	service  *wsaatest.Service
	store    *store
	computer *wsaatest.Client
	// computers is how many there are: one of each may log in at a time.
	computers int
	seal      *keeper.Seal
	random    *rand.Rand
	nodes     []*node
}

// inWorld runs a test in a world of its own, and ends its nodes.
func inWorld(t *testing.T, seed uint64, test func(w *world)) {
	t.Helper()
	wsaatest.SharedKey(t) // outside of the virtual time: other tests have it too
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(begin))
		w := &world{
			T: t, service: wsaatest.NewService(t, time.Now), store: new(store), seal: newSeal(t, 7), random: rand.New(rand.NewPCG(seed, 1)),
			computer: wsaatest.NewClient(t, wsaatest.Spec{}), computers: 1,
		}
		w.service.Took = 300 * time.Millisecond
		ended := false
		end := func() {
			for _, n := range w.nodes {
				n.end()
			}
			ended = true
		}
		defer func() {
			if !ended { // the test has failed
				end()
			}
		}()
		test(w)
		end()
		if most := w.service.Most(); most > w.computers {
			t.Errorf("%d logins at once", most)
		}
		w.noSecretAtRest()
	})
}

// noSecretAtRest checks that no ticket was in the store in the clear.
func (w *world) noSecretAtRest() {
	w.Helper()
	for _, n := range w.nodes {
		for _, ticket := range n.tickets() {
			for _, text := range []string{ticket.Token.Reveal(), ticket.Sign.Reveal()} {
				if w.store.has([]byte(text)) {
					w.Error("a credential is at rest in the clear")
				}
			}
		}
	}
}

// node is a process with a Keeper.
type node struct {
	w      *world
	keeper *keeper.Keeper
	// skew is how far its clock is behind the authority's.
	skew time.Duration

	mu     sync.Mutex
	dead   bool
	events []keeper.Event
	got    map[wsfev1.Secret]*client.Ticket
}

// join adds a node and starts its Keeper. change may change its Config, nil for not.
func (w *world) join(skew time.Duration, change func(*keeper.Config)) *node {
	w.Helper()
	n := w.prepare(skew, change)
	n.keeper.Start()
	return n
}

// credential returns the computer's certificate with its key.
func (w *world) credential() *credential.Credential {
	w.Helper()
	c, err := credential.New(w.computer.Certificate, w.computer.Key)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// prepare is join without the start.
func (w *world) prepare(skew time.Duration, change func(*keeper.Config)) *node {
	w.Helper()
	c := w.credential()
	n := &node{w: w, skew: skew, got: map[wsfev1.Secret]*client.Ticket{}}
	clock := func() time.Time { return time.Now().Add(-n.skew) }
	logins := &client.Client{URL: testURL, Credential: c, Post: w.service.Post, Clock: clock}
	random := rand.New(rand.NewPCG(w.random.Uint64(), 2))
	config := keeper.Config{
		URL: testURL, Credential: c, CUITs: []wsfev1.CUIT{first}, Store: &nodeStore{n}, Seal: w.seal, Clock: clock, Random: random.Float64,
		Observe: n.observe,
		Login: func(ctx context.Context, service string, skew time.Duration) (client.Result, error) {
			result, err := logins.Login(ctx, service, skew)
			if n.isDead() {
				return client.Result{}, errDead
			}
			return result, err
		},
	}
	if change != nil {
		change(&config)
	}
	var err error
	if n.keeper, err = keeper.New(config); err != nil {
		w.Fatal(err)
	}
	w.nodes = append(w.nodes, n)
	return n
}

func (n *node) observe(e keeper.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, e)
}

// kinds returns how often an event of a kind was told.
func (n *node) kinds(kind keeper.Kind) (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.events {
		if e.Kind == kind {
			count++
		}
	}
	return count
}

var errDead = errors.New("the process is dead")

// die ends the node as a crash does: it does nothing any more, and returns no lease.
func (n *node) die() {
	n.mu.Lock()
	n.dead = true
	n.mu.Unlock()
	n.end()
}

func (n *node) isDead() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dead
}

// end closes the Keeper. A dead one waits for nothing.
func (n *node) end() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if n.isDead() {
		cancel()
	}
	if err := n.keeper.Close(ctx); err != nil && !n.isDead() {
		n.w.Error(err)
	}
}

// ticket asks for a ticket, and checks the one that it gets by the authority's clock: it must have
// the least life left.
func (n *node) ticket(least time.Duration) (*client.Ticket, error) {
	n.w.Helper()
	ctx, cancel := context.WithTimeout(n.w.Context(), 10*time.Second)
	defer cancel()
	ticket, err := n.keeper.Ticket(ctx, first)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.got[ticket.Token] = ticket
	n.mu.Unlock()
	if left := time.Until(ticket.Expiration); left < least {
		n.w.Errorf("at %s a ticket has %v left", time.Now().UTC().Format(time.RFC3339), left)
	}
	return ticket, nil
}

// want is ticket where there must be one, with ten minutes left. Then all goroutines rest: the ticket
// is saved.
func (n *node) want() *client.Ticket {
	n.w.Helper()
	defer synctest.Wait()
	ticket, err := n.ticket(10 * time.Minute)
	if err != nil {
		n.w.Fatalf("at %s: %v", time.Now().UTC().Format(time.RFC3339), err)
	}
	return ticket
}

func (n *node) tickets() (all []*client.Ticket) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, ticket := range n.got {
		all = append(all, ticket)
	}
	return all
}

// wait lets time pass until the goroutines rest.
func wait(long time.Duration) {
	time.Sleep(long)
	synctest.Wait()
}

// wantUnavailable checks that there is no ticket, why, and when to ask again.
func (n *node) wantUnavailable(code string, within time.Duration) {
	n.w.Helper()
	_, err := n.ticket(0)
	var none *keeper.UnavailableError
	var failed *client.Error
	switch {
	case !errors.As(err, &none) || none.Retry < time.Second || none.Retry > within:
		n.w.Errorf("%v, want one within %v", err, within)
	case code != "" && (!errors.As(err, &failed) || failed.Code != code):
		n.w.Errorf("%v, want %s", err, code)
	}
}

func newSeal(t testing.TB, b byte) *keeper.Seal {
	t.Helper()
	seal, err := keeper.NewSeal(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return seal
}
