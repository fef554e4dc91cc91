package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// stamped has the newest checkpoint of the log stamped.
func (g *grown) stamped(tsa *tsatest.Authority) *export.Stamp {
	g.t.Helper()
	head, err := g.Store.Head(g.t.Context(), exportedLog)
	if err != nil {
		g.t.Fatal(err)
	}
	return &export.Stamp{Checkpoint: head.Checkpoint, Reply: tsa.Stamp(head.Checkpoint)}
}

// wantStamp fails unless an export is sound and has the stamp, over so many records.
func (g *grown) wantStamp(path string, want *export.Stamp, records int) {
	g.t.Helper()
	report := verifyExport(g.t, os.DirFS(path), g.Verifier())
	got := report.Timestamp
	if !report.Sound() || got == nil || got.Checkpoint.Size != uint64(records) || got.Authority != "Sello de prueba" || time.Since(got.Time).Abs() > time.Hour {
		g.t.Fatalf("%v, %+v, want a time-stamp over %d records", report.Faults, got, records)
	}
	files := contents(g.t, path)
	if files["timestamp.txt"] != string(want.Checkpoint) || files["timestamp.tsr"] != string(want.Reply) || !bytes.Equal(got.Reply, want.Reply) {
		g.t.Error("the files are not the ones that were given")
	}
}

// TestAnExportHasTheTimestamp and the proof that it continues what was stamped, whatever their sizes are. It takes a
// newer one over though nothing else has changed, and openssl verifies its files.
func TestAnExportHasTheTimestamp(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	for _, sizes := range [][2]int{{1, 0}, {3, 300}, {257, 600}} {
		g, path := newGrown(t), t.TempDir()
		g.Grow(sizes[0])
		g.stamp = g.stamped(tsa)
		g.Grow(sizes[1])
		g.must(path, false)
		g.wantStamp(path, g.stamp, sizes[0])
		said := tsatest.OpenSSL(t, path, "ts", "-verify", "-data", "timestamp.txt", "-in", "timestamp.tsr", "-CAfile", tsa.Roots)
		if !strings.Contains(said, "Verification: OK") {
			t.Errorf("openssl says %s", said)
		}
		before := contents(t, path)
		g.must(path, false)
		compareFolders(t, contents(t, path), before)
		g.stamp = g.stamped(tsa)
		g.must(path, false)
		g.wantStamp(path, g.stamp, sizes[0]+sizes[1])
	}
}

