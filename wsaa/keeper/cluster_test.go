package keeper_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/keeper"
)

// TestNodesShareOneTicket for a week: three of them log in no more often than one.
func TestNodesShareOneTicket(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		nodes := []*node{w.join(0, nil), w.join(0, nil), w.join(0, nil)}
		wait(3 * time.Second)
		for i := range 7 * 24 * 12 {
			for _, n := range nodes {
				n.want()
			}
			if i%100 == 99 { // a node is deployed anew
				n := nodes[i/100%3]
				n.end()
				nodes[i/100%3] = w.join(0, nil)
			}
			wait(5 * time.Minute)
		}
		if attempts := len(w.service.Attempts()); attempts > 29 || w.service.Granted() != attempts {
			t.Errorf("%d logins, %d granted", attempts, w.service.Granted())
		}
		w.noTicketIsAnothers()
	})
}

// noTicketIsAnothers checks that all nodes had tickets that the service gave.
func (w *world) noTicketIsAnothers() {
	w.Helper()
	for _, n := range w.nodes {
		for _, ticket := range n.tickets() {
			if err := wsaa.VerifySign(w.service.Issuer.Certificate(), ticket.Token, ticket.Sign); err != nil {
				w.Error(err)
			}
		}
	}
}

// TestNodesThatStartTogetherLogInOnce.
func TestNodesThatStartTogetherLogInOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Took = 5 * time.Second
		for range 8 {
			w.prepare(0, nil)
		}
		for _, n := range w.nodes {
			n.keeper.Start()
		}
		token := w.nodes[0].want().Token
		for _, n := range w.nodes {
			if n.want().Token != token {
				t.Error("another ticket")
			}
		}
		if attempts := len(w.service.Attempts()); attempts != 1 {
			t.Errorf("%d logins", attempts)
		}
	})
}

// TestKeepersThatShareRoomTakeTurns: no more of them log in at once than there is room for. Each gets its ticket,
// and one that waits for its turn can be closed.
func TestKeepersThatShareRoomTakeTurns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		const certificates = 20
		w.service.Took = 5 * time.Second
		w.computers = 3 // at once
		room := make(chan struct{}, w.computers)
		for i := range certificates {
			w.computer = wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject(first.String(), fmt.Sprint("computer ", i))})
			w.join(0, func(c *keeper.Config) { c.Room = room })
		}
		wait(4 * time.Second)
		if waiting := w.nodes[certificates-1]; waiting.keeper.Close(w.Context()) != nil || len(waiting.tickets()) > 0 {
			t.Error("the last one did not wait, or cannot be closed")
		}
		wait(36 * time.Second)
		for _, n := range w.nodes[:certificates-1] {
			n.want()
		}
		if w.service.Most() != w.computers {
			t.Errorf("%d logins at once", w.service.Most())
		}
	})
}

// slowTake is a Store that takes long to give a lease.
type slowTake struct{ keeper.Store }

func (s slowTake) Take(ctx context.Context, name, holder string, long time.Duration) (bool, error) {
	time.Sleep(5 * time.Second)
	return s.Store.Take(ctx, name, holder, long)
}

// TestANodeLooksAgainUnderTheLease: another one has logged in while it waited for the lease.
func TestANodeLooksAgainUnderTheLease(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		late := w.join(0, func(c *keeper.Config) { c.Store = slowTake{c.Store} })
		wait(time.Second)
		token := w.join(0, nil).want().Token
		if got := late.want().Token; got != token || len(w.service.Attempts()) != 1 {
			t.Errorf("%d logins", len(w.service.Attempts()))
		}
	})
}

