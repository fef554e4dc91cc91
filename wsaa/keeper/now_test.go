package keeper_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// logIn asks for a login, and waits for it no longer than some time.
func (n *node) logIn(within time.Duration) error {
	n.w.Helper()
	ctx, cancel := context.WithTimeout(n.w.Context(), within)
	defer cancel()
	err := n.keeper.LogIn(ctx)
	wait(0)
	return err
}

// failWith lets logins fail from now on, no text for not.
func (w *world) failWith(code string) {
	w.service.Change(func(s *wsaatest.Service) { s.Failure = code })
}

// wantPaused checks that a login has not begun, and when it does.
func (w *world) wantPaused(err error, cause error, least, most time.Duration) {
	w.Helper()
	var paused *keeper.PausedError
	switch {
	case !errors.As(err, &paused):
		w.Errorf("%v, want a pause", err)
	case time.Until(paused.Next) < least || time.Until(paused.Next) > most:
		w.Errorf("the pause lasts %v more: %v", time.Until(paused.Next), err)
	case cause != nil && !errors.Is(err, cause):
		w.Errorf("the cause is %v", err)
	}
}

// wantRefused checks that a login was refused with a code.
func (w *world) wantRefused(err error, code string) {
	w.Helper()
	var none *keeper.UnavailableError
	var failed *client.Error
	if !errors.As(err, &none) || !errors.As(err, &failed) || failed.Code != code {
		w.Errorf("%v, want %s", err, code)
	}
}

// TestWhatAPersonHasMendedIsTriedAtOnce, and a mistake that remains is told at once.
func TestWhatAPersonHasMendedIsTriedAtOnce(t *testing.T) {
	for _, code := range wsaa.FaultCodes() {
		if client.Fault(code).Advice != client.Stop {
			continue
		}
		inWorld(t, 1, func(w *world) {
			w.failWith(code)
			n := w.join(0, nil)
			wait(20 * time.Second)
			w.wantRefused(n.logIn(30*time.Second), code)
			n.wantUnavailable(code, 75*time.Minute)
			wait(20 * time.Second)
			w.failWith("")
			if err := n.logIn(30 * time.Second); err != nil {
				t.Errorf("%s: %v", code, err)
			}
			n.want()
			if attempts := len(w.service.Attempts()); attempts != 3 || n.kinds(keeper.Asked) != 2 {
				t.Errorf("%s: %d attempts, told %d times", code, attempts, n.kinds(keeper.Asked))
			}
		})
	}
}

// TestAskingInALoopIsNoStorm: one login in five seconds, from as many nodes and as often as somebody asks.
func TestAskingInALoopIsNoStorm(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.failWith(wsaa.NotAuthorized)
		nodes := []*node{w.join(0, nil), w.join(0, nil), w.join(0, nil)}
		wait(time.Second)
		for i := range 600 {
			if err := nodes[i%3].logIn(500 * time.Millisecond); err == nil {
				t.Fatal("a ticket")
			}
			wait(500 * time.Millisecond)
		}
		if attempts := len(w.service.Attempts()); attempts > 122 || attempts < 40 {
			t.Errorf("%d attempts in ten minutes", attempts)
		}
		w.failWith("")
		if err := nodes[1].logIn(time.Minute); err != nil {
			t.Error(err)
		}
		wait(3 * time.Second)
		token := nodes[1].want().Token
		for _, n := range nodes {
			if n.want().Token != token {
				t.Error("another ticket")
			}
		}
		if w.service.Granted() != 1 {
			t.Errorf("%d tickets", w.service.Granted())
		}
	})
}

