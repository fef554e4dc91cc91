package witness_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/witness"
)

// memory is a store that forgets nothing but with its process. Who has asked for a head lets others go first.
type memory struct {
	mu       sync.Mutex
	heads    map[string]witness.Head
	kept     []witness.Head
	findings []witness.Finding
}

func (m *memory) Head(origin string) (witness.Head, bool) {
	defer runtime.Gosched()
	m.mu.Lock()
	defer m.mu.Unlock()
	head, found := m.heads[origin]
	return head, found
}

func (m *memory) Keep(head witness.Head) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heads[head.Origin], m.kept = head, append(m.kept, head)
	return nil
}

func (m *memory) KeepEvidence(_ string, _ witness.Evidence, f witness.Finding) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.findings = append(m.findings, f)
	return nil
}

func (*memory) DropUnproven(witness.Head) {}

func (*memory) NoteSigned(witness.SignedTree) error { return errors.New("nothing is restored here") }

// question is a request as the test drew it.
type question struct {
	branch *audittest.History
	size   uint64
	old    uint64
	// honest: the branch gives the proof; else its hashes are made up.
	honest bool
	proof  tlog.TreeProof
}

func (q question) body(t tester, key *audit.Key) []byte {
	return witness.Request{Old: q.old, Proof: q.proof, Checkpoint: q.branch.Signed(t, key, logName, q.size)}.Encode()
}

// model is a naive witness: it remembers all records below what it has signed, and compares them one by one.
type model struct {
	signed bool
	leaves []uint64
}

// answer returns the decision of the naive witness, and signs.
func (m *model) answer(q question) witness.Reason {
	size := uint64(len(m.leaves))
	switch {
	case q.old > q.size:
		return witness.Malformed
	case q.old != size:
		return witness.Conflict
	case !slices.Equal(m.leaves, q.branch.Leaves[:size]), !q.honest:
		return witness.Inconsistent
	}
	m.signed, m.leaves = true, slices.Clone(q.branch.Leaves[:q.size])
	return 0
}

// drawQuestion draws a request, which often fits what was signed last.
func drawQuestion(t *rapid.T, branches []*audittest.History, newest uint64) question {
	q := question{branch: rapid.SampledFrom(branches).Draw(t, "branch"), honest: true}
	most := uint64(len(q.branch.Leaves))
	q.size = rapid.Uint64Range(0, most).Draw(t, "size")
	if rapid.Bool().Draw(t, "is larger") {
		q.size = rapid.Uint64Range(min(newest, most), most).Draw(t, "size above")
	}
	q.old = newest
	if rapid.IntRange(0, 3).Draw(t, "kind of old size") == 0 {
		q.old = rapid.Uint64Range(0, most+1).Draw(t, "old")
	}
	q.proof = q.branch.Prove(t, q.old, q.size)
	if rapid.IntRange(0, 4).Draw(t, "kind of proof") == 0 {
		made := slices.Clone(q.proof)
		switch place := rapid.IntRange(0, len(made)).Draw(t, "place"); {
		case place == len(made):
			made = append(made, tlog.Hash{1})
		case rapid.Bool().Draw(t, "drops"):
			made = slices.Delete(made, place, place+1)
		default:
			made[place][rapid.IntRange(0, 31).Draw(t, "byte")] ^= 1
		}
		q.proof, q.honest = made, false
	}
	return q
}

// drawBranches returns histories of a log that have some beginnings in common.
func drawBranches(t *rapid.T) []*audittest.History {
	branches := []*audittest.History{audittest.NewHistory(t, rapid.IntRange(0, 70).Draw(t, "records"), 0)}
	for i := range rapid.IntRange(0, 3).Draw(t, "forks") {
		from := rapid.SampledFrom(branches).Draw(t, "forked")
		fork := from.Fork(t, rapid.IntRange(0, len(from.Leaves)).Draw(t, "in common"))
		for n := range rapid.IntRange(0, 20).Draw(t, "more records") {
			fork.Grow(t, uint64(1000*(i+1)+n))
		}
		branches = append(branches, fork)
	}
	return branches
}

