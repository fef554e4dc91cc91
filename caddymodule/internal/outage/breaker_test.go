package outage_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/outage"
)

func TestBreakerOpensAfterFailuresInARowAndClosesAfterAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &outage.Breaker{Threshold: 3, Cooldown: 10 * time.Second, Now: time.Now}
		allow := func(want outage.Permission) {
			t.Helper()
			if got, _ := b.Allow(); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		b.Failed(time.Now(), outage.Everything, outage.Changes)
		b.Failed(time.Now(), outage.Everything, outage.Changes)
		b.Answered(outage.Changes) // not in a row
		b.Failed(time.Now(), outage.Everything, outage.Changes)
		began := time.Now()
		time.Sleep(time.Second)
		if change := b.Failed(time.Now(), outage.Everything, outage.Changes); change != nil {
			t.Errorf("after two failures: %+v", change)
		}
		allow(outage.Pass)
		change := b.Failed(time.Now(), outage.Everything, outage.Changes)
		if change == nil || !change.Began.Equal(began.Add(0)) || !change.Ended.IsZero() || change.Failures != 3 {
			t.Fatalf("%+v", change)
		}
		if got, wait := b.Allow(); got != outage.Deny || wait != 10*time.Second {
			t.Errorf("%v for %v", got, wait)
		}
		time.Sleep(10 * time.Second)
		allow(outage.Probe)
		allow(outage.Deny) // one at a time
		if b.Failed(time.Now(), outage.Everything, outage.Changes) != nil {
			t.Error("the same outage begins twice")
		}
		b.EndProbe()
		allow(outage.Deny)
		time.Sleep(9 * time.Second)
		b.Failed(time.Now(), outage.Everything, outage.Changes) // another client's query
		if wait, halts := b.Denies(); !halts || wait != time.Second {
			t.Errorf("%v, %v: a failure has put the probe off", wait, halts)
		}
		time.Sleep(time.Second)
		allow(outage.Probe)
		change = b.Answered(outage.Changes)
		b.EndProbe()
		if change == nil || !change.Ended.Equal(time.Now()) || !change.Began.Equal(began) {
			t.Errorf("%+v", change)
		}
		allow(outage.Pass)
	})
}

func TestBreakerIsRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		time.Sleep(time.Hour)
		b := &outage.Breaker{Threshold: 3, Cooldown: 10 * time.Second, Now: time.Now}
		b.Restore(outage.Everything, began, 7)
		if _, since, open := b.Open(); !open || !since.Equal(began) {
			t.Errorf("open %v since %v", open, since)
		}
		if got, _ := b.Allow(); got != outage.Probe {
			t.Errorf("%v: nobody may look at once", got)
		}
		if change := b.Answered(outage.Changes); change == nil || !change.Began.Equal(began) || change.Failures != 7 {
			t.Errorf("%+v", change)
		}
	})
}

// TestBreakerOpensWhereOnlyQuestionsAreAnswered, and stays open until what changes
// something is answered.
func TestBreakerOpensWhereOnlyQuestionsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &outage.Breaker{Threshold: 2, Cooldown: 10 * time.Second, Now: time.Now}
		b.Failed(time.Now(), outage.Everything, outage.Changes)
		began := time.Now()
		b.Answered(outage.Everything)
		time.Sleep(time.Second)
		change := b.Failed(time.Now(), outage.Everything, outage.Changes)
		if change == nil || change.Scope != outage.Changes || !change.Began.Equal(began) || change.Failures != 2 {
			t.Fatalf("%+v", change)
		}
		time.Sleep(10 * time.Second)
		if got, _ := b.Allow(); got != outage.Probe {
			t.Fatalf("%v", got)
		}
		if b.Answered(outage.Everything) != nil {
			t.Error("an answer to a question ends it")
		}
		if scope, _, open := b.Open(); !open || scope != outage.Changes {
			t.Errorf("open %v, %v", open, scope)
		}
		change = b.Answered(outage.Changes)
		b.EndProbe()
		if change == nil || change.Scope != outage.Changes || !change.Ended.Equal(time.Now()) {
			t.Errorf("%+v", change)
		}
		if got, _ := b.Allow(); got != outage.Pass {
			t.Errorf("%v", got)
		}
	})
}

// TestTheEndOfAnOutageStartsBothRowsAnew.
func TestTheEndOfAnOutageStartsBothRowsAnew(t *testing.T) {
	b := &outage.Breaker{Threshold: 2, Cooldown: time.Second, Now: time.Now}
	b.Failed(time.Now(), outage.Everything, outage.Changes)
	if change := b.Failed(time.Now(), outage.Everything, outage.Changes); change == nil || change.Scope != outage.Everything {
		t.Fatalf("%+v", change)
	}
	if change := b.Answered(outage.Everything); change == nil {
		t.Fatal("the answer to a question does not end it")
	}
	if change := b.Failed(time.Now(), outage.Everything, outage.Changes); change != nil {
		t.Errorf("after one failure: %+v", change)
	}
}

// TestAnOutageThatEndsBeforeItBegan: the clock was set back while it lasted, by a restart that
// read its beginning from a record. It has taken no time, not less than none.
func TestAnOutageThatEndsBeforeItBegan(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	b := &outage.Breaker{Threshold: 3, Cooldown: time.Minute, Now: func() time.Time { return now }}
	b.Restore(outage.Everything, now.Add(time.Hour), 3)
	if permission, _ := b.Allow(); permission != outage.Probe {
		t.Errorf("it may not be tried at once: %d", permission)
	}
	ended := b.Answered(outage.Changes)
	if ended == nil || ended.Ended.Before(ended.Began) {
		t.Errorf("%+v", ended)
	}
}
