package once_test

import (
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

// settlements counts the settlement records in a log.
func (c *cluster) settlements(log string) (n int) {
	c.t.Helper()
	for _, err := range c.store.Search(c.t.Context(), audit.Query{Log: log, Kind: audit.KindSettlement}) {
		if err != nil {
			c.t.Error(err)
		}
		n++
	}
	return n
}

// TestClocksOfGatewaysMayDiffer: how long the service may be working on what a dead gateway
// has sent is not read off that one's clock.
func TestClocksOfGatewaysMayDiffer(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T, c *cluster) {
				a, b := c.join(), c.join()
				if _, err := a.coordinator.Enter(t.Context(), request("100", 1), c.service); err != nil {
					t.Fatal(err)
				}
				intent := a.record(request("100", 1), audit.KindIntent)
				intent.Time = intent.Time.Add(ahead)
				if _, err := a.write(intent); err != nil {
					t.Fatal(err)
				}
				a.die()
				time.Sleep(15 * time.Second) // of the bubble
				var unsettled *once.UnsettledError
				if _, err := b.issue(t.Context(), request("100", 1), nothingLost); !errors.As(err, &unsettled) {
					t.Errorf("%v, want that it is not settled yet", err)
				}
				time.Sleep(3 * time.Minute)
				c.wantApproved(b, request("100", 1))
			})
		})
	}
}

// TestAGatewaySettlesItsOwnOnce, although it asks the journal again each time that others
// may have been in the series.
func TestAGatewaySettlesItsOwnOnce(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		c.service.set(func(s *fakeService) { s.down = true })
		if result, err := a.issue(t.Context(), request("100", 1), answerLost); err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v", result, err)
		}
		var unsettled *once.UnsettledError
		if _, err := b.issue(t.Context(), request("200", 1), nothingLost); !errors.As(err, &unsettled) {
			t.Errorf("%v, want that it is not settled yet", err)
		}
		c.service.set(func(s *fakeService) { s.down = false })
		if got := <-a.settled; got.verdict != once.Recovered {
			t.Errorf("%v", got.verdict)
		}
		c.wantApproved(a, request("100", 2))
		if n := c.settlements(a.log); n != 1 {
			t.Errorf("it was settled %d times", n)
		}
	})
}

// TestWhatAThirdGatewayHasSettledIsNotAskedAgain.
func TestWhatAThirdGatewayHasSettledIsNotAskedAgain(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b, d := c.join(), c.join(), c.join()
		if _, err := a.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		a.die()
		time.Sleep(15 * time.Second) // of the bubble
		c.service.set(func(s *fakeService) { s.down = true })
		var unsettled *once.UnsettledError
		if _, err := b.issue(t.Context(), request("100", 2), nothingLost); !errors.As(err, &unsettled) {
			t.Errorf("%v, want that it is not settled yet", err)
		}
		c.service.set(func(s *fakeService) { s.down = false })
		c.wantApproved(d, request("100", 2))
		c.wantApproved(b, request("100", 3))
		if b, d := c.settlements(b.log), c.settlements(d.log); b != 0 || d != 1 {
			t.Errorf("it was settled %d and %d times", b, d)
		}
		for _, log := range []string{a.log, b.log, d.log} {
			audittest.Verify(t, c.store, log)
		}
	})
}
