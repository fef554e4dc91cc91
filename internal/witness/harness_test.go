package witness_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

// tester is what tests and property tests have in common.
type tester interface {
	Helper()
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// history is the tree of a log, as the log's owner has it.
type history struct {
	leaves []uint64
	stored []tlog.Hash
}

// ReadHashes implements tlog.HashReader.
func (h *history) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(h.stored)) {
			return nil, errors.New("no such hash")
		}
		hashes[i] = h.stored[index]
	}
	return hashes, nil
}

// grow adds a leaf for each value.
func (h *history) grow(t tester, values ...uint64) *history {
	t.Helper()
	for _, value := range values {
		hashes, err := tlog.StoredHashes(int64(len(h.leaves)), binary.BigEndian.AppendUint64(nil, value), h)
		if err != nil {
			t.Fatalf("%v", err)
		}
		h.leaves, h.stored = append(h.leaves, value), append(h.stored, hashes...)
	}
	return h
}

// grown returns a history with the leaves from, from+1 and so on.
func grown(t tester, size int, from uint64) *history {
	t.Helper()
	h := &history{}
	for i := range size {
		h.grow(t, from+uint64(i))
	}
	return h
}

// fork returns another history that has the first leaves in common.
func (h *history) fork(t tester, common int) *history {
	t.Helper()
	return new(history).grow(t, h.leaves[:common]...)
}

func (h *history) root(t tester, size uint64) tlog.Hash {
	t.Helper()
	root, err := tlog.TreeHash(int64(size), h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return root
}

func (h *history) prove(t tester, older, newer uint64) tlog.TreeProof {
	t.Helper()
	if older == 0 || older > newer {
		return nil
	}
	proof, err := tlog.ProveTree(int64(newer), int64(older), h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return proof
}

// signed returns the checkpoint of the history at a size.
func (h *history) signed(t tester, key *audit.Key, log string, size uint64) []byte {
	t.Helper()
	signed, err := audit.Checkpoint{Origin: audit.Origin(log), Size: size, Root: h.root(t, size), Purges: true}.Sign(key)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return signed
}

// logName is the log of most tests.
const logName = "gw-1"

var (
	startsAt = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	origin   = audit.Origin(logName)
)

// scene is a witness of one log, with its files.
type scene struct {
	t       *testing.T
	log     *audit.Key
	key     *cosignature.Key
	store   string
	keyFile string
	files   *witness.Files
	*witness.Witness
	clock time.Time
}

func newScene(t *testing.T) *scene {
	t.Helper()
	folder := t.TempDir()
	s := &scene{
		t: t, log: audittest.Key(t, logName), key: witnessKey(t), clock: startsAt,
		store: filepath.Join(folder, "witness.state"), keyFile: filepath.Join(folder, "witness.key"),
	}
	if err := witness.Begin(s.keyFile, s.key.Verifier()); err != nil {
		t.Fatal(err)
	}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	return s
}

func witnessKey(t tester) *cosignature.Key {
	t.Helper()
	key, err := cosignature.NewKey(bytes.NewReader(bytes.Repeat([]byte{7}, 32)), "testigo.example/w1")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return key
}

// open opens the files again, as a start does.
func (s *scene) open() (err error) {
	if s.files, err = witness.OpenFiles(s.store, s.keyFile, s.key.Verifier()); err != nil {
		return err
	}
	s.Witness, err = witness.New(s.key, []string{s.log.Verifier()}, s.files, func() time.Time { return s.clock })
	return err
}

// ask asks for a cosignature of the history at a size with an honest proof from old.
func (s *scene) ask(h *history, old, size uint64) (witness.Signed, error) {
	s.t.Helper()
	return s.Add(witness.Request{Old: old, Proof: h.prove(s.t, old, size), Checkpoint: h.signed(s.t, s.log, logName, size)}.Encode())
}

// must is ask for what has to be signed. It verifies the line.
func (s *scene) must(h *history, old, size uint64) witness.Signed {
	s.t.Helper()
	signed, err := s.ask(h, old, size)
	if err != nil {
		s.t.Fatalf("from %d to %d: %v", old, size, err)
	}
	cosigned := append(h.signed(s.t, s.log, logName, size), signed.Line...)
	opened, err := note.Open(cosigned, note.VerifierList(s.key.Verifier()))
	if err != nil {
		s.t.Fatalf("the line does not verify: %v\n%s", err, cosigned)
	}
	if when, err := cosignature.Time(opened.Sigs[0]); err != nil || !when.Equal(s.clock.Truncate(time.Second)) {
		s.t.Errorf("signed at %v, %v", when, err)
	}
	return signed
}

// reasonOf returns why a request was refused, 0 if it was not.
func reasonOf(t tester, err error) (reason witness.Reason, size uint64) {
	t.Helper()
	refusal, ok := errors.AsType[*witness.RefusalError](err)
	if err != nil && !ok {
		t.Fatalf("%v", err)
	}
	if refusal == nil {
		return 0, 0
	}
	return refusal.Reason, refusal.Size
}

// evidence returns the files with evidence.
func (s *scene) evidence() (all []witness.Evidence) {
	s.t.Helper()
	files, err := filepath.Glob(s.store + ".evidence/*")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		e, err := witness.ParseEvidence(text)
		if err != nil {
			s.t.Fatalf("%s: %v", file, err)
		}
		all = append(all, e)
	}
	return all
}
