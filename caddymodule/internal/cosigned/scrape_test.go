package cosigned

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// heldSource is a trail whose keeper is under way in its store.
type heldSource struct {
	keeper *Keeper
	asked  chan struct{}
}

func (s *heldSource) Checkpoint() []byte { return nil }

func (s *heldSource) Cosigned() *Keeper {
	close(s.asked)
	return s.keeper
}

// TestAScrapeDoesNotWaitForTheStore that keeps what a witness has signed.
func TestAScrapeDoesNotWaitForTheStore(t *testing.T) {
	key, err := cosignature.NewKey(rand.NewChaCha8([32]byte{1}), "witness.example.com")
	if err != nil {
		t.Fatal(err)
	}
	m := &member{
		Witness: &Witness{verifier: key.Verifier()}, group: &Group{clock: Clock{Now: time.Now}}, logger: zap.NewNop(),
		state: state{problem: errors.New("it was away")},
	}
	source := &heldSource{&Keeper{signed: map[string]Signed{key.String(): {Checkpoint: audit.Checkpoint{Size: 7}}}}, make(chan struct{})}
	source.keeper.mu.Lock()
	observed := make(chan struct{})
	go func() {
		defer close(observed)
		m.observe([]byte("checkpoint"), source, nil)
	}()
	<-source.asked
	if _, problem := m.shown(); problem == nil {
		t.Error("it was signed before the keeper has answered")
	}
	source.keeper.mu.Unlock()
	<-observed
	if _, problem := m.shown(); problem != nil || m.state.size != 7 {
		t.Errorf("%v, %d records", problem, m.state.size)
	}
}
