package keeper_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
)

// TestClocksThatDifferAreCorrected: no node fails, none uses a ticket in its last ten minutes, and the
// difference is told.
func TestClocksThatDifferAreCorrected(t *testing.T) {
	for _, skew := range []time.Duration{10 * time.Minute, -10 * time.Minute, 9 * time.Minute, 45 * time.Minute, -45 * time.Minute, 30 * time.Hour, -3 * time.Hour} {
		inWorld(t, 5, func(w *world) {
			n := w.join(skew, nil)
			wait(10 * time.Second)
			for range 2 * 24 * 60 {
				n.want()
				wait(time.Minute)
			}
			attempts := len(w.service.Attempts())
			if attempts > 10 || attempts-w.service.Granted() > 1 {
				t.Errorf("%v: %d attempts, %d granted", skew, attempts, w.service.Granted())
			}
			s := n.keeper.Snapshot()
			if off := (s.Skew - skew).Abs(); !s.Measured || off > time.Second || n.kinds(keeper.ClockOff) != 1 {
				t.Errorf("%v: measured %v (%v), told %d times", skew, s.Skew, s.Measured, n.kinds(keeper.ClockOff))
			}
		})
	}
}

// TestAServiceThatIsAboutToStartIsAskedSoon: nothing listens there yet. What was reached and does not
// answer is left alone for a minute.
func TestAServiceThatIsAboutToStartIsAskedSoon(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, c := range []struct {
		down  error
		after time.Duration
		want  bool
	}{{refused, 10 * time.Second, true}, {&net.OpError{Op: "read", Net: "tcp", Err: errors.New("reset")}, 50 * time.Second, false}} {
		inWorld(t, 1, func(w *world) {
			w.service.Change(func(s *wsaatest.Service) { s.Down = c.down })
			n := w.join(0, nil)
			wait(3 * time.Second)
			w.service.Change(func(s *wsaatest.Service) { s.Down = nil })
			wait(c.after)
			if _, err := n.ticket(0); (err == nil) != c.want {
				t.Errorf("%v: after %v: %v", c.down, c.after, err)
			}
		})
	}
}

// TestAClockThatLagsLearnsFromTheStore: the node has never logged in, and does not use the ticket of
// another one longer than that one does.
func TestAClockThatLagsLearnsFromTheStore(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		right := w.join(0, nil)
		right.want()
		wrong := w.join(10*time.Minute, nil)
		wrong.want()
		w.service.Change(func(s *wsaatest.Service) { s.Down = errors.New("no route") }) // no answer shows the time
		right.end()
		for range 12 * 60 {
			if _, err := wrong.ticket(10 * time.Minute); err != nil {
				break
			}
			wait(time.Minute)
		}
		if s := wrong.keeper.Snapshot(); (s.Skew - 10*time.Minute).Abs() > time.Second {
			t.Errorf("it knows %v", s.Skew)
		}
	})
}

// TestANodeWithAnotherKeyTakesNothingFromTheStore, and says so once. It does not overwrite what others
// can read, unless it has a ticket.
func TestANodeWithAnotherKeyTakesNothingFromTheStore(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.join(0, nil).want()
		saved := len(w.store.saved)
		stranger := w.join(0, func(c *keeper.Config) { c.Seal = newSeal(t, 8) })
		wait(5 * time.Minute)
		stranger.wantUnavailable(wsaa.AlreadyAuthenticated, 13*time.Minute)
		if told := stranger.kinds(keeper.StoreFailed); told != 1 || len(w.store.saved) != saved {
			t.Errorf("told %d times, saved %d times", told, len(w.store.saved)-saved)
		}
		w.join(0, nil).want()
		wait(10 * time.Minute)
		stranger.want()
	})
}

// TestAnEntryThatIsNoneIsReplaced: damaged, moved, of a newer build, or not sealed.
func TestAnEntryThatIsNoneIsReplaced(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"cut":     func(entry []byte) []byte { return entry[:len(entry)/2] },
		"short":   func([]byte) []byte { return []byte{1} },
		"changed": func(entry []byte) []byte { entry[40] ^= 1; return entry },
		"in the clear": func([]byte) []byte {
			return []byte(`{"version": 1, "ticket": {"token": "QUJD", "sign": "QUJD", "generation": "2026-03-02T08:00:00Z", "expiration": "2026-03-03T08:00:00Z"}}`)
		},
	} {
		inWorld(t, 1, func(w *world) {
			before := w.join(0, nil)
			ticket := before.want()
			wait(time.Second)
			before.end()
			w.overwrite(spoil(w.store.saved[len(w.store.saved)-1]))
			wait(11 * time.Minute)
			n := w.join(0, nil)
			if n.want().Token == ticket.Token || n.kinds(keeper.StoreFailed) != 1 {
				t.Errorf("%s: %d events", name, n.kinds(keeper.StoreFailed))
			}
			n.end()
			if again := w.join(0, nil); again.want().Token != n.want().Token {
				t.Errorf("%s: it was not replaced", name)
			}
		})
	}
}

// TestAStoreThatFails keeps nobody from using the ticket at hand. Without one nobody logs in: another
// node may be about to.
func TestAStoreThatFails(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.store.fail("Take", "Load", "Save", "Return")
		n := w.join(0, nil)
		wait(5 * time.Minute)
		n.wantUnavailable("", 40*time.Second)
		if s := n.keeper.Snapshot(); s.Failure == nil || s.Failure.Code != keeper.CodeStore || len(w.service.Attempts()) > 0 {
			t.Errorf("%+v, %d logins", s.Failure, len(w.service.Attempts()))
		}
		if asked := w.store.asked; asked > 20 {
			t.Errorf("it was asked %d times in five minutes", asked)
		}
		w.store.fail()
		wait(40 * time.Second)
		n.want()
		w.store.fail("Take", "Load", "Save", "Return")
		for range 11 * 60 {
			n.want()
			wait(time.Minute)
		}
		w.store.fail()
		wait(time.Minute)
		n.want()
		if granted := w.service.Granted(); granted != 2 {
			t.Errorf("%d logins", granted)
		}
	})
}

