package cosigned_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// TestEachNewCheckpointIsCosigned while the log grows, and after a restart of both.
func TestEachNewCheckpointIsCosigned(t *testing.T) {
	of := newTrail(t, 3)
	w := newPlace(t, "testigo.example/w1", 7, of.Verifier())
	g := newGroup(t, of, 0, true, w)
	if err := g.start(); err != nil || of.size(of.keeper.Newest()) != 3 {
		t.Fatalf("%v: %s", err, of.keeper.Newest())
	}
	for size := uint64(4); size < 40; size += 7 {
		of.grow(int(size - of.size(of.Checkpoint())))
		g.turn()
		if got := of.size(of.keeper.Newest()); got != size {
			t.Fatalf("%d records are cosigned, want %d: %s", got, size, g.said())
		}
		verified(t, of.keeper.Newest(), of, w)
	}
	before := w.asked()
	g.turn()
	if w.asked() != before {
		t.Error("it was asked though nothing is new")
	}
	g.pass(2 * time.Hour)
	g.turn()
	if w.asked() != before+1 {
		t.Errorf("after two hours: %d requests more, %s", w.asked()-before, g.said())
	}
	kept := of.keeper.Newest()
	g.Stop()
	of.reopen()
	w.open(of.Verifier())
	if !bytes.Equal(of.keeper.Newest(), kept) {
		t.Errorf("the restart has lost\n%s", kept)
	}
	again := newGroup(t, of, 0, true, w)
	before = w.asked()
	of.grow(5)
	if err := again.start(); err != nil || of.size(of.keeper.Newest()) != of.size(of.Checkpoint()) || w.asked() != before+1 {
		t.Errorf("%v, %d requests: %s", err, w.asked()-before, of.keeper.Newest())
	}
}

// TestTheSizeThatAConflictTellsIsGoneOnFrom, where the store has lost what it knew of the witness.
func TestTheSizeThatAConflictTellsIsGoneOnFrom(t *testing.T) {
	of := newTrail(t, 6)
	w := newPlace(t, "testigo.example/w1", 7, of.Verifier())
	g := newGroup(t, of, 0, true, w)
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	if err := of.store.SetSetting(t.Context(), "cosigned/"+logName+"/"+w.key.String(), nil); err != nil {
		t.Fatal(err)
	}
	of.reopen()
	of.grow(5)
	before := w.asked()
	if g.turn(); of.size(of.keeper.Newest()) != 11 || w.asked() != before+2 {
		t.Errorf("%d requests, %s\n%s", w.asked()-before, g.said(), of.keeper.Newest())
	}
}

// TestAQuorumSignsOneCheckpoint: two of three are enough, and the one that was down comes later.
func TestAQuorumSignsOneCheckpoint(t *testing.T) {
	of := newTrail(t, 3)
	places := []*place{newPlace(t, "a.example", 1, of.Verifier()), newPlace(t, "b.example", 2, of.Verifier()), newPlace(t, "c.example", 3, of.Verifier())}
	places[2].be(places[2].down)
	if err := newGroup(t, of, 0, true, places...).First(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	newest := of.keeper.Newest()
	for _, p := range places[:2] {
		verified(t, newest, of, p)
	}
	if strings.Contains(string(newest), places[2].key.Verifier().Name()) {
		t.Errorf("%s", newest)
	}
	places[1].be(places[1].down)
	of.grow(1)
	err := newGroup(t, of, 0, true, places...).First(t.Context(), of)
	if err == nil || !strings.Contains(err.Error(), "1 of 3 witnesses") || !strings.Contains(err.Error(), "b.example") || !bytes.Equal(of.keeper.Newest(), newest) {
		t.Errorf("one of three: %v\n%s", err, of.keeper.Newest())
	}
	if err := newGroup(t, of, 0, false, places...).First(t.Context(), of); err != nil {
		t.Errorf("a start that does not need them: %v", err)
	}
	places[1].be(nil)
	places[2].be(nil)
	if err := newGroup(t, of, 3, true, places...).First(t.Context(), of); err != nil || of.size(of.keeper.Newest()) != 4 {
		t.Errorf("all three: %v", err)
	}
	for _, p := range places {
		verified(t, of.keeper.Newest(), of, p)
	}
}

// TestWitnessesSignTheSameCheckpoints, though the log grows between their turns: else no quorum would ever sign one.
func TestWitnessesSignTheSameCheckpoints(t *testing.T) {
	of := newTrail(t, 3)
	places := []*place{newPlace(t, "a.example", 1, of.Verifier()), newPlace(t, "b.example", 2, of.Verifier()), newPlace(t, "c.example", 3, of.Verifier())}
	g := newGroup(t, of, 3, true, places...)
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		of.grow(1)
		g.turn()
	}
	newest := of.keeper.Newest()
	if got := of.size(newest); got+2*uint64(len(places)) < of.size(of.Checkpoint()) {
		t.Errorf("%d of %d records are cosigned: %s", got, of.size(of.Checkpoint()), g.said())
	}
	for _, p := range places {
		verified(t, newest, of, p)
	}
}

