package audittest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
)

func manyTake(t *testing.T, a, b, _ *leaseProcess) {
	names := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	var mu sync.Mutex // guards holders
	holders := map[string]int{}
	var running sync.WaitGroup
	for i := range 16 {
		p := a
		if i%2 == 1 {
			p = b
		}
		running.Go(func() {
			for _, name := range names {
				lease, err := p.store.TakeLease(t.Context(), name, p.holder(uint64(i)), longLease)
				if err != nil {
					t.Error(err)
				}
				if lease.Held {
					mu.Lock()
					holders[name]++
					mu.Unlock()
				}
			}
		})
	}
	running.Wait()
	for _, name := range names {
		if holders[name] != 1 {
			t.Errorf("%s has %d holders", name, holders[name])
		}
	}
}

// commitsCross has each process take in one batch the names that another one returns in the same moment.
func commitsCross(t *testing.T, a, b, c *leaseProcess) {
	const series, rounds = 12, 25
	for i := range series {
		name := fmt.Sprint(i)
		a.take(name, 1)
		a.giveBack(name, 1, true, 0)
	}
	var running sync.WaitGroup
	for i := range series {
		running.Go(func() {
			processes, turn := []*leaseProcess{a, b, c}, uint64(2)
			for number := int64(0); number < rounds; turn++ {
				p := processes[(int(turn)+i)%3]
				switch err := p.intend(fmt.Sprint(i), turn, number); {
				case err == nil:
					number++
					p.end(fmt.Sprint(i), turn, true, number)
				case !errors.Is(err, audit.ErrLeaseTaken): // the row may be locked in this moment
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	for _, log := range []string{"a", "b", "c"} {
		Verify(t, a.store, log)
	}
}
