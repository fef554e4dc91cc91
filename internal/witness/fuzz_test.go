package witness_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/witness"
)

// proofOf makes hashes of all bytes, 63 at most.
func proofOf(hashes []byte) (proof tlog.TreeProof) {
	for part := range slices.Chunk(hashes, tlog.HashSize) {
		var hash tlog.Hash
		copy(hash[:], part)
		proof = append(proof, hash)
	}
	return proof[:min(len(proof), 63)]
}

// example returns two heads of a log and the proof between them.
func example(f *testing.F) (older, newer []byte, proof tlog.TreeProof) {
	h, key := audittest.NewHistory(f, 9, 0), audittest.Key(f, logName)
	return h.Signed(f, key, logName, 5), h.Signed(f, key, logName, 9), h.Prove(f, 5, 9)
}

// FuzzParseRequest: a text that is read is written as it was.
func FuzzParseRequest(f *testing.F) {
	_, newer, proof := example(f)
	f.Add(witness.Request{Old: 5, Proof: proof, Checkpoint: newer}.Encode())
	f.Add(witness.Request{Checkpoint: newer}.Encode())
	f.Fuzz(func(t *testing.T, body []byte) {
		if r, err := witness.ParseRequest(body); err == nil && !bytes.Equal(r.Encode(), body) {
			t.Errorf("%q is read as %q", body, r.Encode())
		}
	})
}

// FuzzEncodeRequest: a value that is written is read as it was.
func FuzzEncodeRequest(f *testing.F) {
	_, newer, proof := example(f)
	f.Add(uint64(5), proof[0][:], newer)
	f.Fuzz(func(t *testing.T, old uint64, hashes, checkpoint []byte) {
		want := witness.Request{Old: old >> 1, Proof: proofOf(hashes), Checkpoint: checkpoint}
		if len(checkpoint) == 0 || len(want.Encode()) > witness.MaxRequest {
			return
		}
		r, err := witness.ParseRequest(want.Encode())
		if err != nil || r.Old != want.Old || !slices.Equal(r.Proof, want.Proof) || !bytes.Equal(r.Checkpoint, checkpoint) {
			t.Errorf("%+v is read as %+v: %v", want, r, err)
		}
	})
}

// FuzzParseEvidence: a text that is read is written as it was, and judging it does no harm.
func FuzzParseEvidence(f *testing.F) {
	older, newer, proof := example(f)
	f.Add(witness.Evidence{Seen: startsAt, Signed: older, Refused: newer, Proof: proof}.Encode())
	f.Add(witness.Evidence{Seen: startsAt, Signed: newer, Refused: newer}.Encode())
	keys := []string{audittest.Key(f, logName).Verifier()}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := witness.ParseEvidence(text)
		if err != nil {
			return
		}
		if !bytes.Equal(e.Encode(), text) {
			t.Errorf("%q is read as %q", text, e.Encode())
		}
		if finding, err := e.Judge(keys); err == nil && finding.Verdict.Contradicts() {
			t.Errorf("an honest log is accused: %q", text)
		}
	})
}

// FuzzEncodeEvidence: a value that is written is read as it was.
func FuzzEncodeEvidence(f *testing.F) {
	older, newer, proof := example(f)
	f.Add(startsAt.Unix(), older, newer, proof[0][:])
	f.Fuzz(func(t *testing.T, seen int64, signed, refused, hashes []byte) {
		want := witness.Evidence{Seen: time.Unix(max(seen, 0), 0), Signed: signed, Refused: refused, Proof: proofOf(hashes)}
		if len(want.Encode()) > witness.MaxEvidence {
			return
		}
		e, err := witness.ParseEvidence(want.Encode())
		if err != nil || !e.Seen.Equal(want.Seen) || !bytes.Equal(e.Signed, signed) || !bytes.Equal(e.Refused, refused) || !slices.Equal(e.Proof, want.Proof) {
			t.Errorf("%+v is read as %+v: %v", want, e, err)
		}
	})
}

// FuzzParseState: a text that is read is written as it was, and has the witness's own signatures.
func FuzzParseState(f *testing.F) {
	older, newer, _ := example(f)
	key := witnessKey(f)
	state := witness.State{Witness: key.Verifier()}
	f.Add(state.Encode())
	f.Add(bytes.TrimSuffix(state.Encode(), []byte("\n"))) // it was cut off
	for _, checkpoint := range [][]byte{older, newer} {
		text, _, _ := bytes.Cut(checkpoint, []byte("\n\n"))
		signed, err := note.Sign(&note.Note{Text: string(text) + "\n"}, key.At(startsAt))
		if err != nil {
			f.Fatal(err)
		}
		state.Heads = []witness.Head{{Signed: signed}}
		f.Add(state.Encode())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := witness.ParseState(text)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Encode(), text) {
			t.Errorf("%q is read as %q", text, s.Encode())
		}
		for _, head := range s.Heads {
			if _, err := note.Open(head.Signed, note.VerifierList(s.Witness)); err != nil || head.Origin == "" {
				t.Errorf("%q: %v", head.Signed, err)
			}
		}
	})
}

// FuzzParseSigned: a text that is read is written as it was.
func FuzzParseSigned(f *testing.F) {
	list := witness.SignedTrees{Witness: witnessKey(f).Verifier()}
	f.Add(list.Encode())
	list.Trees = []witness.SignedTree{{Origin: "a", Size: 1, Root: tlog.Hash{1}}, {Origin: origin, Size: 5}}
	f.Add(list.Encode())
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := witness.ParseSigned(text); err == nil && !bytes.Equal(s.Encode(), text) {
			t.Errorf("%q is read as %q", text, s.Encode())
		}
	})
}
