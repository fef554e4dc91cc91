package keeper_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

func TestManyAskAndOneLogsIn(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.prepare(0, nil)
		got := make(chan *client.Ticket)
		for range 50 {
			go func() {
				ticket, err := n.ticket(12*time.Hour - time.Second)
				if err != nil {
					t.Error(err)
				}
				got <- ticket
			}()
		}
		synctest.Wait()
		n.keeper.Start()
		for range 50 {
			if ticket := <-got; ticket == nil || ticket.Service != "wsfe" || !ticket.ActsFor(first) {
				t.Errorf("%+v", ticket)
			}
		}
		if granted := w.service.Granted(); granted != 1 || n.kinds(keeper.LoggedIn) != 1 {
			t.Errorf("%d logins, %d events", granted, n.kinds(keeper.LoggedIn))
		}
	})
}

// TestAWeek: there is always a ticket with ten minutes left, from two logins a day each half a life
// apart.
func TestAWeek(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, nil)
		for range 7 * 24 * 60 {
			n.want()
			wait(time.Minute)
		}
		attempts := w.service.Attempts()
		if len(attempts) < 27 || len(attempts) > 29 {
			t.Errorf("%d logins in a week", len(attempts))
		}
		for i, attempt := range attempts[1:] {
			if between := attempt.At.Sub(attempts[i].At); between < 6*time.Hour || between > 6*time.Hour+6*time.Minute {
				t.Errorf("the next login is after %v", between)
			}
		}
	})
}

// TestTheServiceMayBeDownForFiveHours, and nobody notices but the log.
func TestTheServiceMayBeDownForFiveHours(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		n := w.join(0, nil)
		n.want()
		w.service.Change(func(s *wsaatest.Service) { s.Down = errors.New("no route") })
		wait(11*time.Hour + 45*time.Minute)
		n.want()
		failed := n.kinds(keeper.LoginFailed)
		if failed < 25 || failed > 40 {
			t.Errorf("%d attempts in six hours", failed)
		}
		if s := n.keeper.Snapshot(); !s.Ready || s.Failure == nil || s.Failure.Code != client.Unreachable || s.Failure.Count != failed {
			t.Errorf("%+v", s)
		}
		wait(10 * time.Minute)
		n.wantUnavailable(client.Unreachable, 12*time.Minute)
		w.service.Change(func(s *wsaatest.Service) { s.Down = nil })
		wait(12 * time.Minute)
		n.want()
		if s := n.keeper.Snapshot(); s.Failure != nil {
			t.Errorf("%+v", s.Failure)
		}
	})
}

// TestARestartGoesOnWithTheTicket that was saved, also under a certificate that was renewed.
func TestARestartGoesOnWithTheTicket(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, nil)
		ticket := n.want()
		n.die()
		again := w.join(0, nil)
		if got := again.want(); got.Token != ticket.Token || got.Sign != ticket.Sign || !got.Known {
			t.Error("another ticket")
		}
		used := w.credential().Identity().String()
		w.computer = wsaatest.NewClient(t, wsaatest.Spec{Until: begin.AddDate(2, 0, 0)})
		if got := w.join(0, nil).want(); got.Token != ticket.Token || got.Certificate != used || ticket.Certificate != used {
			t.Errorf("another ticket under the renewed certificate, or one of %q and %q, not %q", ticket.Certificate, got.Certificate, used)
		}
		if attempts := len(w.service.Attempts()); attempts != 1 || again.kinds(keeper.Adopted) != 1 {
			t.Errorf("%d logins, %d tickets adopted", attempts, again.kinds(keeper.Adopted))
		}
		w.computer = wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("20111111112", "otra")})
		if got := w.join(0, nil).want(); got.Token == ticket.Token {
			t.Error("the ticket of another computer")
		}
	})
}

// TestWithoutAStoreARestartWaitsForTheWindow.
func TestWithoutAStoreARestartWaitsForTheWindow(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		inMemory := func(c *keeper.Config) { c.Store, c.Seal = new(keeper.Memory), nil }
		n := w.join(0, inMemory)
		n.want()
		n.end()
		again := w.join(0, inMemory)
		wait(time.Second)
		again.wantUnavailable(wsaa.AlreadyAuthenticated, 12*time.Minute)
		wait(13 * time.Minute)
		again.want()
		if attempts := len(w.service.Attempts()); attempts != 3 {
			t.Errorf("%d attempts", attempts)
		}
	})
}

// TestARefusedTicketIsReplaced when the login service gives another one, and not before.
func TestARefusedTicketIsReplaced(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, nil)
		ticket := n.want()
		wait(time.Minute)
		n.keeper.Refused(ticket)
		n.keeper.Refused(ticket)
		_, err := n.ticket(0)
		var none *keeper.UnavailableError
		if !errors.Is(err, keeper.ErrRefused) || !errors.As(err, &none) || none.Retry > 5*time.Second {
			t.Errorf("%v", err)
		}
		wait(8 * time.Minute)
		if attempts := w.service.Attempts(); len(attempts) != 1 {
			t.Errorf("%+v", attempts)
		}
		wait(2 * time.Minute)
		again := n.want()
		if again.Token == ticket.Token {
			t.Error("the same ticket")
		}
		wait(time.Hour)
		n.keeper.Refused(ticket) // it was replaced already
		n.keeper.Refused(again)
		wait(time.Second)
		n.want()
		if attempts := w.service.Attempts(); len(attempts) != 3 || w.service.Granted() != 3 {
			t.Errorf("%+v", attempts)
		}
	})
}

