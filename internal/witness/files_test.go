package witness_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/internal/witness"
)

// copyOf reads the files, and returns a function that puts them back. A file that was not there is removed.
func copyOf(t *testing.T, paths ...string) (restore func()) {
	t.Helper()
	before := map[string][]byte{}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil {
			before[path] = text
		}
	}
	return func() {
		for _, path := range paths {
			text, was := before[path]
			err := os.Remove(path)
			if was {
				err = os.WriteFile(path, text, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// wantRefused opens the files, which must fail with these words.
func (s *scene) wantRefused(words ...string) {
	s.t.Helper()
	err := s.open()
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			s.t.Errorf("want %q: %v", word, err)
		}
	}
}

// TestARestoredStoreIsNoticed at the start, which names both sizes and says what to do.
func TestARestoredStoreIsNoticed(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	empty := copyOf(t, s.store)
	s.must(h, 0, 5)
	older := copyOf(t, s.store)
	s.must(h, 5, 9)
	newest, signed := copyOf(t, s.store), copyOf(t, witness.SignedFile(s.keyFile))

	older()
	s.wantRefused("fielato/gw-1 with 5 records", "has signed 9", "Put the newest store back", "new key")
	empty()
	s.wantRefused("does not have the log fielato/gw-1", "signed with 9 records", "Put the newest store back")
	newest()
	if err := s.open(); err != nil {
		t.Errorf("the newest store: %v", err)
	}
	if err := os.Remove(witness.SignedFile(s.keyFile)); err != nil {
		t.Fatal(err)
	}
	s.wantRefused(witness.SignedFile(s.keyFile)+" is missing", "put it back", "new key")
	signed()
	if err := s.open(); err != nil {
		t.Errorf("all put back: %v", err)
	}
	s.must(h, 9, 9)
}

// TestBothFilesRestoredAreNoticedByASignature: the start cannot tell. A checkpoint with the witness's own signature
// can, and from then on nothing of the log is signed, also after a restart. Other logs are signed as before.
func TestBothFilesRestoredAreNoticedByASignature(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	other := audittest.Key(t, "gw-2")
	s.must(h, 0, 5)
	older := copyOf(t, s.store, witness.SignedFile(s.keyFile))
	signed := s.must(h, 5, 9)
	older()
	if err := s.open(); err != nil {
		t.Fatalf("nothing is to be seen yet: %v", err)
	}
	w, err := witness.New(s.key, []string{s.log.Verifier(), other.Verifier()}, s.files, startsAt.Local)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(old, size uint64, more []byte) error {
		body := witness.Request{Old: old, Proof: h.Prove(t, old, size), Checkpoint: append(h.Signed(t, s.log, logName, size), more...)}.Encode()
		return second(w.Add(body))
	}
	for _, more := range [][]byte{signed.Line, nil} {
		restored, ok := errors.AsType[*witness.RestoredError](ask(5, 9, more))
		if !ok || restored.Seen.Size != 9 || restored.Size != 5 || restored.Unnoted != nil {
			t.Errorf("with %q: %v", more, restored)
		}
	}
	if _, err := w.Add(witness.Request{Checkpoint: h.Signed(t, other, "gw-2", 3)}.Encode()); err != nil {
		t.Errorf("another log: %v", err)
	}
	s.wantRefused("fielato/gw-1 with 5 records", "has signed 9")
}

// TestASignatureOfItsOwnDoesNoHarm where the store has the tree, or a larger one. Nor does a wrong one.
func TestASignatureOfItsOwnDoesNoHarm(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 12, 0)
	five, nine := s.must(h, 0, 5), s.must(h, 5, 9)
	ask := func(old, size uint64, line []byte) error {
		return second(s.Add(witness.Request{Old: old, Proof: h.Prove(t, old, size), Checkpoint: append(h.Signed(t, s.log, logName, size), line...)}.Encode()))
	}
	if err := ask(9, 9, nine.Line); err != nil {
		t.Errorf("the newest once more: %v", err)
	}
	if reason, size := reasonOf(t, ask(5, 5, five.Line)); reason != witness.Conflict || size != 9 {
		t.Errorf("an older one: reason %d, size %d", reason, size)
	}
	if err := ask(9, 12, nine.Line); err != nil {
		t.Errorf("a signature of another tree: %v", err)
	}
}

// TestAnotherTreeOfTheSameSizeIsNoticed: the store of another life of the witness.
func TestAnotherTreeOfTheSameSizeIsNoticed(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	signed := copyOf(t, witness.SignedFile(s.keyFile), s.store)
	s.must(h, 0, 5)
	first := copyOf(t, s.store)
	signed()
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	s.must(h.Fork(t, 4).Grow(t, 100), 0, 5)
	first()
	s.wantRefused("another log fielato/gw-1 with 5 records")
}

// TestAStartCompletesWhatACrashHasLeft: the store has more than the file beside the key.
func TestAStartCompletesWhatACrashHasLeft(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	s.must(h, 0, 5)
	signed := copyOf(t, witness.SignedFile(s.keyFile))
	s.must(h, 5, 9)
	older := copyOf(t, s.store)
	signed()
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	if head, _ := s.files.Head(origin); head.Size != 9 {
		t.Errorf("the newest head has %d records", head.Size)
	}
	s.must(h, 9, 9)
	older()
	if err := s.open(); err != nil {
		t.Errorf("the same tree: %v", err)
	}
}

// TestFilesOfAnotherKeyAreRefused.
func TestFilesOfAnotherKeyAreRefused(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	s.must(h, 0, 5)
	own := s.key
	other, err := cosignature.NewKey(bytes.NewReader(bytes.Repeat([]byte{8}, 32)), "testigo.example/w2")
	if err != nil {
		t.Fatal(err)
	}
	s.key = other
	s.wantRefused("is about the key "+own.String(), other.String())
	s.keyFile = filepath.Join(t.TempDir(), "other.key")
	if err := witness.Begin(s.keyFile, other.Verifier()); err != nil {
		t.Fatal(err)
	}
	s.wantRefused("is of the witness "+own.String(), "a store of its own")
}

// TestAKeyThatIsGoneIsNotMadeAnew if it has signed something.
func TestAKeyThatIsGoneIsNotMadeAnew(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	if err := witness.Begin(s.keyFile, s.key.Verifier()); err != nil {
		t.Errorf("before it has signed anything: %v", err)
	}
	s.must(h, 0, 5)
	if err := witness.Begin(s.keyFile, s.key.Verifier()); err == nil || !strings.Contains(err.Error(), "fielato/gw-1 with 5 records") {
		t.Errorf("%v", err)
	}
}

// TestTheStoreHasManyLogs, each on its own.
func TestTheStoreHasManyLogs(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	logs, keys := []string{"north", "gw-1", "south", "a"}, []string(nil)
	for _, log := range logs {
		keys = append(keys, audittest.Key(t, log).Verifier())
	}
	for i, log := range logs {
		w, err := witness.New(s.key, keys, s.files, startsAt.Local)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(witness.Request{Checkpoint: h.Signed(t, audittest.Key(t, log), log, uint64(i+1))}.Encode()); err != nil {
			t.Errorf("%s: %v", log, err)
		}
		if err := s.open(); err != nil {
			t.Fatal(err)
		}
	}
	for i, log := range logs {
		if head, found := s.files.Head(audit.Origin(log)); !found || head.Size != uint64(i+1) {
			t.Errorf("%s: %v, %d records", log, found, head.Size)
		}
	}
	for _, file := range []string{s.store, witness.SignedFile(s.keyFile)} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
}

// TestNoBitOfTheFilesMayChange: a store that was changed, cut off or lengthened is refused.
func TestNoBitOfTheFilesMayChange(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	s.must(h, 0, 5)
	store, err := os.ReadFile(s.store)
	if err != nil {
		t.Fatal(err)
	}
	logLine := bytes.Index(store, []byte("— "+origin)) // the witness does not sign the log's own line
	for i := range store {
		changed := bytes.Clone(store)
		changed[i] ^= 1
		if state, err := witness.ParseState(changed); err == nil && (i < logLine || i > logLine+bytes.IndexByte(store[logLine:], '\n')) {
			t.Errorf("byte %d of the store does not count: %v", i, state.Heads)
		}
		if _, err := witness.ParseState(store[:i]); err == nil {
			t.Errorf("%d bytes of the store are enough", i)
		}
	}
	if _, err := witness.ParseState(append(bytes.Clone(store), '\n')); err == nil {
		t.Error("a longer store is taken")
	}
	file := witness.SignedFile(s.keyFile)
	signed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range signed {
		changed := bytes.Clone(signed)
		changed[i] ^= 1
		if err := os.WriteFile(file, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.open(); err == nil && !bytes.Contains(changed, []byte("\n4 ")) { // the store may have more
			t.Errorf("byte %d of the list does not count:\n%s", i, changed)
		}
		if _, err := witness.ParseSigned(signed[:i]); err == nil {
			t.Errorf("%d bytes of the list are enough", i)
		}
	}
}

// TestOneProcessSignsWithAKey at a time.
func TestOneProcessSignsWithAKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "witness.key")
	first, err := witness.LockKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := witness.LockKey(file); err == nil || !strings.Contains(err.Error(), "another witness runs with this key") {
		t.Errorf("%v, %v", second, err)
	}
	if err := first.Unlock(); err != nil {
		t.Error(err)
	}
	again, err := witness.LockKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Unlock(); err != nil {
		t.Error(err)
	}
}

