package once_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/once"
)

func TestBreakerOpensAfterFailuresInARowAndClosesAfterAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &once.Breaker{Threshold: 3, Rest: 10 * time.Second, Now: time.Now}
		allow := func(want once.Permission) {
			t.Helper()
			if got, _ := b.Allow(); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		b.Report(false)
		b.Report(false)
		b.Report(true) // not in a row
		b.Report(false)
		began := time.Now()
		time.Sleep(time.Second)
		if outage := b.Report(false); outage != nil {
			t.Errorf("after two failures: %+v", outage)
		}
		allow(once.Pass)
		outage := b.Report(false)
		if outage == nil || !outage.Began.Equal(began.Add(0)) || !outage.Ended.IsZero() || outage.Failures != 3 {
			t.Fatalf("%+v", outage)
		}
		if got, wait := b.Allow(); got != once.Halt || wait != 10*time.Second {
			t.Errorf("%v for %v", got, wait)
		}
		time.Sleep(10 * time.Second)
		allow(once.Probe)
		allow(once.Halt) // one at a time
		if b.Report(false) != nil {
			t.Error("the same outage begins twice")
		}
		b.EndProbe()
		allow(once.Halt)
		time.Sleep(9 * time.Second)
		b.Report(false) // somebody else's query
		if wait, halts := b.Halts(); !halts || wait != time.Second {
			t.Errorf("%v, %v: a failure has put the probe off", wait, halts)
		}
		time.Sleep(time.Second)
		allow(once.Probe)
		outage = b.Report(true)
		b.EndProbe()
		if outage == nil || !outage.Ended.Equal(time.Now()) || !outage.Began.Equal(began) {
			t.Errorf("%+v", outage)
		}
		allow(once.Pass)
	})
}

func TestBreakerIsRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		time.Sleep(time.Hour)
		b := &once.Breaker{Threshold: 3, Rest: 10 * time.Second, Now: time.Now}
		b.Restore(began, 7)
		if since, open := b.Open(); !open || !since.Equal(began) {
			t.Errorf("open %v since %v", open, since)
		}
		if got, _ := b.Allow(); got != once.Probe {
			t.Errorf("%v: nobody may look at once", got)
		}
		if outage := b.Report(true); outage == nil || !outage.Began.Equal(began) || outage.Failures != 7 {
			t.Errorf("%+v", outage)
		}
	})
}

func TestLimitMakesWaitAndTurnsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := once.NewLimit(2)
		var leaves []func()
		for range 2 {
			leave, err := limit.Enter(t.Context(), time.Second)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		if _, err := limit.Enter(t.Context(), time.Second); !errors.Is(err, once.ErrBusy) || limit.InFlight() != 2 {
			t.Errorf("a third: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := limit.Enter(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("one that has left: %v", err)
		}
		time.AfterFunc(time.Second, leaves[0])
		leave, err := limit.Enter(t.Context(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		leaves[1]()
		if leave, err := (*once.Limit)(nil).Enter(t.Context(), 0); err != nil {
			t.Error(err)
		} else {
			leave()
		}
	})
}
