package audit_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
)

const exportedLog = "gateway-1"

// grown is a log that a test lets grow.
type grown struct {
	t      testing.TB
	store  audit.Store
	source *audittest.Source
	size   uint64
	random *rand.ChaCha8
}

func newGrown(t testing.TB) *grown {
	return &grown{t: t, store: audittest.NewMemory(), source: audittest.NewSource(7), random: rand.NewChaCha8([32]byte{7})}
}

func (g *grown) verifier() string { return audittest.Key(g.t, exportedLog).Verifier() }

// grow appends n records of the source, and these.
func (g *grown) grow(n int, more ...*audit.Record) {
	g.t.Helper()
	trail, err := audit.Open(g.t.Context(), g.store, exportedLog, audittest.Key(g.t, exportedLog), audit.Options{First: true, Random: g.random})
	if err != nil {
		g.t.Fatal(err)
	}
	for range n {
		more = append(more, nil)
	}
	for _, r := range more {
		if r == nil {
			r = g.source.Next(g.size)
		}
		if g.size, err = trail.Append(g.t.Context(), r); err != nil {
			g.t.Fatal(err)
		}
		g.size++
	}
	if err := trail.Close(); err != nil {
		g.t.Fatal(err)
	}
}

func (g *grown) options(compress bool) audit.ExportOptions {
	return audit.ExportOptions{Verifier: g.verifier(), FileRecords: audit.TileWidth, Compress: compress}
}

func (g *grown) export(folder audit.ExportFolder, compress bool) (*audit.ExportManifest, error) {
	return audit.Export(g.t.Context(), g.store, exportedLog, folder, g.options(compress))
}

// must exports, and verifies the export.
func (g *grown) must(path string, compress bool) *audit.ExportManifest {
	g.t.Helper()
	manifest, err := g.export(directory(g.t, path), compress)
	if err != nil {
		g.t.Fatal(err)
	}
	report := verifyExport(g.t, os.DirFS(path), g.verifier())
	if !report.Sound() || report.Records != g.size || len(report.Unfinished) > 0 {
		g.t.Fatalf("verified %+v, want %d records without a fault", report, g.size)
	}
	return manifest
}

// directory is a folder that does not wait for the disk: the tests ask for its steps.
func directory(t testing.TB, path string) audit.ExportFolder {
	t.Helper()
	folder, err := audit.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return &hasty{folder, path}
}

type hasty struct {
	audit.ExportFolder
	path string
}

func (h *hasty) Create(name string) (audit.ExportFile, error) {
	file, err := h.ExportFolder.Create(name)
	return hastyFile{file}, err
}

func (h *hasty) Rename(from, to string) error {
	return os.Rename(filepath.Join(h.path, from), filepath.Join(h.path, to))
}

type hastyFile struct{ audit.ExportFile }

func (hastyFile) Sync() error { return nil }

func verifyExport(t testing.TB, folder fs.FS, verifier string) *audit.ExportReport {
	t.Helper()
	report, err := audit.VerifyExport(t.Context(), folder, audit.ExportCheck{Verifier: verifier})
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
	audit.ExportFolder
	steps, bytes int
}

func (f *failing) step() error {
	if f.steps--; f.steps < 0 {
		return errFolder
	}
	return nil
}

func (f *failing) Create(name string) (audit.ExportFile, error) {
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
	audit.ExportFile
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

// altered is a store that yields other forms than it keeps.
type altered struct {
	audit.Store
	change func(index uint64, form audit.Form) []audit.Form
}

func (s *altered) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range s.Store.Scan(ctx, log, first) {
			if err == nil {
				unpack := piece.Unpack
				piece.Unpack = func() (changed []audit.Form, err error) {
					forms, err := unpack()
					for i, form := range forms {
						changed = append(changed, s.change(piece.First+uint64(i), form)...)
					}
					return changed, err
				}
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}
