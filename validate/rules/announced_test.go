package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// TestAnnouncedChangesAreThoseOfTheCatalogue: a rule that refuses from the day that is announced.
func TestAnnouncedChangesAreThoseOfTheCatalogue(t *testing.T) {
	codes := map[int32]bool{}
	for _, c := range rules.Changes() {
		rule, known := rules.RuleByCode(c.Code)
		if !known || rule.From != c.Day || rule.Default != validate.Enforce || !strings.HasPrefix(c.Text, "ARCA refuses ") {
			t.Errorf("%+v is announced of %+v", c, rule)
		}
		codes[c.Code] = true
	}
	if !codes[10246] || !codes[826] || len(codes) != 2 {
		t.Errorf("announced are %v", codes)
	}
}

// TestAnAnnouncedChangeCountsDown to the first moment of its day in Argentina.
func TestAnAnnouncedChangeCountsDown(t *testing.T) {
	c := rules.Changes()[0]
	begins := time.Date(2026, 12, 1, 0, 0, 0, 0, wsfev1.Argentina)
	for now, want := range map[time.Time]time.Duration{
		begins.AddDate(0, 0, -9):      9 * 24 * time.Hour,
		begins.Add(-time.Second):      time.Second,
		begins.UTC().Add(-time.Hour):  time.Hour,
		begins:                        0,
		begins.Add(36 * time.Hour):    0,
		begins.AddDate(1, 0, 0).UTC(): 0,
	} {
		if got := c.In(now); got != want {
			t.Errorf("on %s: in %s, want %s", now, got, want)
		}
	}
}
