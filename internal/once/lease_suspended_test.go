package once_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once"
)

// jumps is a clock that jumps ahead of the machine's: by the wall alone, as over a machine
// that was suspended, or by what runs alone, as where the wall was set back meanwhile.
type jumps struct{ wall, run atomic.Int64 }

func (j *jumps) now() clocks.Instant {
	now := clocks.Now()
	now.Wall, now.Run = now.Wall.Add(time.Duration(j.wall.Load())), now.Run+time.Duration(j.run.Load())
	return now
}

// TestALeaseRunsOutWhileTheMachineStandsStill: only one of the two clocks shows it. Nothing
// may then be sent until the store confirms whose the series is.
func TestALeaseRunsOutWhileTheMachineStandsStill(t *testing.T) {
	for name, jump := range map[string]func(*jumps){
		"by the clock on the wall":    func(j *jumps) { j.wall.Store(int64(time.Minute)) },
		"by the clock that only runs": func(j *jumps) { j.run.Store(int64(time.Minute)); j.wall.Store(-int64(time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T, c *cluster) {
				var clock jumps
				a := c.joinBy(clock.now)
				turn, err := a.coordinator.Enter(t.Context(), request("100", 1), c.service)
				if err != nil {
					t.Fatal(err)
				}
				if !turn.Held() {
					t.Error("the series is not its own from the start")
				}
				synctest.Wait() // a renewal that is under way would go by the clock after the jump
				jump(&clock)
				if turn.Held() {
					t.Error("it counts on a lease that has run out")
				}
				time.Sleep(time.Second) // of the bubble: the store confirms that no other process had the lease
				if !turn.Held() {
					t.Error("the lease was not renewed")
				}
				turn.Leave(once.Result{State: once.NotSent})
				c.wantApproved(a, request("100", 1))
			})
		})
	}
}
