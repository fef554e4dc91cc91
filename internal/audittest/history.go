package audittest

import (
	"encoding/binary"
	"errors"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// Failer is what tests and property tests have in common.
type Failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// History is the tree of a log that has numbers for records: quick to grow, to fork and to prove from. It keeps
// all hashes and is a tlog.HashReader. The zero History has no records.
type History struct {
	// Leaves are the numbers of its records.
	Leaves []uint64
	stored []tlog.Hash
}

// NewHistory returns a history with so many records, from the number first on.
func NewHistory(t Failer, records int, first uint64) *History {
	t.Helper()
	h := &History{}
	for i := range records {
		h.Grow(t, first+uint64(i))
	}
	return h
}

// ReadHashes implements tlog.HashReader.
func (h *History) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(h.stored)) {
			return nil, errors.New("the history has no such hash")
		}
		hashes[i] = h.stored[index]
	}
	return hashes, nil
}

// Grow adds a record for each number, and returns the history.
func (h *History) Grow(t Failer, numbers ...uint64) *History {
	t.Helper()
	for _, number := range numbers {
		hashes, err := tlog.StoredHashes(int64(len(h.Leaves)), binary.BigEndian.AppendUint64(nil, number), h)
		if err != nil {
			t.Fatalf("growing a history: %v", err)
		}
		h.Leaves, h.stored = append(h.Leaves, number), append(h.stored, hashes...)
	}
	return h
}

// Fork returns another history, which has the first records in common.
func (h *History) Fork(t Failer, common int) *History {
	t.Helper()
	return new(History).Grow(t, h.Leaves[:common]...)
}

// Root returns the root of the tree of the first records.
func (h *History) Root(t Failer, size uint64) tlog.Hash {
	t.Helper()
	root, err := tlog.TreeHash(int64(size), h)
	if err != nil {
		t.Fatalf("the root of a history at %d: %v", size, err)
	}
	return root
}

// Prove returns the consistency proof between two sizes, none where there is nothing to prove.
func (h *History) Prove(t Failer, older, newer uint64) tlog.TreeProof {
	t.Helper()
	if older == 0 || older > newer {
		return nil
	}
	proof, err := tlog.ProveTree(int64(newer), int64(older), h)
	if err != nil {
		t.Fatalf("proving a history from %d to %d: %v", older, newer, err)
	}
	return proof
}

// Signed returns the checkpoint at a size, as the key signs it for the log.
func (h *History) Signed(t Failer, key *audit.Key, log string, size uint64) []byte {
	t.Helper()
	signed, err := audit.Checkpoint{Origin: audit.Origin(log), Size: size, Root: h.Root(t, size), Purges: true}.Sign(key)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return signed
}