// TestThePausesOfTheAuthorityStay: its window, and a minute after what passes by itself. The login
// begins when they are over, though nobody asks again.
func TestThePausesOfTheAuthorityStay(t *testing.T) {
	for _, c := range []struct {
		code        string
		least, most time.Duration
	}{
		{wsaa.AlreadyAuthenticated, 9 * time.Minute, 13 * time.Minute},
		{wsaa.LoginUnavailable, 30 * time.Second, time.Minute},
		{wsaa.ServiceUnavailable, 30 * time.Second, time.Minute},
		{wsaa.LoginInternalError, 30 * time.Second, time.Minute},
	} {
		inWorld(t, 1, func(w *world) {
			w.failWith(c.code)
			n := w.join(0, nil)
			if client.Fault(c.code).Advice == client.Retry { // the pause is a long one by now
				wait(40 * time.Minute)
				for before := len(w.service.Attempts()); len(w.service.Attempts()) == before; {
					wait(time.Second)
				}
			}
			wait(3 * time.Second)
			attempts := len(w.service.Attempts())
			w.failWith("")
			for range 20 {
				w.wantPaused(n.logIn(100*time.Millisecond), nil, c.least, c.most)
			}
			n.wantUnavailable(c.code, c.most)
			if got := len(w.service.Attempts()); got != attempts {
				t.Errorf("%s: %d attempts in the pause", c.code, got-attempts)
			}
			wait(c.most)
			n.want()
		})
	}
}

// TestATicketIsRenewedWhenSomebodyAsks, after the window of the one at hand: it knows a new delegation.
func TestATicketIsRenewedWhenSomebodyAsks(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, func(c *keeper.Config) { c.CUITs = []wsfev1.CUIT{first, second} })
		old := n.want()
		wait(time.Minute)
		w.service.Change(func(s *wsaatest.Service) { s.Represented = map[wsfev1.CUIT][]wsfev1.CUIT{first: {second}} })
		w.wantPaused(n.logIn(time.Minute), keeper.ErrWindow, 9*time.Minute, 9*time.Minute+5*time.Second)
		if n.want().Token != old.Token || len(w.service.Attempts()) != 1 {
			t.Errorf("%d attempts in the window", len(w.service.Attempts()))
		}
		wait(9*time.Minute + 10*time.Second)
		if n.want().Token == old.Token || len(n.keeper.Snapshot().Missing) > 0 || w.service.Granted() != 2 {
			t.Errorf("%d tickets, %+v", w.service.Granted(), n.keeper.Snapshot())
		}
		wait(time.Hour)
		if err := n.logIn(time.Minute); err != nil || w.service.Granted() != 3 || len(w.service.Attempts()) != 3 {
			t.Errorf("%v, %d tickets", err, w.service.Granted())
		}
	})
}

// TestAnotherNodesPauseEndsToo: the one that is asked has read its pause in the store, and the ticket
// that it gets is everybody's.
func TestAnotherNodesPauseEndsToo(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.failWith(wsaa.NotAuthorized)
		asked, other := w.join(0, nil), w.join(0, nil)
		wait(10 * time.Minute)
		late := w.join(0, nil)
		wait(time.Minute)
		w.failWith("")
		attempts := len(w.service.Attempts())
		if err := late.logIn(30 * time.Second); err != nil {
			t.Error(err)
		}
		wait(3 * time.Second)
		token := late.want().Token
		if asked.want().Token != token || other.want().Token != token || len(w.service.Attempts()) != attempts+1 {
			t.Errorf("%d attempts", len(w.service.Attempts()))
		}
	})
	inWorld(t, 1, func(w *world) { // the refusal too
		w.failWith(wsaa.NotAuthorized)
		asked, other := w.join(0, nil), w.join(0, nil)
		wait(10 * time.Minute)
		w.wantRefused(asked.logIn(time.Minute), wsaa.NotAuthorized)
		wait(3 * time.Second)
		at := asked.keeper.Snapshot().Failure.At
		if err := other.logIn(time.Second); err == nil || len(w.service.Attempts()) != 2 {
			t.Errorf("%v, %d attempts: the last was at %s", err, len(w.service.Attempts()), at)
		}
	})
}

