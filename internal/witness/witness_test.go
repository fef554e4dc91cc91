package witness_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/witness"
)

// TestALogGrows: each checkpoint that continues the last one is signed, also the same one again.
func TestALogGrows(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 300, 0)
	old := uint64(0)
	for _, size := range []uint64{0, 0, 1, 2, 2, 3, 7, 8, 255, 256, 300} {
		s.clock = s.clock.Add(61e9)
		signed := s.must(h, old, size)
		head, found := s.files.Head(origin)
		if !found || head.Size != size || head.Root != h.Root(t, size) || !bytes.HasSuffix(head.Signed, signed.Line) {
			t.Errorf("%d: %v\n%s", size, found, head.Signed)
		}
		if _, err := audit.OpenCheckpoint(head.Signed, s.log.Verifier()); err != nil {
			t.Errorf("%d: the cosigned checkpoint is none of the log's: %v", size, err)
		}
		if err := s.open(); err != nil {
			t.Fatalf("%d: it does not start again: %v", size, err)
		}
		old = size
	}
	if all := s.evidence(); len(all) != 0 {
		t.Errorf("%d pieces of evidence against an honest log", len(all))
	}
}

// TestWhatIsRefused, and why. The witness has signed 5 records.
func TestWhatIsRefused(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	s.must(h, 0, 5)
	five, nine := h.Signed(t, s.log, logName, 5), h.Signed(t, s.log, logName, 9)
	proof, long := h.Prove(t, 5, 9), make(tlog.TreeProof, 64)
	other := h.Fork(t, 4).Grow(t, 50, 60, 70, 80, 90)
	stranger := h.Signed(t, audittest.Key(t, "gw-2"), "gw-2", 9)
	wrong := bytes.Clone(proof[0][:])
	wrong[31] ^= 1
	bad := append(tlog.TreeProof{tlog.Hash(wrong)}, proof[1:]...)
	encode := func(old uint64, proof tlog.TreeProof, checkpoint []byte) []byte {
		return witness.Request{Old: old, Proof: proof, Checkpoint: checkpoint}.Encode()
	}
	// The key signs a text that is no checkpoint.
	signer, err := note.NewSigner(s.log.Private())
	if err != nil {
		t.Fatal(err)
	}
	notOne, err := note.Sign(&note.Note{Text: origin + "\n09\n" + h.Root(t, 9).String() + "\n"}, signer)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body []byte
		want witness.Reason
		size uint64
	}{
		"nothing":                         {nil, witness.Malformed, 0},
		"no old size":                     {nine, witness.Malformed, 0},
		"an old size with a sign":         {[]byte("old +5\n\n" + string(nine)), witness.Malformed, 0},
		"an old size of 64 bits":          {[]byte("old 9223372036854775808\n\n" + string(nine)), witness.Malformed, 0},
		"no empty line":                   {[]byte("old 5\n" + string(nine)), witness.Malformed, 0},
		"a proof of 64 hashes":            {encode(5, long, nine), witness.Malformed, 0},
		"a proof of 31 bytes":             {[]byte("old 5\n" + strings.Repeat("A", 40) + "\n\n" + string(nine)), witness.Malformed, 0},
		"too long":                        {append(encode(5, proof, nine), bytes.Repeat([]byte("x"), witness.MaxRequest)...), witness.Malformed, 0},
		"no signature":                    {encode(5, proof, nine[:bytes.Index(nine, []byte("\n\n"))+2]), witness.Malformed, 0},
		"no checkpoint":                   {encode(5, proof, nil), witness.Malformed, 0},
		"what is signed is no checkpoint": {encode(5, proof, notOne), witness.Malformed, 0},
		"old above the checkpoint":        {encode(6, nil, five), witness.Malformed, 0},
		"another log":                     {encode(0, nil, stranger), witness.Unknown, 0},
		"another key":                     {encode(5, proof, bytes.Replace(nine, []byte("— "+origin), []byte("— other"), 1)), witness.Untrusted, 0},
		"changed after it was signed":     {encode(5, proof, bytes.Replace(nine, []byte("\n9\n"), []byte("\n8\n"), 1)), witness.Untrusted, 0},
		"no old size, as at first":        {encode(0, nil, nine), witness.Conflict, 5},
		"an old size that is too small":   {encode(4, h.Prove(t, 4, 9), nine), witness.Conflict, 5},
		"an older checkpoint":             {encode(4, nil, h.Signed(t, s.log, logName, 4)), witness.Conflict, 5},
		"a larger old size":               {encode(7, h.Prove(t, 7, 9), nine), witness.Conflict, 5},
		"a wrong proof":                   {encode(5, bad, nine), witness.Inconsistent, 0},
		"no proof":                        {encode(5, nil, nine), witness.Inconsistent, 0},
		"a proof with a hash too many":    {encode(5, append(slices.Clip(proof), proof[0]), nine), witness.Inconsistent, 0},
		"a proof for the same tree":       {encode(5, proof, five), witness.Inconsistent, 0},
		"the same size of another tree":   {encode(5, nil, other.Signed(t, s.log, logName, 5)), witness.Inconsistent, 0},
		"another history":                 {encode(5, other.Prove(t, 5, 9), other.Signed(t, s.log, logName, 9)), witness.Inconsistent, 0},
	} {
		_, err := s.Add(c.body)
		if reason, size := reasonOf(t, err); err == nil || reason != c.want || size != c.size {
			t.Errorf("%s: reason %d, size %d: %v", name, reason, size, err)
		}
		if head, _ := s.files.Head(origin); head.Size != 5 {
			t.Fatalf("%s: the newest head has %d records", name, head.Size)
		}
	}
	s.must(h, 5, 9)
}