// TestAHolderThatDiesIsWaitedFor no longer than its lease. Its ticket, which it could not save, keeps
// the others waiting for the window.
func TestAHolderThatDiesIsWaitedFor(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Took = 20 * time.Second
		dying := w.join(0, nil)
		wait(5 * time.Second)
		dying.die() // its message has not arrived yet
		n := w.join(0, nil)
		wait(30 * time.Second)
		if attempts := len(w.service.Attempts()); attempts != 0 {
			t.Errorf("%d attempts while the lease of the dead node lasts", attempts)
		}
		wait(time.Minute)
		n.want()
	})
	inWorld(t, 1, func(w *world) {
		w.service.Took = 20 * time.Second
		dying := w.join(0, nil)
		wait(15 * time.Second)
		dying.die() // it has got a ticket, and nobody knows it
		n := w.join(0, nil)
		wait(2 * time.Minute)
		n.wantUnavailable(wsaa.AlreadyAuthenticated, 13*time.Minute)
		wait(12 * time.Minute)
		n.want()
		if attempts := w.service.Attempts(); len(attempts) != 3 || w.service.Granted() != 2 {
			t.Errorf("%+v", attempts)
		}
	})
}

// TestOnOneNodesRefusalTheOthersDoNotAsk: a fault is shared, and so is its pause.
func TestOnOneNodesRefusalTheOthersDoNotAsk(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Failure = wsaa.NotAuthorized
		nodes := []*node{w.join(0, nil), w.join(0, nil), w.join(0, nil)}
		wait(10 * time.Minute)
		for _, n := range nodes {
			n.wantUnavailable(wsaa.NotAuthorized, 75*time.Minute)
		}
		if attempts := len(w.service.Attempts()); attempts != 1 {
			t.Errorf("%d attempts in ten minutes", attempts)
		}
		w.service.Change(func(s *wsaatest.Service) { s.Failure = "" })
		wait(75 * time.Minute)
		for _, n := range nodes {
			n.want()
		}
		if attempts := len(w.service.Attempts()); attempts != 2 {
			t.Errorf("%d attempts", attempts)
		}
	})
}

// TestAlreadyAuthenticatedIsWaitedOut: another program has the ticket. Another node's ticket ends the
// wait at once.
func TestAlreadyAuthenticatedIsWaitedOut(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		other := w.join(0, func(c *keeper.Config) { c.Store, c.Seal = new(keeper.Memory), nil })
		other.want()
		wait(time.Minute)
		n, late := w.join(0, nil), w.join(0, nil)
		wait(time.Second)
		n.wantUnavailable(wsaa.AlreadyAuthenticated, 13*time.Minute)
		late.wantUnavailable(wsaa.AlreadyAuthenticated, 13*time.Minute)
		wait(13 * time.Minute)
		if n.want().Token != late.want().Token {
			t.Error("two tickets")
		}
		if attempts := len(w.service.Attempts()); attempts != 3 {
			t.Errorf("%d attempts", attempts)
		}
	})
	inWorld(t, 1, func(w *world) {
		first := w.join(0, nil)
		ticket := first.want()
		wait(time.Second)
		before := w.service.Granted()
		// Its entry gets lost, and a node that comes has to wait.
		stored := w.store.saved[len(w.store.saved)-1]
		w.overwrite(nil)
		n := w.join(0, nil)
		wait(time.Minute)
		n.wantUnavailable(wsaa.AlreadyAuthenticated, 13*time.Minute)
		w.overwrite(stored)
		wait(3 * time.Second)
		if got := n.want(); got.Token != ticket.Token || w.service.Granted() != before {
			t.Error("another ticket")
		}
	})
}

// overwrite puts an entry into the store, whoever holds it.
func (w *world) overwrite(entry []byte) {
	w.Helper()
	name := w.store.name()
	if held, err := w.store.Take(w.Context(), name, "the test", time.Minute); err != nil || !held {
		w.Fatal(held, err)
	}
	if err := w.store.Save(w.Context(), name, "the test", entry); err != nil {
		w.Fatal(err)
	}
	if err := w.store.Return(w.Context(), name, "the test"); err != nil {
		w.Fatal(err)
	}
}
