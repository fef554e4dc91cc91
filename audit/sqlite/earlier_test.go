package sqlite_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// earlierStore is a trail of a build that did not record its purges, with six purged records:
// testdata/earlier.
func earlierStore(t *testing.T) (path string) {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", "earlier", "evidence.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "evidence.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestATrailOfAnEarlierBuildIsSound, opens, and is written on.
func TestATrailOfAnEarlierBuildIsSound(t *testing.T) {
	path := earlierStore(t)
	key := audittest.Key(t, "gateway-1")
	check := func(records uint64) {
		t.Helper()
		report, err := verify.Log(t.Context(), reader(t, path), "gateway-1", key.Verifier(), verify.Options{})
		if err != nil || !report.Sound() || report.Records != records || report.Purged != 6 || report.Unrecorded.Count != 6 {
			t.Errorf("%v: %+v", err, report)
		}
	}
	check(20)
	s := open(t, path)
	if r, err := s.Get(t.Context(), "gateway-1", 7); err != nil || len(r.Request) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	audittest.Append(t, s, "gateway-1", marked(20000000001, day(10), "body"))
	closeStore(t, s)
	check(21)
}

// TestWhatAnEarlierBuildHandedOutHolds: an export, which today's log extends, and a proof.
func TestWhatAnEarlierBuildHandedOutHolds(t *testing.T) {
	key := audittest.Key(t, "gateway-1")
	folder := filepath.Join("testdata", "earlier")
	text, err := os.ReadFile(filepath.Join(folder, "record-7.tlog-proof"))
	if err != nil {
		t.Fatal(err)
	}
	proof, err := audit.ParseProof(text)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := proof.Check(key.Verifier()); err != nil || r.Index != 7 {
		t.Errorf("%+v, %v", r, err)
	}
	exported := filepath.Join(t.TempDir(), "export")
	if err := os.CopyFS(exported, os.DirFS(filepath.Join(folder, "export"))); err != nil {
		t.Fatal(err)
	}
	check := func(records uint64) {
		t.Helper()
		report, err := export.Verify(t.Context(), os.DirFS(exported), export.VerifyOptions{Verifier: key.Verifier()})
		if err != nil || !report.Sound() || report.Records != records || report.Unrecorded.Count != 6 {
			t.Errorf("%v: %+v", err, report)
		}
	}
	check(20)
	s := open(t, earlierStore(t))
	defer closeStore(t, s)
	audittest.Append(t, s, "gateway-1", marked(20000000001, day(10), "body"))
	into, err := export.OpenDirectory(exported)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, into)
	if _, err := export.Write(t.Context(), s, "gateway-1", into, export.Options{Verifier: key.Verifier()}); err != nil {
		t.Fatal(err)
	}
	check(21)
}
