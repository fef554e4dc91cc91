package trail

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadlinesEndInTimeForAllCallers: callers share contexts, yet none ends early and all
// of them end.
func TestDeadlinesEndInTimeForAllCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deadlines{limit: 10 * time.Second}
		shared := map[any]bool{}
		for range 50 {
			asked := time.Now()
			ctx := d.context()
			shared[ctx] = true
			go func() {
				<-ctx.Done()
				if waited := time.Since(asked); waited < 10*time.Second || waited > 11*time.Second {
					t.Errorf("ended after %s", waited)
				}
			}()
			time.Sleep(100 * time.Millisecond) // of the bubble's own clock
		}
		if len(shared) > 6 {
			t.Errorf("%d contexts for five seconds", len(shared))
		}
		synctest.Wait()
		time.Sleep(20 * time.Second)
	})
}
