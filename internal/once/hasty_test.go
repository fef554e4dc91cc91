package once_test

import (
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/once"
)

// TestARepeatDoesNotWaitForAServiceThatIsGone: nothing was sent for it, and asking again at
// once would be of no use.
func TestARepeatDoesNotWaitForAServiceThatIsGone(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.down = true })
		if result, _ := g.issue(t.Context(), request("100", 1), answerLost); result.State != once.Unknown {
			t.Fatal("nothing is unknown")
		}
		g.service.set(func(s *fakeService) { s.down, s.closed, s.asked = false, true, 0 })
		for name, sent := range map[string]*once.Request{"the same": request("100", 1), "the next": request("100", 2)} {
			began := time.Now()
			_, err := g.issue(t.Context(), sent, nothingLost)
			var unsettled *once.UnsettledError
			if !errors.As(err, &unsettled) || !errors.Is(err, once.ErrUnreached) {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("%s: turned away after %v", name, took)
			}
		}
		g.service.set(func(s *fakeService) { s.closed = false })
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.State != once.Approved {
			t.Errorf("when the service is back: %+v, %v", result, err)
		}
		if n := len(g.service.invoices); n != 1 {
			t.Errorf("%d invoices, want 1", n)
		}
	})
}

// TestAServiceThatIsBackAtOnceIsAsked: it was started again in the meantime.
func TestAServiceThatIsBackAtOnceIsAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.down = true })
		if result, _ := g.issue(t.Context(), request("100", 1), answerLost); result.State != once.Unknown {
			t.Fatal("nothing is unknown")
		}
		g.service.set(func(s *fakeService) { s.down, s.closed = false, true })
		time.AfterFunc(100*time.Millisecond, func() { g.service.set(func(s *fakeService) { s.closed = false }) })
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.State != once.Approved {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// TestALostAnswerIsLookedForLonger: its client waits for more than a number.
func TestALostAnswerIsLookedForLonger(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.set(func(s *fakeService) { s.closed = true })
		time.AfterFunc(8*time.Second, func() { g.service.set(func(s *fakeService) { s.closed = false }) })
		if result, err := g.issue(t.Context(), request("100", 1), answerLost); err != nil || result.State != once.Approved {
			t.Errorf("%+v, %v", result, err)
		}
	})
}
