package audit_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	tlogproof "github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
)

var cosignedAt = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// grow appends so many records to the log of provable.
func grow(t *testing.T, s audit.Store, records int) {
	t.Helper()
	writer, err := audit.Open(t.Context(), s, log, audittest.Key(t, log), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source := audittest.NewSource(9)
	for n := range uint64(records) {
		if _, err := writer.Append(t.Context(), source.Next(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAProofIsAgainstTheCosignedCheckpoint where that covers the record, and carries the witness's line.
func TestAProofIsAgainstTheCosignedCheckpoint(t *testing.T) {
	s, verifier := provable(t, 300)
	witness := audittest.Witness(t, "testigo.example/w1")
	signed := audittest.CosignNewest(t, s, log, cosignedAt, witness)
	grow(t, s, 20)
	for _, index := range []uint64{0, 17, 299} {
		text := prove(t, s, verifier, index).Marshal()
		var parsed tlogproof.TLogProof
		if err := parsed.Unmarshal(text); err != nil {
			t.Fatal(err)
		}
		opened, err := note.Open(parsed.Checkpoint, note.VerifierList(witness.Verifier()))
		if err != nil || !bytes.Equal(parsed.Checkpoint, signed) {
			t.Fatalf("record %d: %v\n%s", index, err, parsed.Checkpoint)
		}
		if at, err := cosignature.Time(opened.Sigs[0]); err != nil || !at.Equal(cosignedAt) {
			t.Errorf("signed at %v, %v", at, err)
		}
	}
	for _, index := range []uint64{300, 319} {
		if p := prove(t, s, verifier, index); strings.Contains(string(p.Checkpoint), "testigo") {
			t.Errorf("record %d is younger than what the witness has signed:\n%s", index, p.Checkpoint)
		}
	}
}

// TestACosignedCheckpointOfAnotherKeyCountsAsNone: the log has got a new key since, or somebody has written into the
// store.
func TestACosignedCheckpointOfAnotherKeyCountsAsNone(t *testing.T) {
	s, verifier := provable(t, 30)
	for _, kept := range [][]byte{nil, []byte("nothing"), bytes.Replace(audittest.CosignNewest(t, s, log, cosignedAt), []byte("\n30\n"), []byte("\n29\n"), 1)} {
		if err := s.SetSetting(t.Context(), audit.CosignedSetting(log), kept); err != nil {
			t.Fatal(err)
		}
		if _, err := prove(t, s, verifier, 7).Check(verifier); err != nil {
			t.Error(err)
		}
		if report, err := verify.Log(t.Context(), s, log, verifier, verify.Options{}); err != nil || !report.Sound() || report.Cosigned != nil {
			t.Errorf("%v: %+v", err, report.Flaws)
		}
	}
}

// TestVerifyComparesTheLogWithWhatWasCosigned.
func TestVerifyComparesTheLogWithWhatWasCosigned(t *testing.T) {
	witness := audittest.Witness(t, "testigo.example/w1")
	s, verifier := provable(t, 30)
	signed := audittest.CosignNewest(t, s, log, cosignedAt, witness)
	older, _ := provable(t, 20)
	other, _ := provable(t, 20)
	grow(t, other, 20)
	for name, test := range map[string]struct {
		store audit.Store
		kind  audit.FlawKind
		says  string
	}{
		"the same": {s, "", ""}, "an older copy": {older, audit.FlawCutOff, "cosigned checkpoint in the store is over 30 records"},
		"another history": {other, audit.FlawKept, "not an extension of the cosigned checkpoint"},
	} {
		if err := test.store.SetSetting(t.Context(), audit.CosignedSetting(log), signed); err != nil {
			t.Fatal(err)
		}
		report, err := verify.Log(t.Context(), test.store, log, verifier, verify.Options{})
		if err != nil || report.Sound() != (test.kind == "") || !bytes.Equal(report.CosignedNote, signed) || report.Cosigned.Size != 30 {
			t.Fatalf("%s: %v, %+v", name, err, report)
		}
		if !report.Sound() && (report.Flaws.Items[0].Kind != test.kind || !strings.Contains(report.Flaws.Items[0].Detail, test.says)) {
			t.Errorf("%s: %v", name, report.Flaws.Items)
		}
	}
}
