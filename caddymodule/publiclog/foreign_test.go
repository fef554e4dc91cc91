package publiclog_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// stranger is the program of testdata/foreign, which is a module of its own.
type stranger struct {
	t       *testing.T
	program string
	folder  string
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	return &stranger{t: t, folder: t.TempDir(), program: testrun.Foreign(t, "testdata/foreign", ".")}
}

// read has torchwood and Tessera read a log whose older checkpoint they know, and look for a record.
func (s *stranger) read(prefix, verifier string, older []byte, index int, leaf fmt.Stringer) (said string, err error) {
	s.t.Helper()
	file := filepath.Join(s.folder, "older")
	if err := os.WriteFile(file, older, 0o600); err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.CommandContext(s.t.Context(), s.program, prefix, verifier, file, fmt.Sprint(index), leaf.String()).CombinedOutput()
	return string(out), err
}

// TestStrangersReadTheTree with torchwood's client and Tessera's, unmodified: each checkpoint continues the one before,
// and holds a record that they know.
func TestStrangersReadTheTree(t *testing.T) {
	s, p := newStranger(t), newPlace(t, 1)
	p.serve()
	older, before := p.checkpoint()
	for _, step := range []struct{ more, index int }{{0, 0}, {1, 1}, {253, 100}, {1, 255}, {1, 256}, {300, 0}, {66_000, 65_535}, {7, 66_563}} {
		p.grow(step.more)
		p.serve()
		_, leaves := p.leaves()
		newest, now := p.checkpoint()
		said, err := s.read(p.log, p.verifier(), older, step.index, leaves[step.index])
		checked := fmt.Sprintf("%d records, as %d before, record %d is in it\n", now.Size, before.Size, step.index)
		if want := "torchwood: " + checked + "tessera: " + checked; err != nil || said != want {
			t.Fatalf("%v\n%s, want\n%s", err, said, want)
		}
		older, before = newest, now
	}
	another := newPlace(t, 300)
	another.serve()
	_, leaves := another.leaves()
	fork, _ := another.checkpoint()
	another.grow(5)
	another.serve()
	if said, err := s.read(another.log, another.verifier(), fork, 1, leaves[0]); err == nil {
		t.Errorf("a record in another's place: %s", said)
	}
	p.grow(1)
	p.serve()
	_, own := p.leaves()
	if said, err := s.read(p.log, p.verifier(), fork, 0, own[0]); err == nil {
		t.Errorf("the checkpoint of another history: %s", said)
	}
}
