package export_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

var witnessedAt = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// TestAnExportHasTheCosignedCheckpoint and the proof that it continues it, whatever their sizes are. It takes a newer
// one over though nothing else has changed.
func TestAnExportHasTheCosignedCheckpoint(t *testing.T) {
	witness := audittest.Witness(t, "testigo.example/w1")
	for _, sizes := range [][2]int{{1, 0}, {1, 1}, {3, 300}, {256, 1}, {257, 600}} {
		g, path := newGrown(t), t.TempDir()
		g.Grow(sizes[0])
		signed := audittest.CosignNewest(t, g.Store, exportedLog, witnessedAt, witness)
		g.Grow(sizes[1])
		g.must(path, false)
		report := verifyExport(t, os.DirFS(path), g.Verifier())
		if !report.Sound() || report.Witnessed == nil || report.Witnessed.Size != uint64(sizes[0]) || !bytes.Equal(report.WitnessedNote, signed) {
			t.Fatalf("%v: %v, %+v", sizes, report.Faults, report.Witnessed)
		}
		before := contents(t, path)
		g.must(path, false)
		compareFolders(t, contents(t, path), before)
		later := audittest.CosignNewest(t, g.Store, exportedLog, witnessedAt, witness)
		g.must(path, false)
		report = verifyExport(t, os.DirFS(path), g.Verifier())
		if !report.Sound() || report.Witnessed == nil || report.Witnessed.Size != uint64(sizes[0]+sizes[1]) || !bytes.Equal(report.WitnessedNote, later) {
			t.Errorf("%v: after the witness has signed all: %v, %+v", sizes, report.Faults, report.Witnessed)
		}
	}
}

// TestACosignedCheckpointOfAnotherLogIsFound in an export, by whatever it differs.
func TestACosignedCheckpointOfAnotherLogIsFound(t *testing.T) {
	witness := audittest.Witness(t, "testigo.example/w1")
	g, path := newGrown(t), t.TempDir()
	g.Grow(5)
	audittest.CosignNewest(t, g.Store, exportedLog, witnessedAt, witness)
	g.Grow(6)
	g.must(path, false)
	other := newGrown(t)
	other.Source = audittest.NewSource(8)
	other.Grow(5)
	longer := newGrown(t)
	longer.Grow(12)
	for name, test := range map[string]struct {
		change func(w *export.Witnessed)
		want   string
	}{
		"another history": {func(w *export.Witnessed) {
			w.Checkpoint = string(audittest.CosignNewest(t, other.Store, exportedLog, witnessedAt, witness))
		}, "not shown to continue"},
		"a longer log": {func(w *export.Witnessed) {
			w.Checkpoint = string(audittest.CosignNewest(t, longer.Store, exportedLog, witnessedAt, witness))
		}, "not shown to continue"},
		"another size":       {func(w *export.Witnessed) { w.Checkpoint = strings.Replace(w.Checkpoint, "\n5\n", "\n6\n", 1) }, "not signed by the key"},
		"no checkpoint":      {func(w *export.Witnessed) { w.Checkpoint = "" }, "not signed by the key"},
		"a changed hash":     {func(w *export.Witnessed) { w.Consistency[1] = new(audit.Tree).Root().String() }, "not shown to continue"},
		"a missing hash":     {func(w *export.Witnessed) { w.Consistency = w.Consistency[1:] }, "not shown to continue"},
		"another order":      {func(w *export.Witnessed) { slices.Reverse(w.Consistency) }, "not shown to continue"},
		"base64 of 31 bytes": {func(w *export.Witnessed) { w.Consistency[0] = w.Consistency[0][:40] }, "a hash that is none"},
	} {
		t.Run(name, func(t *testing.T) {
			copied := t.TempDir()
			if err := os.CopyFS(copied, os.DirFS(path)); err != nil {
				t.Fatal(err)
			}
			changeManifest(t, copied, func(m *export.Manifest) { test.change(m.Witnessed) })
			report := verifyExport(t, os.DirFS(copied), g.Verifier())
			if report.Sound() || report.Witnessed != nil || !strings.Contains(report.Faults[0].Text, test.want) {
				t.Errorf("%v, want %q", report.Faults, test.want)
			}
		})
	}
	changeManifest(t, path, func(m *export.Manifest) { m.Format = "fielato-export/9" })
	if report := verifyExport(t, os.DirFS(path), g.Verifier()); report.Sound() {
		t.Error("a format that has no cosigned checkpoint has one")
	}
}

// TestALogThatDoesNotContinueWhatWasCosignedIsNotExported.
func TestALogThatDoesNotContinueWhatWasCosignedIsNotExported(t *testing.T) {
	g, other := newGrown(t), newGrown(t)
	other.Source = audittest.NewSource(8)
	other.Grow(5)
	g.Grow(7)
	signed := audittest.CosignNewest(t, other.Store, exportedLog, witnessedAt, audittest.Witness(t, "testigo.example/w1"))
	if err := g.Store.SetSetting(t.Context(), audit.CosignedSetting(exportedLog), signed); err != nil {
		t.Fatal(err)
	}
	if _, err := g.export(directory(t, t.TempDir()), false); err == nil || !strings.Contains(err.Error(), "another history") {
		t.Errorf("%v", err)
	}
}