// TestAnExportIsStampedLater, keeps the stamp as it grows, and mends its files. Without the stamp, it has none.
func TestAnExportIsStampedLater(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	g, path := newGrown(t), t.TempDir()
	g.Grow(5)
	g.must(path, false)
	plain := contents(t, path)
	g.stamp = g.stamped(tsa)
	g.must(path, false)
	g.wantStamp(path, g.stamp, 5)
	g.Grow(300)
	g.must(path, false)
	g.wantStamp(path, g.stamp, 5)
	for _, name := range []string{"timestamp.txt", "timestamp.tsr"} {
		if err := os.Remove(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		g.must(path, false)
		g.wantStamp(path, g.stamp, 5)
	}
	g.stamp = nil
	g.must(path, false)
	if files := contents(t, path); files["timestamp.txt"]+files["timestamp.tsr"] != "" || len(files) != len(plain)+2 {
		t.Errorf("without the stamp it has %d files", len(files))
	}
}

// TestATimestampOfMoreRecordsIsLeftOut: the checkpoint of the export does not continue it.
func TestATimestampOfMoreRecordsIsLeftOut(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	g, longer, path := newGrown(t), newGrown(t), t.TempDir()
	g.Grow(5)
	longer.Grow(6)
	g.stamp = longer.stamped(tsa)
	if m := g.must(path, false); m.Timestamped != nil {
		t.Errorf("%+v", m.Timestamped)
	}
}

// TestAStampThatDoesNotFitIsNotExported: of another history, of another document, or none.
func TestAStampThatDoesNotFitIsNotExported(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	g, other := newGrown(t), newGrown(t)
	other.Source = audittest.NewSource(8)
	g.Grow(5)
	other.Grow(5)
	own := g.stamped(tsa)
	for want, stamp := range map[string]*export.Stamp{
		"another history":   other.stamped(tsa),
		"another document":  {Checkpoint: own.Checkpoint, Reply: other.stamped(tsa).Reply},
		"no answer":         {Checkpoint: own.Checkpoint, Reply: own.Reply[1:]},
		"not signed by the": {Checkpoint: []byte("none"), Reply: own.Reply},
	} {
		g.stamp = stamp
		if _, err := g.export(directory(t, t.TempDir()), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAStampedExportHoldsWhileItIsRenewed: cut off at any step, it is sound, and its stamp is the one before, the new
// one, or named as unfinished. The next run finishes it.
func TestAStampedExportHoldsWhileItIsRenewed(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	for _, more := range []int{0, 260} {
		g, before := newGrown(t), t.TempDir()
		g.Grow(5)
		first := g.stamped(tsa)
		g.Grow(3)
		g.stamp = first
		g.must(before, false)
		g.Grow(more)
		second := g.stamped(tsa)
		g.stamp = second
		for fail := 0; ; fail++ {
			path := t.TempDir()
			if err := os.CopyFS(path, os.DirFS(before)); err != nil {
				t.Fatal(err)
			}
			_, failed := g.export(&failing{Folder: directory(t, path), steps: fail, bytes: 1 << 40}, false)
			report := verifyExport(t, os.DirFS(path), g.Verifier())
			if !report.Sound() {
				t.Fatalf("%d more, cut off at step %d: %+v", more, fail, report)
			}
			if got := report.Timestamp; got != nil && !bytes.Equal(got.Reply, first.Reply) && !bytes.Equal(got.Reply, second.Reply) ||
				got == nil && !slices.Contains(report.Unfinished, "timestamp.txt") && !slices.Contains(report.Unfinished, "timestamp.tsr") {
				t.Fatalf("%d more, cut off at step %d: the stamp is %+v, unfinished %v", more, fail, got, report.Unfinished)
			}
			g.must(path, false)
			g.wantStamp(path, second, 8+more)
			if failed == nil {
				if fail < 10 {
					t.Errorf("%d steps", fail)
				}
				break
			}
		}
	}
}

// TestAWrongTimestampIsFound in an export, by whatever it differs.
func TestAWrongTimestampIsFound(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	g, path := newGrown(t), t.TempDir()
	g.Grow(5)
	g.stamp = g.stamped(tsa)
	g.Grow(6)
	g.must(path, false)
	other, longer := newGrown(t), newGrown(t)
	other.Source = audittest.NewSource(8)
	other.Grow(5)
	longer.Grow(12)
	for name, test := range map[string]struct {
		change func(m *export.Manifest, stamp *export.Stamp)
		want   string
	}{
		"another history": {func(_ *export.Manifest, s *export.Stamp) { *s = *other.stamped(tsa) }, "not shown to continue"},
		"a longer log":    {func(_ *export.Manifest, s *export.Stamp) { *s = *longer.stamped(tsa) }, "not shown to continue"},
		"another size": {func(_ *export.Manifest, s *export.Stamp) {
			s.Checkpoint = bytes.Replace(s.Checkpoint, []byte("\n5\n"), []byte("\n6\n"), 1)
		}, "not signed by the key"},
		"another document":  {func(_ *export.Manifest, s *export.Stamp) { s.Reply = other.stamped(tsa).Reply }, "another document"},
		"a changed reply":   {func(_ *export.Manifest, s *export.Stamp) { s.Reply[len(s.Reply)-1] ^= 1 }, "signature"},
		"a reply cut short": {func(_ *export.Manifest, s *export.Stamp) { s.Reply = s.Reply[:len(s.Reply)-1] }, "no answer"},
		"a changed hash": {func(m *export.Manifest, _ *export.Stamp) {
			m.Timestamped.Consistency[1] = new(audit.Tree).Root().String()
		}, "not shown to continue"},
		"a missing hash": {func(m *export.Manifest, _ *export.Stamp) { m.Timestamped.Consistency = m.Timestamped.Consistency[1:] }, "not shown to continue"},
		"base64 of 31 bytes": {func(m *export.Manifest, _ *export.Stamp) {
			m.Timestamped.Consistency[0] = m.Timestamped.Consistency[0][:40]
		}, "a hash that is none"},
		"another name":        {func(m *export.Manifest, _ *export.Stamp) { m.Timestamped.Reply.Name = "../timestamp.tsr" }, "are called"},
		"the format before":   {func(m *export.Manifest, _ *export.Stamp) { m.Format = "fielato-export/10" }, "has no time-stamp"},
		"not in the manifest": {func(m *export.Manifest, _ *export.Stamp) { m.Timestamped = nil }, "does not name it"},
	} {
		t.Run(name, func(t *testing.T) {
			report := verifyExport(t, os.DirFS(changedStamp(t, path, g.stamp, test.change)), g.Verifier())
			if report.Sound() || report.Timestamp != nil || !strings.Contains(report.Faults[0].Text, test.want) {
				t.Errorf("%v, want %q", report.Faults, test.want)
			}
		})
	}
	for _, name := range []string{"timestamp.txt", "timestamp.tsr"} {
		for want, change := range map[string]func(string) error{
			name + ": the file is missing":                        os.Remove,
			name + ": it is not the file that the manifest names": func(path string) error { return os.WriteFile(path, []byte("another"), 0o600) },
		} {
			copied := changedStamp(t, path, g.stamp, func(*export.Manifest, *export.Stamp) {})
			if err := change(filepath.Join(copied, name)); err != nil {
				t.Fatal(err)
			}
			if report := verifyExport(t, os.DirFS(copied), g.Verifier()); report.Sound() || report.Faults[0].String() != want {
				t.Errorf("%v, want %q", report.Faults, want)
			}
		}
	}
}

// changedStamp copies an export, changes its time-stamp, and has the manifest name the files as they are then.
func changedStamp(t *testing.T, path string, stamp *export.Stamp, change func(*export.Manifest, *export.Stamp)) (copied string) {
	t.Helper()
	copied = t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	changed := export.Stamp{Checkpoint: bytes.Clone(stamp.Checkpoint), Reply: bytes.Clone(stamp.Reply)}
	changeManifest(t, copied, func(m *export.Manifest) {
		change(m, &changed)
		if m.Timestamped == nil {
			return
		}
		for file, content := range map[*export.StampFile][]byte{&m.Timestamped.Checkpoint: changed.Checkpoint, &m.Timestamped.Reply: changed.Reply} {
			file.Bytes, file.SHA256 = int64(len(content)), hexDigest(content)
		}
	})
	for name, content := range map[string][]byte{"timestamp.txt": changed.Checkpoint, "timestamp.tsr": changed.Reply} {
		if err := os.WriteFile(filepath.Join(copied, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// TestFormatsWithoutATimestampAreRead as they were, and made the newest one by the next run.
func TestFormatsWithoutATimestampAreRead(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	for _, format := range []string{"fielato-export/10", "fielato-export/9", "fielato-export/4"} {
		g, path := newGrown(t), t.TempDir()
		g.Grow(5)
		g.must(path, false)
		changeManifest(t, path, func(m *export.Manifest) { m.Format = format })
		if report := verifyExport(t, os.DirFS(path), g.Verifier()); !report.Sound() || report.Timestamp != nil {
			t.Errorf("%s: %v", format, report.Faults)
		}
		g.stamp = g.stamped(tsa)
		if m := g.must(path, false); m.Format != "fielato-export/11" {
			t.Errorf("%s becomes %s", format, m.Format)
		}
		g.wantStamp(path, g.stamp, 5)
	}
}

func hexDigest(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}
