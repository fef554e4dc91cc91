package limit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/limit"
)

// TestSlotIsNotLostBetweenTwo: a request that gives up in the moment in which it is handed a slot enters, or
// leaves the slot to the next.
func TestSlotIsNotLostBetweenTwo(t *testing.T) {
	for _, c := range []struct {
		name   string
		giveUp func(cancel func())
		// least and most are how many of 200 enter.
		least, most int
	}{
		{"the caller leaves", func(cancel func()) { cancel() }, 0, 0},
		{"the patience is over", func(func()) { <-time.After(time.Second) }, 1, 200}, // whoever comes first of two
		{"the patience is almost over", func(func()) { <-time.After(time.Second - 1) }, 200, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			entered := 0
			for range 200 {
				synctest.Test(t, func(t *testing.T) {
					l := divided(1, 1, limit.Share{Slots: 1})
					leave := mustEnter(t, l, "c0")
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					first, second := wait(ctx, l, time.Second), wait(t.Context(), l, time.Hour)
					synctest.Wait()
					c.giveUp(cancel)
					leave()
					if <-first == nil {
						entered++
					}
					if err := <-second; err != nil {
						t.Error(err)
					}
					if got := l.Usage()[1]; l.Fullness() != 0 || got.Taken != 0 || got.Waiting != 0 {
						t.Errorf("%+v", got)
					}
				})
			}
			if entered < c.least || entered > c.most {
				t.Errorf("%d of 200 entered, want %d to %d", entered, c.least, c.most)
			}
		})
	}
}

// wait lets a request of c0 wait, and tells its error after it has left.
func wait(ctx context.Context, l *limit.Limit, patience time.Duration) <-chan error {
	ended := make(chan error, 1)
	go func() {
		leave, err := l.EnterAs(ctx, "c0", patience)
		if err == nil {
			leave()
		}
		ended <- err
	}()
	synctest.Wait()
	return ended
}