// TestARefusedTicketIsTriedAgain while there is no other: one server of the service may have been wrong. Each
// refusal doubles the pause, and the login service is asked no sooner for them. After a restart it is there too.
func TestARefusedTicketIsTriedAgain(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, nil)
		ticket := n.want()
		w.service.Change(func(s *wsaatest.Service) { s.Failure = wsaa.LoginUnavailable })
		wait(11 * time.Minute)
		for _, pause := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute} {
			n.keeper.Refused(ticket)
			wait(pause - time.Second) // each login measures the clock anew
			if _, err := n.ticket(0); err == nil {
				t.Errorf("before %s", pause)
			}
			wait(2 * time.Second)
			if again, err := n.ticket(0); err != nil || again.Token != ticket.Token {
				t.Fatalf("after %s: %v", pause, err)
			}
		}
		if attempts := len(w.service.Attempts()); attempts > 4 || n.kinds(keeper.TicketRefused) != 6 {
			t.Errorf("%d attempts, %+v", attempts, n.events)
		}
		n.keeper.Refused(ticket)
		n.end()
		restarted := w.join(0, nil)
		if again, err := restarted.ticket(0); err != nil || again.Token != ticket.Token {
			t.Errorf("after a restart: %v", err)
		}
		w.service.Change(func(s *wsaatest.Service) { s.Failure = "" })
		wait(7 * time.Hour)
		if restarted.want().Token == ticket.Token {
			t.Error("it was not renewed")
		}
	})
}

// TestADelegationCountsWithinTheHour.
func TestADelegationCountsWithinTheHour(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, func(c *keeper.Config) { c.CUITs = []wsfev1.CUIT{first, second} })
		n.want()
		_, err := n.keeper.Ticket(w.Context(), second)
		var missing *keeper.NotRepresentedError
		if !errors.As(err, &missing) || missing.CUIT != second || n.kinds(keeper.Unrepresented) != 1 {
			t.Errorf("%v", err)
		}
		if s := n.keeper.Snapshot(); len(s.Missing) != 1 || s.Missing[0] != second || !s.Ready {
			t.Errorf("%+v", s)
		}
		w.service.Change(func(s *wsaatest.Service) {
			s.Represented = map[wsfev1.CUIT][]wsfev1.CUIT{first: {second}}
		})
		wait(66 * time.Minute)
		if _, err := n.keeper.Ticket(w.Context(), second); err != nil {
			t.Error(err)
		}
		wait(5 * time.Hour)
		if attempts := len(w.service.Attempts()); attempts != 2 {
			t.Errorf("%d logins", attempts)
		}
	})
}

// TestCloseWaitsForALogin, whose ticket is saved. One that may not wait says what that costs.
func TestCloseWaitsForALogin(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Took = 20 * time.Second
		n := w.join(0, nil)
		wait(5 * time.Second)
		ctx, cancel := context.WithTimeout(w.Context(), 30*time.Second)
		defer cancel()
		if err := n.keeper.Close(ctx); err != nil {
			t.Error(err)
		}
		if _, err := n.keeper.Ticket(w.Context(), first); err != nil { // requests of the old configuration go on
			t.Error(err)
		}
		w.service.Took = 0
		w.join(0, nil).want()
		if attempts := len(w.service.Attempts()); attempts != 1 {
			t.Errorf("%d logins: the ticket of the first was lost", attempts)
		}
	})
	inWorld(t, 1, func(w *world) {
		w.service.Took = 20 * time.Second
		n := w.join(0, nil)
		wait(5 * time.Second)
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		if err := n.keeper.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := n.keeper.Ticket(w.Context(), first); !errors.Is(err, keeper.ErrClosed) {
			t.Error(err)
		}
	})
}

// TestAWaitEnds with its context, and with the Keeper.
func TestAWaitEnds(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.prepare(0, nil)
		n.wantUnavailable("", time.Second)
		got := make(chan error)
		go func() {
			_, err := n.keeper.Ticket(w.Context(), first)
			got <- err
		}()
		synctest.Wait()
		if err := n.keeper.Close(w.Context()); err != nil {
			t.Error(err)
		}
		if err := <-got; !errors.Is(err, keeper.ErrClosed) {
			t.Error(err)
		}
		n.keeper.Start() // after Close it does nothing
	})
}

// TestAPanicIsAFailure like another, and the next attempt may succeed.
func TestAPanicIsAFailure(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		var inner keeper.Login
		var mended atomic.Bool
		n := w.join(0, func(c *keeper.Config) {
			inner = c.Login
			c.Login = func(ctx context.Context, service string, skew time.Duration) (client.Result, error) {
				if !mended.Load() {
					panic("el-token-secreto")
				}
				return inner(ctx, service, skew)
			}
		})
		wait(time.Second)
		n.wantUnavailable("", 2*time.Minute)
		if s := n.keeper.Snapshot(); s.Failure == nil || s.Failure.Code != keeper.CodePanic || n.kinds(keeper.Panicked) != 1 {
			t.Errorf("%+v", s.Failure)
		}
		mended.Store(true)
		wait(2 * time.Minute)
		n.want()
	})
}