// TestManyWhoAskGetOneLogin.
func TestManyWhoAskGetOneLogin(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.failWith(wsaa.NotAuthorized)
		n := w.join(0, nil)
		wait(20 * time.Second)
		w.service.Change(func(s *wsaatest.Service) { s.Failure, s.Took = "", 5*time.Second })
		errs := make(chan error)
		for range 20 {
			go func() {
				ctx, cancel := context.WithTimeout(w.Context(), 30*time.Second)
				defer cancel()
				errs <- n.keeper.LogIn(ctx)
			}()
		}
		for range 20 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if len(w.service.Attempts()) != 2 {
			t.Errorf("%d attempts", len(w.service.Attempts()))
		}
	})
}

// TestALoginThatCannotBegin: the store fails, nobody answers, the keeper is closed.
func TestALoginThatCannotBegin(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.failWith(wsaa.NotAuthorized)
		n := w.join(0, nil)
		wait(20 * time.Second)
		w.failWith("")
		w.store.fail("Load", "Take")
		var none *keeper.UnavailableError
		if err := n.logIn(30 * time.Second); !errors.As(err, &none) || !errors.Is(err, errStore) {
			t.Errorf("%v", err)
		}
		w.store.fail()
		if err := n.logIn(time.Minute); err != nil {
			t.Error(err)
		}
		n.end()
		if err := n.logIn(time.Minute); !errors.Is(err, keeper.ErrClosed) {
			t.Errorf("%v", err)
		}
	})
	inWorld(t, 1, func(w *world) {
		w.service.Change(func(s *wsaatest.Service) {
			s.Down = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		})
		n := w.join(0, nil)
		wait(20 * time.Minute)
		w.wantRefused(n.logIn(time.Minute), client.Unreachable)
		w.service.Change(func(s *wsaatest.Service) { s.Down = nil })
		if err := n.logIn(time.Minute); err != nil {
			t.Error(err)
		}
	})
}

// TestAChangedConfigurationTriesAtOnce, and a restart after a minute. The authority's limits hold for both.
func TestAChangedConfigurationTriesAtOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.failWith(wsaa.NotAuthorized)
		n := w.join(0, nil)
		wait(20 * time.Second)
		n.end()
		w.failWith("")
		again := w.join(0, nil)
		wait(time.Second)
		again.wantUnavailable(wsaa.NotAuthorized, time.Minute)
		changed := w.join(0, func(c *keeper.Config) { c.Changed, c.CUITs = true, []wsfev1.CUIT{first, second} })
		changed.want()
	})
	inWorld(t, 1, func(w *world) { // at once, and by a clock that seems to be ahead
		w.failWith(wsaa.NotAuthorized)
		n := w.join(0, func(c *keeper.Config) {
			login := c.Login
			c.Login = func(ctx context.Context, service string, skew time.Duration) (client.Result, error) {
				result, err := login(ctx, service, skew)
				result.Skew += 700 * time.Millisecond
				return result, err
			}
		})
		wait(310 * time.Millisecond)
		n.end()
		w.failWith("")
		changed := w.join(0, func(c *keeper.Config) { c.Changed = true })
		wait(7 * time.Second)
		changed.want()
	})
	inWorld(t, 1, func(w *world) {
		w.failWith(wsaa.AlreadyAuthenticated)
		n := w.join(0, nil)
		wait(20 * time.Second)
		n.end()
		changed := w.join(0, func(c *keeper.Config) { c.Changed = true })
		wait(time.Minute)
		changed.wantUnavailable(wsaa.AlreadyAuthenticated, 12*time.Minute)
		if len(w.service.Attempts()) != 1 {
			t.Errorf("%d attempts", len(w.service.Attempts()))
		}
	})
}

// TestATextOfAPauseSaysWhen, by the authority's clock.
func TestATextOfAPauseSaysWhen(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, nil)
		n.want()
		err := n.logIn(time.Second)
		if text := err.Error(); !strings.Contains(text, "2026-03-02T08:10:0") || !strings.Contains(text, wsaa.AlreadyAuthenticated) {
			t.Error(text)
		}
		s := n.keeper.Snapshot()
		if !slices.Equal(s.CUITs, []wsfev1.CUIT{first}) || s.Earliest.Sub(s.Now).Round(time.Minute) != 10*time.Minute || s.Failure != nil {
			t.Errorf("%+v", s)
		}
	})
}