// TestAFileThatCannotBeWrittenKeepsTheSignature: it does not leave, also when it is asked for again in the same
// second, until both files can be written.
func TestAFileThatCannotBeWrittenKeepsTheSignature(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	s.must(h, 0, 5)
	for _, file := range []string{s.store, witness.SignedFile(s.keyFile)} {
		blocked := file + durable.Temporary
		if err := os.MkdirAll(filepath.Join(blocked, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if signed, err := s.ask(h, 5, 9); err == nil || signed.Line != nil {
				t.Errorf("%s cannot be written, and yet it signs: %s", file, signed.Line)
			}
		}
		if head, _ := s.files.Head(origin); head.Size != 5 {
			t.Errorf("the newest head has %d records", head.Size)
		}
		if err := os.RemoveAll(blocked); err != nil {
			t.Fatal(err)
		}
	}
	s.must(h, 5, 9)
	if err := s.open(); err != nil {
		t.Error(err)
	}
}

// TestTheSameInTheSameSecondIsNotWrittenAgain: it is the same signature.
func TestTheSameInTheSameSecondIsNotWrittenAgain(t *testing.T) {
	s, h := newScene(t), audittest.NewHistory(t, 9, 0)
	first := s.must(h, 0, 5)
	before, err := os.Stat(s.store)
	if err != nil {
		t.Fatal(err)
	}
	again := s.must(h, 5, 5)
	same, err := os.Stat(s.store)
	if err != nil || !os.SameFile(before, same) || !bytes.Equal(first.Line, again.Line) {
		t.Errorf("%v: the store was written for the same signature", err)
	}
	s.clock = s.clock.Add(time.Second)
	later := s.must(h, 5, 5)
	if other, err := os.Stat(s.store); err != nil || os.SameFile(before, other) || bytes.Equal(first.Line, later.Line) {
		t.Errorf("%v: a later signature is not in the store", err)
	}
}
