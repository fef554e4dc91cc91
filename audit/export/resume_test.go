package export_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/audit/export"
)

// TestExportIsTheSameHoweverItCameAbout: cut off anywhere, and of a log that grew.
func TestExportIsTheSameHoweverItCameAbout(t *testing.T) {
	g := newGrown(t)
	g.Grow(260)
	steps, total := countSteps(t, g, t.TempDir())
	later := newGrown(t)
	later.Grow(300)
	want := filepath.Join(t.TempDir(), "want")
	later.must(want, false)
	wanted := contents(t, want)
	// Anywhere: before each step of the folder, and in the middle of a write.
	for fail := range steps + 10 {
		path := t.TempDir()
		folder := &failing{Folder: directory(t, path), steps: fail, bytes: 1 << 40}
		if fail >= steps {
			folder.steps, folder.bytes = 1<<40, total/10*(fail-steps)+1
		}
		if _, err := g.export(folder, false); !errors.Is(err, errFolder) {
			t.Fatalf("cut off at step %d: %v", fail, err)
		}
		report, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{Verifier: g.Verifier()})
		if err == nil && !report.Sound() || err != nil && !errors.Is(err, export.ErrNoManifest) {
			t.Fatalf("cut off at step %d: what is there is %+v, %v", fail, report, err)
		}
		if fail%4 == 0 {
			g.must(path, false)
		}
		if _, err := later.export(directory(t, path), false); err != nil {
			t.Fatal(err)
		}
		compareFolders(t, contents(t, path), wanted)
	}
}

// TestAnExportHoldsWhileItIsExtended: cut off at any step, the one before is there.
func TestAnExportHoldsWhileItIsExtended(t *testing.T) {
	g := newGrown(t)
	g.Grow(260)
	before := t.TempDir()
	g.must(before, false)
	g.Grow(40)
	for fail := 0; ; fail++ {
		path := t.TempDir()
		if err := os.CopyFS(path, os.DirFS(before)); err != nil {
			t.Fatal(err)
		}
		_, failed := g.export(&failing{Folder: directory(t, path), steps: fail, bytes: 1 << 40}, false)
		report := verifyExport(t, os.DirFS(path), g.Verifier())
		if !report.Sound() || report.Records != 260 && report.Records != 300 {
			t.Fatalf("cut off at step %d: %+v", fail, report)
		}
		if failed == nil {
			if fail < 10 || report.Records != 300 {
				t.Errorf("%d steps, %d records", fail, report.Records)
			}
			return
		}
		g.must(path, false)
	}
}

// TestExportDoesAgainWhatIsNotWhole: a file was removed or cut.
func TestExportDoesAgainWhatIsNotWhole(t *testing.T) {
	g := newGrown(t)
	g.Grow(600)
	path := t.TempDir()
	manifest := g.must(path, false)
	want := contents(t, path)
	g.must(path, false) // nothing to do
	compareFolders(t, contents(t, path), want)
	for i := range manifest.Files {
		for _, name := range []string{manifest.Files[i].Name, manifest.Files[i].Invoices.Name} {
			if err := os.Remove(filepath.Join(path, name)); err != nil {
				t.Fatal(err)
			}
			g.must(path, false)
			compareFolders(t, contents(t, path), want)
			if err := os.Truncate(filepath.Join(path, name), 100); err != nil {
				t.Fatal(err)
			}
			g.must(path, false)
			compareFolders(t, contents(t, path), want)
		}
	}
}

// TestExportStopsWhenAskedTo, and continues.
func TestExportStopsWhenAskedTo(t *testing.T) {
	g := newGrown(t)
	g.Grow(2000)
	path := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	options := g.options(false)
	options.Progress = func(done, total uint64) {
		if done > 600 && total == 2000 {
			cancel()
		}
	}
	if _, err := export.Write(ctx, g.Store, exportedLog, directory(t, path), options); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	from := uint64(1 << 40)
	options.Progress = func(done, _ uint64) { from = min(from, done) }
	if _, err := export.Write(t.Context(), g.Store, exportedLog, directory(t, path), options); err != nil || from < 512 {
		t.Fatalf("went on from %d, %v", from, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := export.Verify(ctx, os.DirFS(path), export.VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("verification: %v", err)
	}
}
