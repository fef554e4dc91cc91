package export_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
	"github.com/fielato/fielato/audit/export"
)

const exportedLog = "gateway-1"

// grown is a log that a test exports as it grows.
type grown struct {
	*audittest.Grown
	t testing.TB
}

func newGrown(t testing.TB) *grown { return &grown{audittest.NewGrown(t, exportedLog), t} }

func (g *grown) options(compress bool) export.ExportOptions {
	return export.ExportOptions{Verifier: g.Verifier(), FileRecords: audit.TileWidth, Compress: compress}
}

func (g *grown) export(folder export.ExportFolder, compress bool) (*export.ExportManifest, error) {
	return export.Export(g.t.Context(), g.Store, exportedLog, folder, g.options(compress))
}

// must exports, and verifies the export.
func (g *grown) must(path string, compress bool) *export.ExportManifest {
	g.t.Helper()
	manifest, err := g.export(directory(g.t, path), compress)
	if err != nil {
		g.t.Fatal(err)
	}
	report := verifyExport(g.t, os.DirFS(path), g.Verifier())
	if !report.Sound() || report.Records != g.Size || len(report.Unfinished) > 0 {
		g.t.Fatalf("verified %+v, want %d records without a fault", report, g.Size)
	}
	return manifest
}

// directory is a folder that does not wait for the disk: the tests ask for its steps.
func directory(t testing.TB, path string) export.ExportFolder {
	t.Helper()
	folder, err := export.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return &hasty{folder, path}
}

type hasty struct {
	export.ExportFolder
	path string
}

func (h *hasty) Create(name string) (export.ExportFile, error) {
	file, err := h.ExportFolder.Create(name)
	return hastyFile{file}, err
}

func (h *hasty) Rename(from, to string) error {
	return os.Rename(filepath.Join(h.path, from), filepath.Join(h.path, to))
}

type hastyFile struct{ export.ExportFile }

func (hastyFile) Sync() error { return nil }

func verifyExport(t testing.TB, folder fs.FS, verifier string) *export.ExportReport {
	t.Helper()
	report, err := export.VerifyExport(t.Context(), folder, export.ExportCheck{Verifier: verifier})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// contents are the files of a folder.
func contents(t testing.TB, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(path, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[entry.Name()] = string(text)
	}
	return all
}

var errFolder = errors.New("the folder fails")

// failing is a folder that fails after so many steps, or bytes.
type failing struct {
	export.ExportFolder
	steps, bytes int
}

func (f *failing) step() error {
	if f.steps--; f.steps < 0 {
		return errFolder
	}
	return nil
}

func (f *failing) Create(name string) (export.ExportFile, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := f.ExportFolder.Create(name)
	return &failingFile{file, f}, err
}

func (f *failing) Rename(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.ExportFolder.Rename(from, to)
}

func (f *failing) Remove(name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.ExportFolder.Remove(name)
}

type failingFile struct {
	export.ExportFile
	folder *failing
}

func (f *failingFile) Write(p []byte) (int, error) {
	if f.folder.bytes -= len(p); f.folder.bytes < 0 {
		n, _ := f.ExportFile.Write(p[:max(0, len(p)+f.folder.bytes)])
		return n, errFolder
	}
	return f.ExportFile.Write(p)
}

func (f *failingFile) Sync() error {
	if err := f.folder.step(); err != nil {
		return err
	}
	return f.ExportFile.Sync()
}

// countSteps returns what an export asks of its folder.
func countSteps(t *testing.T, g *grown, path string) (steps, bytes int) {
	t.Helper()
	folder := &failing{ExportFolder: directory(t, path), steps: 1 << 40, bytes: 1 << 40}
	if _, err := g.export(folder, false); err != nil {
		t.Fatal(err)
	}
	return 1<<40 - folder.steps, 1<<40 - folder.bytes
}

func compareFolders(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("files %v, want %v, or with other contents", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
