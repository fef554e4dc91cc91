package limit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/limit"
)

func TestLimitMakesWaitAndTurnsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := limit.NewLimit(2)
		var leaves []func()
		for range 2 {
			leave, err := slots.Enter(t.Context(), time.Second)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		if _, err := slots.Enter(t.Context(), time.Second); !errors.Is(err, limit.ErrFull) || slots.Fullness() != 1 {
			t.Errorf("a third: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := slots.Enter(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("one that has left: %v", err)
		}
		time.AfterFunc(time.Second, leaves[0])
		leave, err := slots.Enter(t.Context(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		leaves[1]()
		if leave, err := (*limit.Limit)(nil).Enter(t.Context(), 0); err != nil {
			t.Error(err)
		} else {
			leave()
		}
	})
}
