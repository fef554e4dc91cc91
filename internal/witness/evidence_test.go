package witness_test

import (
	"bytes"
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/witness"
)

// TestTheRootThatAProofIsFor, for all sizes of small trees.
func TestTheRootThatAProofIsFor(t *testing.T) {
	h := audittest.NewHistory(t, 70, 0)
	for size := uint64(1); size <= 70; size++ {
		for old := uint64(0); old <= size+1; old++ {
			proof := h.Prove(t, old, size)
			root, found := witness.PrefixRoot(proof, size, old)
			inside := old > 0 && old < size && bits.OnesCount64(old) > 1
			if found != inside || found && root != h.Root(t, old) {
				t.Errorf("%d in %d: %v", old, size, found)
			}
			if !inside {
				continue
			}
			for _, wrong := range []tlog.TreeProof{proof[1:], append(slices.Clip(proof), tlog.Hash{})} {
				root, found := witness.PrefixRoot(wrong, size, old)
				if found && tlog.CheckTree(wrong, int64(size), h.Root(t, size), int64(old), root) == nil {
					t.Errorf("%d in %d: a proof of %d hashes holds", old, size, len(wrong))
				}
			}
		}
	}
}

// TestEvidenceAgainstALog: the file about a checkpoint that the log's own key has signed, and its verdict.
func TestEvidenceAgainstALog(t *testing.T) {
	for name, c := range map[string]struct {
		has, old, size uint64
		common         int
		garbage        bool
		want           witness.Verdict // none for nothing
	}{
		"another tree of the same size":                 {5, 5, 5, 4, false, witness.Forked},
		"the same, though the old size is wrong":        {5, 3, 5, 4, false, witness.Forked},
		"the same at a power of 2":                      {4, 4, 4, 3, false, witness.Forked},
		"a rewritten log with its own proof":            {5, 5, 9, 4, false, witness.Rewritten},
		"the same, rewritten from its first record":     {7, 7, 8, 0, false, witness.Rewritten},
		"the same at a power of 2, where none is shown": {4, 4, 9, 3, false, witness.Unproven},
		"a rewritten log with a wrong proof":            {5, 5, 9, 4, true, witness.Unproven},
		"an honest log with a wrong proof":              {5, 5, 9, 9, true, witness.Unproven},
		"an honest log, the old size is wrong":          {5, 3, 9, 9, false, ""},
		"a shorter log":                                 {5, 3, 3, 2, false, ""},
		"an honest log":                                 {5, 5, 9, 9, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := newScene(t), audittest.NewHistory(t, 9, 0)
			s.must(h, 0, c.has)
			fork := h.Fork(t, c.common)
			for len(fork.Leaves) < 9 {
				fork.Grow(t, uint64(100+len(fork.Leaves)))
			}
			request := witness.Request{Old: c.old, Proof: fork.Prove(t, c.old, c.size), Checkpoint: fork.Signed(t, s.log, logName, c.size)}
			if c.garbage {
				request.Proof[0][0] ^= 1
			}
			_, err := s.Add(request.Encode())
			contradiction, accused := errors.AsType[*witness.ContradictionError](err)
			all := s.evidence()
			if c.want == "" {
				if accused || len(all) != 0 {
					t.Errorf("%v, %d pieces of evidence", err, len(all))
				}
				return
			}
			if !accused || contradiction.Unkept != nil || contradiction.Finding.Verdict != c.want || len(all) != 1 {
				t.Fatalf("%v, %d pieces of evidence", err, len(all))
			}
			finding, err := all[0].Judge([]string{s.log.Verifier()})
			if err != nil || finding != contradiction.Finding || finding.Older.Size != c.has || finding.Refused.Size != c.size {
				t.Errorf("%v: %+v", err, finding)
			}
			if finding.Verdict == witness.Rewritten && finding.Other != fork.Root(t, c.has) {
				t.Error("the other root is not the one of the other history")
			}
			if !all[0].Seen.Equal(s.clock) {
				t.Errorf("seen at %v", all[0].Seen)
			}
		})
	}
}

