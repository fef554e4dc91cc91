package audittest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
)

// NewKey returns the key that the tests sign a log with, always the same.
func NewKey(log string) (*audit.Key, error) {
	return audit.NewKey(rand.NewChaCha8([32]byte{1}), log)
}

// Key is NewKey for a test, which it fails on an error.
func Key(t testing.TB, log string) *audit.Key {
	t.Helper()
	key, err := NewKey(log)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Seal makes the batch that appends the records to the log in the store. Its checkpoint is like one
// of a build that does not record purges.
func Seal(t testing.TB, s audit.Store, log string, records ...*audit.Record) audit.Batch {
	t.Helper()
	head, err := s.Head(t.Context(), log)
	if errors.Is(err, audit.ErrClosed) {
		head, err = audit.Head{}, nil // the test is about the Commit that follows
	}
	if err != nil {
		t.Fatal(err)
	}
	tree := new(audit.Tree)
	if head.Size > 0 {
		if tree, err = audit.ReadTree(t.Context(), s, log, head.Size); err != nil {
			t.Fatal(err)
		}
	}
	batch := audit.Batch{Log: log, First: head.Size}
	for _, r := range records {
		form := r.Encode(nil)
		entry := audit.Entry{Index: tree.Size(), Form: form, Leaf: form.Leaf(), Record: r}
		batch.Entries = append(batch.Entries, entry)
		batch.Tiles = tree.Add(entry.Leaf, batch.Tiles)
	}
	checkpoint := audit.Checkpoint{Origin: audit.Origin(log), Size: tree.Size(), Root: tree.Root()}
	if batch.Checkpoint, err = checkpoint.Sign(Key(t, log)); err != nil {
		t.Fatal(err)
	}
	return batch
}

// Verify computes the tree of a log again from its records, and compares all that the
// store has of it: leaf hashes, tiles, size, and a checkpoint signed by Key.
func Verify(t testing.TB, s audit.Store, log string) { VerifyWith(t, s, log, Key(t, log).Verifier()) }

// VerifyWith is Verify for a log of another key.
func VerifyWith(t testing.TB, s audit.Store, log, verifier string) {
	t.Helper()
	head, err := s.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := audit.Glimpse(t.Context(), s, log); err != nil || seen.Size != head.Size || !bytes.Equal(seen.Checkpoint, head.Checkpoint) {
		t.Fatalf("a glimpse of log %q: %d records, %v, want %d", log, seen.Size, err, head.Size)
	}
	if head.Size == 0 && head.Checkpoint == nil {
		return // a log that was never opened
	}
	tree, tiles, leaves := recompute(t, s, log, head.Size)
	checkpoint, err := audit.OpenCheckpoint(head.Checkpoint, verifier)
	if err != nil {
		t.Fatalf("checkpoint of %q: %v", log, err)
	}
	if !audit.IsOrigin(checkpoint.Origin, log) {
		t.Fatalf("the origin of %q is %q", log, checkpoint.Origin)
	}
	want := audit.Checkpoint{
		Origin: checkpoint.Origin, Size: head.Size, Root: tree.Root(), Purges: checkpoint.Purges, PurgesFrom: checkpoint.PurgesFrom,
	}
	if checkpoint != want {
		t.Fatalf("checkpoint %+v, the records give %+v", checkpoint, want)
	}
	for _, tile := range tiles {
		if got, err := s.Tile(t.Context(), log, tile.Level, tile.N); err != nil || !bytes.Equal(got, tile.Hashes) {
			t.Fatalf("tile %d/%d of %q: %v, or other hashes", tile.Level, tile.N, log, err)
		}
	}
	for n := range 3 { // full tiles end where the records do
		at := head.Size >> (8 * (n + 1))
		if _, err := s.Tile(t.Context(), log, n, at); !errors.Is(err, audit.ErrNotFound) {
			t.Fatalf("tile %d/%d of %q with %d records: %v, want ErrNotFound", n, at, log, head.Size, err)
		}
	}
	last := head.Size / audit.TileWidth * audit.TileWidth
	if got, err := s.Leaves(t.Context(), log, last, head.Size); err != nil || !bytes.Equal(got, leaves[last*tlog.HashSize:]) {
		t.Fatalf("leaf hashes from %d of %q: %v, or others", last, log, err)
	}
	reader := audit.HashReader(t.Context(), s, log, head.Size)
	if root, err := tlog.TreeHash(int64(head.Size), reader); err != nil || root != checkpoint.Root {
		t.Fatalf("root of %q by its hashes: %v, %v; want %v", log, root, err, checkpoint.Root)
	}
	prove(t, reader, checkpoint, leaves)
	report, err := verify.Log(t.Context(), s, log, verifier, verify.Options{Kept: head.Checkpoint})
	if err != nil || !report.Sound() || report.Records < head.Size { // it may grow
		t.Fatalf("verification of %q: %v, %+v", log, err, report)
	}
}

// prove makes the proof of a few records, which must hold.
func prove(t testing.TB, reader tlog.HashReader, checkpoint audit.Checkpoint, leaves []byte) {
	t.Helper()
	size := int64(checkpoint.Size)
	for n := int64(0); n < size; n += size/7 + 1 {
		proof, err := tlog.ProveRecord(size, n, reader)
		if err == nil {
			err = tlog.CheckRecord(proof, size, checkpoint.Root, n, tlog.Hash(leaves[n*tlog.HashSize:][:tlog.HashSize]))
		}
		if err != nil {
			t.Fatalf("proof of record %d of %d: %v", n, size, err)
		}
	}
}

// recompute makes the tree from the first size records, without the store's hashes. The search keys
// must fit the records. A log that is written to may have grown since its size was read; Scan must
// still give no record that Head does not count.
func recompute(t testing.TB, s audit.Store, log string, size uint64) (tree *audit.Tree, tiles []audit.Tile, leaves []byte) {
	t.Helper()
	tree = new(audit.Tree)
	scanned := uint64(0)
	for piece, err := range s.Scan(t.Context(), log, 0) {
		if err != nil {
			t.Fatal(err)
		}
		forms, err := piece.Unpack()
		if err != nil || piece.First != scanned {
			t.Fatalf("records from %d of %q: %v; expected those from %d", piece.First, log, err, scanned)
		}
		var records []*audit.Record
		for i, form := range forms {
			records = append(records, decoded(t, s, log, piece.First+uint64(i), form))
			if tree.Size() < size {
				leaf := form.Leaf()
				leaves, tiles = append(leaves, leaf[:]...), tree.Add(leaf, tiles)
			}
		}
		scanned += uint64(len(forms))
		if piece.Check == nil {
			continue
		}
		if err := piece.Check(records); err != nil {
			t.Fatalf("what records %d to %d of %q are found by: %v", piece.First, scanned, log, err)
		}
	}
	if head, err := s.Head(t.Context(), log); err != nil || scanned < size || scanned > head.Size {
		t.Fatalf("%d records of %q by Scan, want %d to %d (%v)", scanned, log, size, head.Size, err)
	}
	return tree, tiles, leaves
}

// decoded returns a record of Scan. A few of them are compared with the records of Get.
func decoded(t testing.TB, s audit.Store, log string, index uint64, form audit.Form) *audit.Record {
	t.Helper()
	record, err := audit.Decode(form)
	if err != nil {
		t.Fatalf("record %d of %q: %v", index, log, err)
	}
	record.Log, record.Index = log, index
	if index%13 != 0 {
		return record
	}
	got, err := s.Get(t.Context(), log, index)
	if err != nil || !reflect.DeepEqual(got, record) {
		t.Fatalf("record %d of %q: by Get %+v, %v; by Scan %+v", index, log, got, err, record)
	}
	return record
}