// TestATicketThatCouldNotBeSavedIsSavedLater.
func TestATicketThatCouldNotBeSavedIsSavedLater(t *testing.T) {
	for _, method := range []string{"Save", "Return"} {
		inWorld(t, 1, func(w *world) {
			w.store.fail(method)
			n := w.join(0, nil)
			ticket := n.want()
			wait(5 * time.Minute)
			if n.kinds(keeper.StoreFailed) == 0 {
				t.Error("nobody was told")
			}
			w.store.fail()
			wait(2 * time.Minute)
			n.die()
			again := w.join(0, nil)
			if got := again.want(); got.Token != ticket.Token || len(w.service.Attempts()) != 1 {
				t.Errorf("%s: %d logins", method, len(w.service.Attempts()))
			}
		})
	}
}

// TestEveryFaultHasItsPause: what passes by itself is tried again after a minute and more, what a
// person must mend after an hour, and what a person may have mended a minute after a restart.
func TestEveryFaultHasItsPause(t *testing.T) {
	for _, code := range wsaa.FaultCodes() {
		inWorld(t, 1, func(w *world) {
			w.service.Failure = code
			n := w.join(0, nil)
			wait(80 * time.Minute)
			n.wantUnavailable(code, 75*time.Minute)
			least, most := 8, 11 // a minute, two, four, eight, then ten, and up to a fifth longer
			switch client.Fault(code).Advice {
			case client.Stop:
				least, most = 2, 2
			case client.Wait:
				least, most = 7, 9
			}
			if got := len(w.service.Attempts()); got < least || got > most {
				t.Errorf("%s: %d attempts in 80 minutes", code, got)
			}
			n.end()
			w.service.Change(func(s *wsaatest.Service) { s.Failure = "" })
			again := w.join(0, nil)
			wait(12*time.Minute + time.Second)
			again.want()
		})
	}
}

// TestANewCertificateIsNotHeldUpByTheOldOne: the pause after a refusal binds only the certificate that
// was refused.
func TestANewCertificateIsNotHeldUpByTheOldOne(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Failure = wsaa.CertificateUntrusted
		old := w.join(0, nil)
		wait(time.Second)
		old.wantUnavailable(wsaa.CertificateUntrusted, 75*time.Minute)
		old.end()
		w.service.Change(func(s *wsaatest.Service) { s.Failure = "" })
		same := w.join(0, nil)
		wait(time.Second)
		same.wantUnavailable(wsaa.CertificateUntrusted, time.Minute)
		w.computer = wsaatest.NewClient(t, wsaatest.Spec{Until: begin.AddDate(2, 0, 0)})
		token := w.join(0, nil).want().Token
		wait(3 * time.Second)
		if same.want().Token != token {
			t.Error("another ticket")
		}
	})
}

// TestAPauseGoesOnWithAnOldTicket: one that is to be renewed is found in the store, and used.
func TestAPauseGoesOnWithAnOldTicket(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		before := w.join(0, nil)
		before.want()
		before.end()
		stored := w.store.saved[len(w.store.saved)-1]
		w.overwrite(nil)
		wait(7 * time.Hour)
		w.service.Change(func(s *wsaatest.Service) { s.Failure = wsaa.LoginUnavailable })
		w.store.fail("Save") // which would put the failure over the ticket
		n := w.join(0, nil)
		wait(30 * time.Minute)
		for attempts := len(w.service.Attempts()); len(w.service.Attempts()) == attempts; {
			wait(time.Second)
		}
		wait(time.Second)
		attempts := len(w.service.Attempts())
		w.overwrite(stored)
		wait(time.Minute)
		n.want()
		if more := len(w.service.Attempts()) - attempts; more > 0 {
			t.Errorf("%d attempts in the pause", more)
		}
	})
}

// TestACrashLoopIsNoStorm: after a refusal not every start asks the service again.
func TestACrashLoopIsNoStorm(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Failure = wsaa.CertificateUntrusted
		for range 120 {
			n := w.join(0, nil)
			wait(5 * time.Second)
			n.die()
		}
		if attempts := len(w.service.Attempts()); attempts > 11 {
			t.Errorf("%d attempts in ten minutes", attempts)
		}
	})
}

// TestATicketThatIsOldWhenItComesIsNoStorm: a login service that always gives the same.
func TestATicketThatIsOldWhenItComesIsNoStorm(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		var canned *client.Reply
		w.service.Reply = func(r client.Reply) client.Reply {
			if canned == nil {
				canned = &r
			}
			return client.Reply{Status: 200, Date: r.Date, Body: canned.Body}
		}
		w.service.Window = 0
		n := w.join(0, nil)
		wait(24 * time.Hour)
		if _, err := n.ticket(0); err == nil {
			t.Error("a ticket that has ended")
		}
		if attempts := len(w.service.Attempts()); attempts > 150 {
			t.Errorf("%d attempts in a day", attempts)
		}
	})
}

// TestShortTicketsAreUsed: a login service for tests gives them.
func TestShortTicketsAreUsed(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.service.Life, w.service.Window = 5*time.Minute, 0
		n := w.join(0, func(c *keeper.Config) { c.Window = time.Second })
		for range 120 {
			if _, err := n.ticket(50 * time.Second); err != nil {
				t.Error(err)
			}
			wait(30 * time.Second)
		}
		if granted := w.service.Granted(); granted > 30 {
			t.Errorf("%d logins in an hour", granted)
		}
	})
}