// TestARestoredLogIsProved by a checkpoint that the witness shows, and by nothing less. The checkpoint is kept.
func TestARestoredLogIsProved(t *testing.T) {
	older, other := newTrail(t, 4), newTrail(t, 12)
	for name, test := range map[string]struct {
		now  *trail
		says []string
	}{
		"shorter": {older, []string{"9", "4", "older copy"}}, "another": {other, []string{"9", "12", "another history"}},
	} {
		t.Run(name, func(t *testing.T) {
			longer := newTrail(t, 9)
			w := newPlace(t, "testigo.example/w1", 7, longer.Verifier())
			if err := newGroup(t, longer, 0, true, w).First(t.Context(), longer); err != nil {
				t.Fatal(err)
			}
			w.be(w.unmonitored)
			g := newGroup(t, test.now, 0, false, w)
			if err := g.First(t.Context(), test.now); err != nil {
				t.Errorf("without proof: %v", err)
			}
			if said := g.said(); !strings.Contains(said, "Nothing that is signed shows it") {
				t.Errorf("without proof it says %q", said)
			}
			w.be(nil)
			err := newGroup(t, test.now, 0, false, w).First(t.Context(), test.now)
			if !errors.Is(err, audit.ErrUnsound) {
				t.Fatalf("with proof: %v", err)
			}
			for _, want := range test.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
			if test.now.keeper.Newest() != nil || !errors.Is(test.now.keeper.Contradicted(), audit.ErrUnsound) {
				t.Errorf("%v: kept\n%s", test.now.keeper.Contradicted(), test.now.keeper.Newest())
			}
			verified(t, must(os.ReadFile(string(test.now.tip.Witnessed()))), longer, w)
			if err := test.now.tip.Check(t.Context(), test.now.store, logName, test.now.Verifier()); !errors.Is(err, audit.ErrUnsound) {
				t.Errorf("the next start: %v", err)
			}
		})
	}
}

// TestAWitnessThatForgetsIsReminded: it was restored with all its files, and notices by its own signature.
func TestAWitnessThatForgetsIsReminded(t *testing.T) {
	of := newTrail(t, 3)
	w := newPlace(t, "testigo.example/w1", 7, of.Verifier())
	g := newGroup(t, of, 0, true, w)
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	backup := filesOf(t, w.folder)
	of.grow(4)
	g.turn()
	for file, content := range backup {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.open(of.Verifier())
	of.grow(2)
	g.turn()
	if said := g.said(); !strings.Contains(said, "signed 3 records") || !strings.Contains(said, "for 7") || !strings.Contains(said, "restored") {
		t.Errorf("it says %q", said)
	}
	if got := of.size(of.keeper.Newest()); got != 7 {
		t.Errorf("%d records are cosigned", got)
	}
}

// TestUnknownLinesAreKept and count for nothing.
func TestUnknownLinesAreKept(t *testing.T) {
	of := newTrail(t, 3)
	a, b := newPlace(t, "a.example", 1, of.Verifier()), newPlace(t, "b.example", 2, of.Verifier())
	stranger, err := cosignature.NewKey(bytes.NewReader(bytes.Repeat([]byte{9}, 32)), "stranger.example")
	if err != nil {
		t.Fatal(err)
	}
	a.be(a.signing(stranger.At(time.Now()), a.key.At(time.Now())))
	b.be(b.down)
	if err := newGroup(t, of, 2, false, a, b).First(t.Context(), of); err != nil || of.keeper.Newest() != nil {
		t.Fatalf("%v: a line of a stranger counts\n%s", err, of.keeper.Newest())
	}
	b.be(nil)
	if err := newGroup(t, of, 2, true, a, b).First(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	opened, err := note.Open(of.keeper.Newest(), note.VerifierList(a.key.Verifier(), b.key.Verifier(), stranger.Verifier()))
	if err != nil || len(opened.Sigs) != 3 {
		t.Errorf("%v\n%s", err, of.keeper.Newest())
	}
}

func must(content []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return content
}