// TestAWitnessDoesAsTheNaiveOne, whatever is asked in whatever order.
func TestAWitnessDoesAsTheNaiveOne(t *testing.T) {
	log, key := audittest.Key(t, logName), witnessKey(t)
	rapid.Check(t, func(t *rapid.T) {
		branches, store, naive := drawBranches(t), &memory{heads: map[string]witness.Head{}}, &model{}
		w, err := witness.New(key, []string{log.Verifier()}, store, func() time.Time { return startsAt })
		if err != nil {
			t.Fatalf("%v", err)
		}
		for range rapid.IntRange(1, 20).Draw(t, "requests") {
			q := drawQuestion(t, branches, uint64(len(naive.leaves)))
			newest, findings := naive.leaves, len(store.findings)
			want := naive.answer(q)
			reason, size := reasonOf(t, second(w.Add(q.body(t, log))))
			if reason != want || reason == witness.Conflict && size != uint64(len(newest)) {
				t.Fatalf("reason %d with size %d, the naive witness has %d with %d", reason, size, want, len(newest))
			}
			for _, f := range store.findings[findings:] {
				wantFinding(t, f, newest, q)
			}
			if forked := q.size == uint64(len(newest)) && !slices.Equal(newest, q.branch.Leaves[:q.size]); forked && naive.signed && len(store.findings) == findings {
				t.Errorf("nothing was kept of a fork at %d", q.size)
			}
		}
		wantOneHistory(t, store.kept, branches)
	})
}

// wantFinding checks a finding against the records themselves.
func wantFinding(t *rapid.T, f witness.Finding, newest []uint64, q question) {
	differ := q.size >= uint64(len(newest)) && !slices.Equal(newest, q.branch.Leaves[:len(newest)])
	if f.Verdict.Contradicts() && !differ {
		t.Errorf("an honest log is accused: %s", f.Verdict)
	}
	if f.Verdict == witness.Rewritten && f.Other != q.branch.Root(t, uint64(len(newest))) {
		t.Errorf("the other root at %d is not the one of the refused history", len(newest))
	}
}

// wantOneHistory checks that no two heads that were signed contradict each other, and that none is smaller than one
// before it.
func wantOneHistory(t *rapid.T, signed []witness.Head, branches []*audittest.History) {
	for i := 1; i < len(signed); i++ {
		older, newer := signed[i-1], signed[i]
		both := slices.ContainsFunc(branches, func(h *audittest.History) bool {
			return uint64(len(h.Leaves)) >= newer.Size && h.Root(t, newer.Size) == newer.Root && h.Root(t, min(older.Size, newer.Size)) == older.Root
		})
		if older.Size > newer.Size || !both {
			t.Errorf("signed %d, then %d: not one history", older.Size, newer.Size)
		}
	}
}

// TestManyAskAtTheSameTime: all signatures are of one history, in whatever order they were asked for.
func TestManyAskAtTheSameTime(t *testing.T) {
	log, key := audittest.Key(t, logName), witnessKey(t)
	rapid.Check(t, func(t *rapid.T) {
		branches, store := drawBranches(t), &memory{heads: map[string]witness.Head{}}
		w, err := witness.New(key, []string{log.Verifier()}, store, func() time.Time { return startsAt })
		if err != nil {
			t.Fatalf("%v", err)
		}
		var bodies [][]byte
		for range rapid.IntRange(2, 24).Draw(t, "requests") {
			newest := rapid.Uint64Range(0, 70).Draw(t, "as if newest")
			bodies = append(bodies, drawQuestion(t, branches, newest).body(t, log))
		}
		failed := make([]error, len(bodies))
		var all sync.WaitGroup
		for i, body := range bodies {
			all.Go(func() { _, failed[i] = w.Add(body) })
		}
		all.Wait()
		for _, err := range failed {
			if _, refused := errors.AsType[*witness.RefusalError](err); err != nil && !refused {
				t.Errorf("%v", err)
			}
		}
		wantOneHistory(t, store.kept, branches)
	})
}
