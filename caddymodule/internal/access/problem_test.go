package access

import (
	"errors"
	"testing"

	"go.uber.org/zap"
)

// TestAProblemIsSeenWhileATableIsRecorded: a scrape does not wait for the store.
func TestAProblemIsSeenWhileATableIsRecorded(t *testing.T) {
	a := &Access{logger: zap.NewNop()}
	broken := errors.New("line 3")
	a.mu.Lock() // as refresh does while the trail takes a record
	defer a.mu.Unlock()
	for _, want := range []error{nil, broken, nil} {
		a.report(want)
		if got := a.Problem(); !errors.Is(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
