package witness_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

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
func (s *scene) ask(h *audittest.History, old, size uint64) (witness.Signed, error) {
	s.t.Helper()
	return s.Add(witness.Request{Old: old, Proof: h.Prove(s.t, old, size), Checkpoint: h.Signed(s.t, s.log, logName, size)}.Encode())
}

// must is ask for what has to be signed. It verifies the line.
func (s *scene) must(h *audittest.History, old, size uint64) witness.Signed {
	s.t.Helper()
	signed, err := s.ask(h, old, size)
	if err != nil {
		s.t.Fatalf("from %d to %d: %v", old, size, err)
	}
	cosigned := append(h.Signed(s.t, s.log, logName, size), signed.Line...)
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
