package outage_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
)

// noLonger bounds how long a test waits for exchanges that nothing holds up.
const noLonger = 5 * time.Second

func TestAStoreThatHangsHoldsUpOneExchangeOfMany(t *testing.T) {
	const exchanges = 20
	var written []audit.Outcome
	hangs, mended := make(chan struct{}), false
	monitors := &outage.Monitors{Journal: outage.Journal{Log: "gw", Append: func(r *audit.Record) error {
		if <-hangs; !mended {
			return errors.New("the store has not answered")
		}
		written = append(written, r.Outcome)
		return nil
	}}}
	service := monitors.Of("")
	observe := func(class audit.Failure) {
		now := time.Now()
		service.Observe(outage.Observation{Class: class, Sent: now, Noticed: now, Scopes: outage.OfQuestions}, zap.NewNop())
	}
	for range service.Breaker.Threshold - 1 {
		observe(audit.FailureNetwork)
	}
	observed := make(chan struct{}, exchanges)
	for range exchanges { // the first of them begins the outage, which has a record
		go func() {
			observe(audit.FailureNetwork)
			observed <- struct{}{}
		}()
	}
	late := time.After(noLonger)
	for n := range exchanges - 1 {
		select {
		case <-observed:
		case <-late:
			t.Fatalf("%d of %d exchanges went on while the store hangs, want all but the one that writes", n, exchanges)
		}
	}
	close(hangs)
	<-observed
	mended = true
	observe("")
	if want := []audit.Outcome{outage.Began, outage.Ended}; !slices.Equal(written, want) {
		t.Errorf("the store has %v, want %v", written, want)
	}
}
