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
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

const exportedLog = "gateway-1"

// grown is a log that a test exports as it grows.
type grown struct {
	*audittest.Grown
	t testing.TB
	// stamp is the time-stamp of the exports, nil for none.
	stamp *export.Stamp
}

func newGrown(t testing.TB) *grown { return &grown{Grown: audittest.NewGrown(t, exportedLog), t: t} }

func (g *grown) options(compress bool) export.Options {
	return export.Options{Verifier: g.Verifier(), FileRecords: audit.TileWidth, Compress: compress, Stamp: g.stamp}
}

func (g *grown) export(folder export.Folder, compress bool) (*export.Manifest, error) {
	return export.Write(g.t.Context(), g.Store, exportedLog, folder, g.options(compress))
}

// must exports, and verifies the export.
func (g *grown) must(path string, compress bool) *export.Manifest {
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
func directory(t testing.TB, path string) export.Folder {
	t.Helper()
	folder, err := export.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return &hasty{folder, path}
}

type hasty struct {
	export.Folder
	path string
}

func (h *hasty) Create(name string) (export.File, error) {
	file, err := h.Folder.Create(name)
	return hastyFile{file}, err
}

func (h *hasty) Rename(from, to string) error {
	return os.Rename(filepath.Join(h.path, from), filepath.Join(h.path, to))
}

type hastyFile struct{ export.File }

func (hastyFile) Sync() error { return nil }

func verifyExport(t testing.TB, folder fs.FS, verifier string) *export.Report {
	t.Helper()
	report, err := export.Verify(t.Context(), folder, export.VerifyOptions{Verifier: verifier})
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
	export.Folder
	steps, bytes int
}

func (f *failing) step() error {
	if f.steps--; f.steps < 0 {
		return errFolder
	}
	return nil
}

func (f *failing) Create(name string) (export.File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := f.Folder.Create(name)
	return &failingFile{file, f}, err
}

func (f *failing) Rename(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.Folder.Rename(from, to)
}

func (f *failing) Remove(name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.Folder.Remove(name)
}

type failingFile struct {
	export.File
	folder *failing
}

func (f *failingFile) Write(p []byte) (int, error) {
	if f.folder.bytes -= len(p); f.folder.bytes < 0 {
		n, _ := f.File.Write(p[:max(0, len(p)+f.folder.bytes)])
		return n, errFolder
	}
	return f.File.Write(p)
}

func (f *failingFile) Sync() error {
	if err := f.folder.step(); err != nil {
		return err
	}
	return f.File.Sync()
}

// countSteps returns what an export asks of its folder.
func countSteps(t *testing.T, g *grown, path string) (steps, bytes int) {
	t.Helper()
	folder := &failing{Folder: directory(t, path), steps: 1 << 40, bytes: 1 << 40}
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
