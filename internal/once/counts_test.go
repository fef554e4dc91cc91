package once_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

func (g *gateway) wantCounts(what string, want once.Counts) {
	g.t.Helper()
	if counts := g.coordinator.Counts(); counts != want {
		g.t.Errorf("%s: %+v, want %+v", what, counts, want)
	}
}

// TestCountsFollowARequestWhoseAnswerIsLost, and the requests behind it, with how long each
// has waited.
func TestCountsFollowARequestWhoseAnswerIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var waited []time.Duration
		g := openNode(t, audittest.NewMemory(), newService(), logName, once.Settings{Waited: func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			waited = append(waited, d)
		}}, nil)
		defer g.close()
		g.service.set(func(s *fakeService) { s.down = true })
		g.wantCounts("at first", once.Counts{})
		var clients sync.WaitGroup
		clients.Go(func() { _, _ = g.issue(t.Context(), request("100", 1), answerLost) })
		synctest.Wait()
		g.wantCounts("while the service is asked", once.Counts{Unknown: 1})
		clients.Go(func() { _, _ = g.issue(t.Context(), request("100", 2), nothingLost) })
		synctest.Wait()
		g.wantCounts("with one behind", once.Counts{Unknown: 1, Waiting: 1})
		time.Sleep(3 * time.Second)
		g.service.set(func(s *fakeService) { s.down = false })
		clients.Wait()
		g.wantCounts("in the end", once.Counts{})
		if len(waited) != 2 || waited[0] != 0 || waited[1] < 3*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// TestCountsAfterARestart: a series counts even if no request has come for it yet.
func TestCountsAfterARestart(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		if _, err := g.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		g.close()
		*g = *open(t, g.store, g.service)
		g.coordinator.Suspect([]once.OrderingKey{request("100", 1).Key.OrderingKey})
		g.wantCounts("after the restart", once.Counts{Unknown: 1})
		g.coordinator.Meet(issuer, g.service, once.Policy{})
		<-g.settled
		synctest.Wait()
		g.wantCounts("when it is settled", once.Counts{})
	})
}
