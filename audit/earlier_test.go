package audit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestWhatEarlierBuildsSignedHolds: checkpoints without a line about purges.
func TestWhatEarlierBuildsSignedHolds(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "record-17-unrecorded.tlog-proof"))
	if err != nil {
		t.Fatal(err)
	}
	proof, err := audit.ParseProof(text)
	if err != nil {
		t.Fatal(err)
	}
	_, verifier := provable(t, 1)
	if r, err := proof.Check(verifier); err != nil || r.Index != 17 {
		t.Errorf("%+v, %v", r, err)
	}
	checkpoints, err := os.ReadFile(filepath.Join("testdata", "checkpoints-unrecorded.txt"))
	if err != nil {
		t.Fatal(err)
	}
	first := audit.Origin(log) + "\n"
	notes := strings.Split(string(checkpoints), first)[1:]
	if len(notes) != 5 {
		t.Fatalf("%d checkpoints", len(notes))
	}
	for _, one := range notes {
		c, err := audit.OpenCheckpoint([]byte(first+one), verifier)
		if err != nil || c.Purges {
			t.Errorf("%q: %+v, %v", one, c, err)
		}
	}
}
