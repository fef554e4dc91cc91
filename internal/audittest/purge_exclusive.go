package audittest

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
)

// onePurgeAtATime: the second is refused until the first has ended.
func onePurgeAtATime(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	months(t, s, 81, 5)
	first, second := purger(t), purger(t)
	request := audit.PurgeRequest{Log: logName, Before: january + 2}
	tried := false
	defer closePurger(t, first)
	defer closePurger(t, second)
	other := request
	request.Progress = func(audit.PurgeResult) {
		tried = true
		if _, err := second.Purge(t.Context(), other); !errors.Is(err, audit.ErrPurging) {
			t.Errorf("the second purge: %v, want ErrPurging", err)
		}
	}
	if _, err := first.Purge(t.Context(), request); err != nil || !tried {
		t.Fatalf("%v, tried %v", err, tried)
	}
	if result, err := second.Purge(t.Context(), other); err != nil || result.Total() != (audit.PurgeCount{}) {
		t.Errorf("after the first: %+v, %v", result, err)
	}
}
