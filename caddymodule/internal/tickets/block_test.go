package tickets

import (
	"errors"
	"testing"

	"go.uber.org/zap"
)

// TestABlockIsSeenWhileItsKeeperStarts: requests and scrapes do not wait for the store of tickets to open.
func TestABlockIsSeenWhileItsKeeperStarts(t *testing.T) {
	problem := errors.New("expired")
	b := newBlock(&Options{problem: problem}, Trail{}, false, zap.NewNop())
	b.mu.Lock() // as Start and look do
	defer b.mu.Unlock()
	if got := b.state(); !errors.Is(got.problem, problem) {
		t.Errorf("%+v", got)
	}
	b.now.problem = nil
	b.show()
	if got := b.state(); got.problem != nil {
		t.Errorf("%+v", got)
	}
}
