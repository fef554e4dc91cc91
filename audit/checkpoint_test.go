package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestCheckpointsOfAKnownSequenceAreTheGoldenOnes: a kept checkpoint must be of use with every
// later build.
func TestCheckpointsOfAKnownSequenceAreTheGoldenOnes(t *testing.T) {
	s := audittest.NewMemory()
	trail := openTrail(t, s, audit.Options{Random: rand.NewChaCha8([32]byte{2})})
	source := audittest.NewSource(42)
	var got []byte
	for n := range 301 {
		if n == 0 || n == 1 || n == 7 || n == 256 || n == 300 {
			head, err := s.Head(t.Context(), log)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, head.Checkpoint...)
		}
		if _, err := trail.Append(t.Context(), source.Next(uint64(n))); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join("testdata", "checkpoints.txt")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the checkpoints of these records changed:\n got %s\nwant %s", got, want)
	}
}

// TestTreeAgreesWithTheReference: package tlog computes the same roots and tiles at every size,
// across two levels of tiles.
func TestTreeAgreesWithTheReference(t *testing.T) {
	var tree audit.Tree
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) (found []tlog.Hash, _ error) {
		for _, i := range indexes {
			found = append(found, hashes[i])
		}
		return found, nil
	})
	const leaves = 256*256 + 300
	tiles := 0
	for n := range int64(leaves) {
		leaf := tlog.RecordHash(fmt.Append(nil, n))
		more, err := tlog.StoredHashesForRecordHash(n, leaf, reader)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, more...)
		for _, tile := range tree.Add(leaf, nil) {
			want, err := tlog.ReadTileData(tlog.Tile{H: 8, L: tile.Level, N: int64(tile.N), W: audit.TileWidth}, reader)
			if err != nil || !bytes.Equal(tile.Hashes, want) {
				t.Fatalf("tile %d/%d at %d: %v, or other hashes", tile.Level, tile.N, n, err)
			}
			tiles++
		}
		if n > 600 && n%511 != 0 && n < leaves-300 {
			continue
		}
		if want, err := tlog.TreeHash(n+1, reader); err != nil || tree.Root() != want {
			t.Fatalf("root of %d: %v, %v; want %v", n+1, tree.Root(), err, want)
		}
	}
	if tiles != 257+1 {
		t.Errorf("%d tiles, want 257 of level 0 and one of level 1", tiles)
	}
}

func TestOpenRefusesALogThatIsNotWhatItsCheckpointSays(t *testing.T) {
	s := audittest.NewMemory()
	trail := openTrail(t, s, audit.Options{})
	source := audittest.NewSource(1)
	heads := map[uint64]audit.Head{}
	for n := range uint64(600) {
		if _, err := trail.Append(t.Context(), source.Next(n)); err != nil {
			t.Fatal(err)
		}
		heads[n+1], _ = s.Head(t.Context(), log)
	}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	key := audittest.Key(t, log)
	foreign, err := (audit.Checkpoint{Origin: "fielato/other", Size: 600}).Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	withCheckpoint := func(c []byte) func(audit.Head) audit.Head {
		return func(h audit.Head) audit.Head { h.Checkpoint = c; return h }
	}
	for name, test := range map[string]struct {
		twist audittest.Twisted
		says  string
	}{
		"records cut off":             {audittest.Twisted{OnHead: func(h audit.Head) audit.Head { h.Size = 599; return h }}, "its checkpoint says 600"},
		"an older checkpoint":         {audittest.Twisted{OnHead: withCheckpoint(heads[599].Checkpoint)}, "its checkpoint says 599"},
		"no checkpoint":               {audittest.Twisted{OnHead: withCheckpoint(nil)}, "no checkpoint"},
		"a checkpoint of another log": {audittest.Twisted{OnHead: withCheckpoint(foreign)}, "fielato/other"},
		"a changed checkpoint":        {audittest.Twisted{OnHead: func(h audit.Head) audit.Head { h.Checkpoint[12] ^= 1; return h }}, "not signed"},
		"a changed tile":              {audittest.Twisted{OnTile: flip}, "give the root"},
		"a changed leaf hash":         {audittest.Twisted{OnLeaves: flip}, "give the root"},
		"a tile too short":            {audittest.Twisted{OnTile: func(b []byte) []byte { return b[:32] }}, "has 32 bytes"},
		"a leaf hash too few":         {audittest.Twisted{OnLeaves: func(b []byte) []byte { return b[32:] }}, "bytes are there"},
	} {
		t.Run(name, func(t *testing.T) {
			test.twist.Store = s
			opened, err := audit.Open(t.Context(), &test.twist, log, key, audit.Options{})
			if err == nil {
				_ = opened.Close()
			}
			if !errors.Is(err, audit.ErrUnsound) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("open: %v; want ErrUnsound and %q", err, test.says)
			}
		})
	}
	again, err := audit.Open(t.Context(), &audittest.Twisted{Store: s}, log, key, audit.Options{})
	if err != nil {
		t.Fatalf("open of the log as it is: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	audittest.Verify(t, s, log)
}

func TestOpenRefusesAnotherKey(t *testing.T) {
	s := audittest.NewMemory()
	if err := openTrail(t, s, audit.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	key, err := audit.NewKey(bytes.NewReader(make([]byte, 64)), log)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []bool{false, true} {
		if _, err := audit.Open(t.Context(), s, log, key, audit.Options{First: first}); !errors.Is(err, audit.ErrUnsound) {
			t.Errorf("first %v: %v, want ErrUnsound", first, err)
		}
	}
}

func TestKeyPrintsWithoutItsSecret(t *testing.T) {
	key, err := audit.NewKey(bytes.NewReader(make([]byte, 64)), "a log + more")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, key); text != key.Verifier() || strings.Contains(text, "PRIVATE") {
			t.Errorf("%s: %s", format, text)
		}
	}
	same, err := audit.ParseKey("\n" + key.Private() + " \n")
	if err != nil || same.Verifier() != key.Verifier() {
		t.Errorf("the text form gives %v, %v; want %v", same, err, key)
	}
	for _, text := range []string{"", key.Verifier(), key.Private()[:60], key.Private() + "AAAA"} {
		if got, err := audit.ParseKey(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
