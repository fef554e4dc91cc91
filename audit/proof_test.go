package audit_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tlogproof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// provable returns a store with so many records, the same in every run, and the public
// key of its log.
func provable(t testing.TB, records int) (*audittest.Memory, string) {
	t.Helper()
	s := audittest.NewMemory()
	key := audittest.Key(t, log)
	trail, err := audit.Open(t.Context(), s, log, key, audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	source := audittest.NewSource(7)
	for n := range uint64(records) {
		if _, err := trail.Append(t.Context(), source.Next(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	return s, key.Verifier()
}

func prove(t testing.TB, s audit.Store, verifier string, index uint64) *audit.Proof {
	t.Helper()
	p, err := audit.Prove(t.Context(), s, log, verifier, index)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProofHoldsByAnIndependentImplementation: the file is parsed, and the inclusion
// verified, by code of others.
func TestProofHoldsByAnIndependentImplementation(t *testing.T) {
	for _, records := range []int{1, 2, 7, 256, 600} {
		s, verifier := provable(t, records)
		for index := uint64(0); index < uint64(records); index += uint64(records)/9 + 1 {
			text := prove(t, s, verifier, index).Marshal()
			var theirs tlogproof.TLogProof
			if err := theirs.Unmarshal(text); err != nil {
				t.Fatalf("record %d of %d: %v", index, records, err)
			}
			if theirs.Index != index || !bytes.Equal(theirs.Marshal(), text) {
				t.Fatalf("record %d of %d is read as %d, or written in another way", index, records, theirs.Index)
			}
			checkpoint, err := audit.OpenCheckpoint(theirs.Checkpoint, verifier)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := audit.ParseProof(text)
			if err != nil {
				t.Fatal(err)
			}
			var path [][]byte
			for i := range theirs.Hashes {
				path = append(path, theirs.Hashes[i][:])
			}
			leaf := rfc6962.DefaultHasher.HashLeaf(ours.Form.Summary)
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, checkpoint.Size, leaf, path, checkpoint.Root[:]); err != nil {
				t.Errorf("record %d of %d: %v", index, records, err)
			}
			if proof.VerifyInclusion(rfc6962.DefaultHasher, index, checkpoint.Size, leaf[1:], path, checkpoint.Root[:]) == nil {
				t.Fatal("the independent implementation lets anything pass")
			}
		}
	}
}

// TestProofGivesBackTheRecord as the store has it.
func TestProofGivesBackTheRecord(t *testing.T) {
	s, verifier := provable(t, 40)
	for index := range uint64(40) {
		p, err := audit.ParseProof(prove(t, s, verifier, index).Marshal())
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Check(verifier)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Get(t.Context(), log, index)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("record %d: %v\n got %+v\nwant %+v", index, err, got, want)
		}
	}
	if _, err := audit.Prove(t.Context(), s, log, verifier, 40); !errors.Is(err, audit.ErrNotFound) {
		t.Errorf("a record that is not there: %v", err)
	}
	if _, err := audit.Prove(t.Context(), s, "other", verifier, 0); !errors.Is(err, audit.ErrNotFound) {
		t.Errorf("a log that is not there: %v", err)
	}
}

// TestProofIsTheGoldenOne: a kept proof must be of use with every later build.
func TestProofIsTheGoldenOne(t *testing.T) {
	s, verifier := provable(t, 21)
	got := prove(t, s, verifier, 17).Marshal()
	file := filepath.Join("testdata", "record-17.tlog-proof")
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
		t.Errorf("the proof of this record changed:\n got %s\nwant %s", got, want)
	}
}

// TestProofWithAnyChangeIsRefused: one bit of each byte, each byte left out, the end.
func TestProofWithAnyChangeIsRefused(t *testing.T) {
	s, verifier := provable(t, 21)
	whole := prove(t, s, verifier, 17).Marshal()
	holds := func(data []byte) error {
		p, err := audit.ParseProof(data)
		if err == nil {
			_, err = p.Check(verifier)
		}
		return err
	}
	if err := holds(whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 1 << (i % 8)
		shorter := append(bytes.Clone(whole[:i]), whole[i+1:]...)
		for name, data := range map[string][]byte{"a bit changed": changed, "a byte left out": shorter, "the rest cut off": whole[:i]} {
			err := holds(data)
			if err == nil {
				t.Errorf("byte %d: %s, and nobody sees it", i, name)
			}
			if i > 40 && !errors.Is(err, audit.ErrUnproven) {
				t.Errorf("byte %d: %s: %v, want ErrUnproven", i, name, err)
			}
		}
	}
}

// TestProofThatClaimsSomethingElseIsRefused: each changed part is well-formed.
func TestProofThatClaimsSomethingElseIsRefused(t *testing.T) {
	s, verifier := provable(t, 21)
	earlier, _ := provable(t, 20)
	foreign, err := audit.Checkpoint{Origin: "elsewhere", Size: 1}.Sign(audittest.Key(t, log))
	if err != nil {
		t.Fatal(err)
	}
	other, err := audit.NewKey(bytes.NewReader(make([]byte, 64)), log)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*audit.Proof)
		says   string
	}{
		"another index":            {func(p *audit.Proof) { p.Index = 16 }, "not those of the tree"},
		"an index after the last":  {func(p *audit.Proof) { p.Index = 21 }, "none of the 21"},
		"another record":           {func(p *audit.Proof) { p.Form = prove(t, s, verifier, 16).Form }, "not those of the tree"},
		"another record's content": {func(p *audit.Proof) { p.Form.Content = prove(t, s, verifier, 16).Form.Content }, "not the one that the summary names"},
		"an older checkpoint":      {func(p *audit.Proof) { p.Checkpoint = prove(t, earlier, verifier, 17).Checkpoint }, "not those of the tree"},
		"a hash too many":          {func(p *audit.Proof) { p.Hashes = append(p.Hashes, p.Hashes[0]) }, "not those of the tree"},
		"a checkpoint of no log":   {func(p *audit.Proof) { p.Checkpoint = foreign }, "not the log of a gateway"},
		"no checkpoint":            {func(p *audit.Proof) { p.Checkpoint = nil }, "not signed by the key"},
	} {
		p := prove(t, s, verifier, 17)
		test.change(p)
		read, err := audit.ParseProof(p.Marshal())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := read.Check(verifier); !errors.Is(err, audit.ErrUnproven) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
	p := prove(t, s, verifier, 17)
	if _, err := p.Check(other.Verifier()); !errors.Is(err, audit.ErrUnproven) {
		t.Errorf("another key: %v", err)
	}
	if _, err := p.Check("no key"); err == nil || errors.Is(err, audit.ErrUnproven) {
		t.Errorf("no key: %v", err)
	}
}

// TestProofThatIsNoneOrNewerIsNotCalledBroken.
func TestProofThatIsNoneOrNewerIsNotCalledBroken(t *testing.T) {
	s, verifier := provable(t, 2)
	text := string(prove(t, s, verifier, 0).Marshal())
	for name, data := range map[string]string{
		"nothing":           "",
		"something else":    "%PDF-1.7\n",
		"a newer form":      strings.Replace(text, "@v1", "@v2", 1),
		"a newer packing":   strings.Replace(text, "extra AQ", "extra Ag", 1),
		"no record":         "c2sp.org/tlog-proof@v1\nindex 0\n\n",
		"more than is read": text + strings.Repeat("\n", audit.MaxProof),
	} {
		if _, err := audit.ParseProof([]byte(data)); err == nil || errors.Is(err, audit.ErrUnproven) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProveHandsOutNothingThatDoesNotHold: the store does not fit its checkpoint.
func TestProveHandsOutNothingThatDoesNotHold(t *testing.T) {
	s, verifier := provable(t, 600)
	flip := func(b []byte) []byte { b[5] ^= 1; return b }
	for name, store := range map[string]*audittest.Twisted{
		"a changed tile":      {OnTile: flip},
		"a changed leaf hash": {OnLeaves: flip},
		"another size":        {OnHead: func(h audit.Head) audit.Head { h.Size--; return h }},
		"no checkpoint":       {OnHead: func(h audit.Head) audit.Head { h.Checkpoint = nil; return h }},
	} {
		store.Store = s
		if p, err := audit.Prove(t.Context(), store, log, verifier, 590); !errors.Is(err, audit.ErrUnproven) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

// FuzzParseProof: no text makes it panic, each that it takes is the one that Marshal
// writes, and one that holds is of a record of the log.
func FuzzParseProof(f *testing.F) {
	s, verifier := provable(f, 21)
	for index := range uint64(21) {
		f.Add(prove(f, s, verifier, index).Marshal())
	}
	f.Add(prove(f, &purged{s}, verifier, 3).Marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := audit.ParseProof(data)
		if err != nil {
			return
		}
		if !bytes.Equal(p.Marshal(), data) {
			t.Error("two texts of one proof")
		}
		got, err := p.Check(verifier)
		if err != nil {
			return
		}
		if want, err := s.Get(t.Context(), log, p.Index); err != nil || got.ID != want.ID || got.Kind != want.Kind {
			t.Errorf("a proof of what was never written: %+v", got)
		}
	})
}
