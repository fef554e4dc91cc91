package witnesscmd_test

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// asker asks for cosignatures of one history, as fast as it can, and keeps what it got.
type asker struct {
	history *audittest.History
	signed  []uint64 // the sizes, in the order of the answers
}

// TestKilledWitnessForgetsNoSignature: the process is killed while two gateways with the same key ask, whose
// histories differ from some record on. It starts again each time, and all its signatures are of one history.
//
//	FIELATO_TEST_LONG=20 go test ./caddymodule/internal/command/witness -run KilledWitness
func TestKilledWitnessForgetsNoSignature(t *testing.T) {
	s := newSite(t)
	random := rand.New(rand.NewPCG(caddytest.KillSeed, 39))
	honest, rewritten := audittest.NewHistory(t, 8000, 0), &asker{}
	rewritten.history = honest.Fork(t, 7)
	for len(rewritten.history.Leaves) < 8000 {
		rewritten.history.Grow(t, uint64(10_000+len(rewritten.history.Leaves)))
	}
	askers := []*asker{{history: honest}, rewritten}
	for life := range testrun.Size(t, 4, 6) {
		s.startProcess()
		// The witness dies once it has given so many signatures in this life.
		enough := make(chan struct{}, 1)
		left := 1 + random.IntN(30)
		var counting sync.Mutex
		given := func() {
			counting.Lock()
			defer counting.Unlock()
			if left--; left == 0 {
				enough <- struct{}{}
			}
		}
		var asking sync.WaitGroup
		for _, a := range askers {
			asking.Go(func() { a.ask(s, given) })
		}
		<-enough
		if err := s.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		asking.Wait()
		_ = s.process.Wait() // it was killed
		if len(askers[0].signed) > 0 && len(askers[1].signed) > 0 && askers[0].signed[len(askers[0].signed)-1] > 7 && askers[1].signed[len(askers[1].signed)-1] > 7 {
			t.Fatalf("life %d: two histories are signed: up to %d of the one and %d of the other", life,
				askers[0].signed[len(askers[0].signed)-1], askers[1].signed[len(askers[1].signed)-1])
		}
	}
	s.start()
	newest := s.newest()
	for _, a := range askers {
		for i, size := range a.signed {
			if i > 0 && size < a.signed[i-1] || size > newest.Size {
				t.Errorf("signed %d, but the newest head has %d", size, newest.Size)
			}
		}
	}
	if root := s.winner(askers).Root(t, newest.Size); newest.Root != root {
		t.Error("the newest head is of neither history")
	}
}

// winner returns the history with more signatures above the records that both have.
func (s *site) winner(askers []*asker) *audittest.History {
	if len(askers[1].signed) > 0 && askers[1].signed[len(askers[1].signed)-1] > 7 {
		return askers[1].history
	}
	return askers[0].history
}

// ask asks until the witness is gone. It grows by a record or two after each signature.
func (a *asker) ask(s *site, given func()) {
	old := uint64(0)
	for size := uint64(1); ; {
		got, err := s.try(http.MethodPost, "/add-checkpoint", s.request(a.history, old, size))
		switch {
		case err != nil:
			return // it was killed
		case got.status == http.StatusOK:
			cosigned := append(a.history.Signed(s.t, s.log, logName, size), got.body...)
			if _, err := note.Open(cosigned, note.VerifierList(s.public)); err != nil {
				s.t.Errorf("%d: %v", size, err)
			}
			a.signed = append(a.signed, size)
			given()
			old, size = size, size+1+size%2
		case got.status == http.StatusConflict:
			if old, err = strconv.ParseUint(strings.TrimSuffix(got.body, "\n"), 10, 63); err != nil {
				s.t.Error(err)
				return
			}
			size = old + 1
		case got.status == http.StatusUnprocessableEntity:
			size = old + 2 // the other history is signed: this one is refused for good
		default:
			s.t.Errorf("%+v", got)
			return
		}
		if size >= uint64(len(a.history.Leaves)) {
			s.t.Errorf("%d records are too few for this test", len(a.history.Leaves))
			return
		}
	}
}

// newest returns the newest checkpoint that the witness has cosigned.
func (s *site) newest() audit.Checkpoint {
	s.t.Helper()
	got := s.do(http.MethodGet, checkpointPath(), nil)
	checkpoint, err := audit.OpenCheckpoint([]byte(got.body), s.log.Verifier())
	if err != nil {
		s.t.Fatalf("%v\n%+v", err, got)
	}
	return checkpoint
}