// TestWhatIsRefusedAtFirst: the first checkpoint of a log has nothing to continue.
func TestWhatIsRefusedAtFirst(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	empty, err := audit.Checkpoint{Origin: origin, Root: h.Root(t, 3)}.Sign(s.log)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		request witness.Request
		want    witness.Reason
	}{
		"a proof":                        {witness.Request{Proof: h.Prove(t, 5, 9), Checkpoint: h.Signed(t, s.log, logName, 9)}, witness.Inconsistent},
		"an old size":                    {witness.Request{Old: 5, Proof: h.Prove(t, 5, 9), Checkpoint: h.Signed(t, s.log, logName, 9)}, witness.Conflict},
		"the root of an empty log wrong": {witness.Request{Checkpoint: empty}, witness.Inconsistent},
	} {
		_, err := s.Add(c.request.Encode())
		if reason, size := reasonOf(t, err); err == nil || reason != c.want || size != 0 {
			t.Errorf("%s: reason %d, size %d: %v", name, reason, size, err)
		}
	}
	if head, found := s.files.Head(origin); found {
		t.Errorf("it has a head of %d", head.Size)
	}
}

// TestALogWithTwoKeys: a checkpoint counts with either, unless the line of one of them is wrong. Lines of strangers
// do not count and are not kept.
func TestALogWithTwoKeys(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	second, err := audit.NewKey(bytes.NewReader(bytes.Repeat([]byte{3}, 32)), logName)
	if err != nil {
		t.Fatal(err)
	}
	stranger := audittest.Key(t, "gw-2")
	w, err := witness.New(s.key, []string{s.log.Verifier(), second.Verifier(), s.log.Verifier()}, s.files, startsAt.Local)
	if err != nil {
		t.Fatal(err)
	}
	lineBy := func(key *audit.Key, size uint64) []byte {
		signed := h.Signed(t, key, logName, size)
		return signed[bytes.Index(signed, []byte("\n\n"))+2:]
	}
	ask := func(old, size uint64, lines ...[]byte) error {
		signed := h.Signed(t, s.log, logName, size)
		text := signed[:bytes.Index(signed, []byte("\n\n"))+2]
		_, err := w.Add(witness.Request{Old: old, Proof: h.Prove(t, old, size), Checkpoint: append(slices.Clip(text), bytes.Join(lines, nil)...)}.Encode())
		return err
	}
	for i, lines := range [][][]byte{
		{lineBy(s.log, 1)}, {lineBy(second, 2)}, {lineBy(second, 3), lineBy(s.log, 3)}, {lineBy(stranger, 4), lineBy(s.log, 4)},
	} {
		if err := ask(uint64(i), uint64(i+1), lines...); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	for _, lines := range [][][]byte{{lineBy(stranger, 9)}, {lineBy(s.log, 9), lineBy(second, 8)}} {
		if reason, _ := reasonOf(t, ask(4, 9, lines...)); reason != witness.Untrusted {
			t.Errorf("reason %d for %s", reason, bytes.Join(lines, nil))
		}
	}
	if head, _ := s.files.Head(origin); bytes.Count(head.Signed, []byte("— ")) != 2 {
		t.Errorf("kept lines of others:\n%s", head.Signed)
	}
}

func TestWithoutLogsThereIsNoWitness(t *testing.T) {
	s := newScene(t)
	for _, keys := range [][]string{nil, {""}, {s.key.String()}, {s.log.Private()}} {
		if _, err := witness.New(s.key, keys, s.files, startsAt.Local); err == nil {
			t.Errorf("a witness of %q", keys)
		}
	}
}

// brokenStore fails to keep heads.
type brokenStore struct{ witness.Store }

func (brokenStore) Keep(witness.Head) error { return errors.New("the disk is full") }

func TestWhatCannotBeKeptIsNotSigned(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 3, 0)
	w, err := witness.New(s.key, []string{s.log.Verifier()}, brokenStore{s.files}, startsAt.Local)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := w.Add(witness.Request{Checkpoint: h.Signed(t, s.log, logName, 3)}.Encode())
	if err == nil || signed.Line != nil || errors.As(err, new(*witness.RefusalError)) {
		t.Errorf("%s, %v", signed.Line, err)
	}
}

// TestOneOfManyForksIsSigned: requests at the same time are decided one after the other.
func TestOneOfManyForksIsSigned(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 5, 0)
	s.must(h, 0, 5)
	const forks = 16
	bodies := make([][]byte, forks)
	for i := range bodies {
		fork := h.Fork(t, 5).Grow(t, uint64(1000+i))
		bodies[i] = witness.Request{Old: 5, Proof: fork.Prove(t, 5, 6), Checkpoint: fork.Signed(t, s.log, logName, 6)}.Encode()
	}
	var signed, refused atomic.Int32
	var all sync.WaitGroup
	for _, body := range bodies {
		all.Go(func() {
			switch reason, _ := reasonOf(t, second(s.Add(body))); reason {
			case 0:
				signed.Add(1)
			case witness.Conflict:
				refused.Add(1)
			default:
				t.Errorf("reason %d", reason)
			}
		})
	}
	all.Wait()
	if signed.Load() != 1 || refused.Load() != forks-1 {
		t.Errorf("%d signed, %d refused", signed.Load(), refused.Load())
	}
	// The old size of the others is wrong by then, and yet their heads speak against the log.
	if evidence := s.evidence(); len(evidence) != forks-1 {
		t.Errorf("%d pieces of evidence", len(evidence))
	}
}

func second[A any](_ A, err error) error { return err }
