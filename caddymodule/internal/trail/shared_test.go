package trail

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// claimed is a store with a log that a process has claimed, by a clock that differs from this
// one's.
type claimed struct {
	audit.Store
	ends  time.Time // by this process's clock
	wrong time.Duration
	// lives is when the holder, which renews it, gives it up.
	lives time.Time
}

const claimLasts = 15 * time.Second

// Claim implements audit.Claimer.
func (c *claimed) Claim(context.Context, string, string) (audit.Claim, error) {
	if !c.lives.IsZero() {
		c.ends = time.Now()
		if c.ends.Before(c.lives) {
			c.ends = c.ends.Add(claimLasts)
		}
	}
	if left := time.Until(c.ends); left > 0 {
		until := c.ends.Add(c.wrong)
		return nil, &audit.TakenError{Log: "gateway-1", Holder: "another", Since: until.Add(-claimLasts), Until: until, Left: left}
	}
	return nil, nil
}

// TestAStartWaitsForTheClaimOfTheDead and for no other one, by no clock but its own.
func TestAStartWaitsForTheClaimOfTheDead(t *testing.T) {
	for name, wrong := range map[string]time.Duration{"the same": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				dead := &claimed{Store: audittest.NewMemory(), ends: began.Add(claimLasts), wrong: wrong}
				if _, err := Claim(t.Context(), dead, "gateway-1"); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < claimLasts || took > claimLasts+2*claimMargin {
					t.Errorf("it waited for %v", took)
				}
				began = time.Now()
				stopping := &claimed{Store: audittest.NewMemory(), lives: began.Add(4 * time.Second), wrong: wrong}
				if _, err := Claim(t.Context(), stopping, "gateway-1"); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > 4*time.Second+claimMargin {
					t.Errorf("it waited for %v for one that has given it up", took)
				}
				began = time.Now()
				alive := &claimed{Store: audittest.NewMemory(), lives: began.Add(time.Hour), wrong: wrong}
				if _, err := Claim(t.Context(), alive, "gateway-1"); !errors.Is(err, audit.ErrTaken) {
					t.Errorf("of the living: %v", err)
				}
				if took := time.Since(began); took > claimLasts+2*claimMargin {
					t.Errorf("it waited for %v", took)
				}
			})
		})
	}
}