// TestEvidenceCountsOnlyWithTheKeyOfTheLog and as it was signed: nobody can make up any.
func TestEvidenceCountsOnlyWithTheKeyOfTheLog(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	s.must(h, 0, 5)
	fork := h.Fork(t, 4).Grow(t, 100, 101, 102, 103, 104)
	if _, err := s.ask(fork, 5, 9); err == nil {
		t.Fatal("signed")
	}
	e, keys := s.evidence()[0], []string{s.log.Verifier()}
	stranger := audittest.Key(t, "gw-2")
	if f, err := e.Judge([]string{stranger.Verifier()}); err == nil {
		t.Errorf("by the key of another log: %s", f.Verdict)
	}
	forged := e
	forged.Refused = fork.Signed(t, stranger, logName, 9)
	if f, err := forged.Judge(keys); err == nil {
		t.Errorf("signed by a stranger: %s", f.Verdict)
	}
	forged.Refused = bytes.Replace(e.Refused, []byte("\n9\n"), []byte("\n5\n"), 1)
	if f, err := forged.Judge(keys); err == nil {
		t.Errorf("changed after it was signed: %s", f.Verdict)
	}
	// A proof counts for nothing but the heads that it leads between.
	for i := range e.Proof {
		forged = e
		forged.Proof = append(tlog.TreeProof(nil), e.Proof...)
		forged.Proof[i][3] ^= 1
		if f, err := forged.Judge(keys); err != nil || f.Verdict != witness.Unproven {
			t.Errorf("hash %d changed: %s, %v", i, f.Verdict, err)
		}
	}
	honest := e
	honest.Refused, honest.Proof = h.Signed(t, s.log, logName, 9), h.Prove(t, 5, 9)
	if f, err := honest.Judge(keys); err != nil || f.Verdict != witness.Consistent {
		t.Errorf("two heads of one history: %s, %v", f.Verdict, err)
	}
	honest.Refused = honest.Signed
	if f, err := honest.Judge(keys); err != nil || f.Verdict != witness.Consistent {
		t.Errorf("the same head twice: %s, %v", f.Verdict, err)
	}
}

// TestEvidenceHasItsRoom: wrong proofs, which anybody can send, leave room for proof. A file that is there
// is not replaced.
func TestEvidenceHasItsRoom(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 100, 0)
	s.must(h, 0, 5)
	refused := func(h *audittest.History, size uint64, proof tlog.TreeProof) error {
		_, err := s.Add(witness.Request{Old: 5, Proof: proof, Checkpoint: h.Signed(t, s.log, logName, size)}.Encode())
		contradiction, ok := errors.AsType[*witness.ContradictionError](err)
		if !ok {
			t.Fatalf("%v", err)
		}
		return contradiction.Unkept
	}
	for i := range uint64(witness.MaxUnproven + 3) {
		if err := refused(h, 6+i, nil); errors.Is(err, witness.ErrNoRoom) != (i >= witness.MaxUnproven) {
			t.Errorf("wrong proof %d: %v", i, err)
		}
	}
	if err := refused(h, 6, nil); err != nil {
		t.Errorf("what is there already: %v", err)
	}
	for i := range uint64(witness.MaxProven + 3) {
		fork := h.Fork(t, 4).Grow(t, 1000+i)
		if err := refused(fork, 5, nil); errors.Is(err, witness.ErrNoRoom) != (i >= witness.MaxProven) {
			t.Errorf("fork %d: %v", i, err)
		}
	}
	if all, proven := s.files.Evidence(origin); all != witness.MaxUnproven+witness.MaxProven || proven != witness.MaxProven {
		t.Errorf("%d pieces of evidence, %d prove something", all, proven)
	}
	// The right proof for one of the heads comes: nothing speaks against that any more.
	s.must(h, 5, 7)
	if all, proven := s.files.Evidence(origin); all != witness.MaxUnproven+witness.MaxProven-1 || proven != witness.MaxProven {
		t.Errorf("%d pieces of evidence, %d prove something", all, proven)
	}
	if all, _ := s.files.Evidence("another"); all != 0 {
		t.Errorf("%d pieces of evidence against another log", all)
	}
	files, err := filepath.Glob(s.store + ".evidence/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(filepath.Base(file), witness.LogID(origin)[:16]) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
