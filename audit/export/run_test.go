package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

func TestExportHasEveryRecordAndVerifies(t *testing.T) {
	for _, records := range []int{0, 1, 255, 256, 257, 2000} {
		for _, compress := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d %t", records, compress), func(t *testing.T) {
				g := newGrown(t)
				g.Grow(records)
				path := filepath.Join(t.TempDir(), "export")
				manifest := g.must(path, compress)
				if int(manifest.Size) != records || len(manifest.Files) != (records+audit.TileWidth-1)/audit.TileWidth {
					t.Errorf("%d records in %d files", manifest.Size, len(manifest.Files))
				}
				if files := contents(t, path); len(files) != 1+2*len(manifest.Files) {
					t.Errorf("files: %v", slices.Sorted(maps.Keys(files)))
				}
			})
		}
	}
}

func TestExportRefusesAFolderThatIsNotItsOwn(t *testing.T) {
	g := newGrown(t)
	g.Grow(600)
	more := newGrown(t)
	more.Grow(700)
	for name, spoil := range map[string]func(path string) error{
		"foreign file":       func(path string) error { return os.WriteFile(filepath.Join(path, "notes.txt"), nil, 0o600) },
		"folder":             func(path string) error { return os.Mkdir(filepath.Join(path, "records-1"), 0o700) },
		"files, no manifest": func(path string) error { return os.Remove(filepath.Join(path, "manifest.json")) },
		"manifest of another": func(path string) error {
			return replaceIn(path, "manifest.json", `"log": "gateway-1"`, `"log": "gateway-2"`)
		},
		"key of another": func(path string) error {
			return replaceIn(path, "manifest.json", `"fielato/gateway-1+`, `"fielato/gateway-2+`)
		},
		"damaged manifest": func(path string) error { return replaceIn(path, "manifest.json", `"log"`, `log`) },
		"another history":  func(path string) error { return replaceIn(path, "manifest.json", `"root": "`, `"root": "00`) },
	} {
		path := t.TempDir()
		g.must(path, false)
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		before := contents(t, path)
		for _, log := range []*grown{g, more} {
			if _, err := log.export(directory(t, path), false); err == nil {
				t.Errorf("%s: exported", name)
			}
			compareFolders(t, contents(t, path), before)
		}
	}
	path := t.TempDir()
	g.must(path, false)
	if _, err := g.export(directory(t, path), true); err == nil || !strings.Contains(err.Error(), "compression") {
		t.Errorf("compressed in the middle: %v", err)
	}
	other := newGrown(t)
	other.Source = audittest.NewSource(8)
	for _, size := range []int{600, 900} {
		other.Grow(size - int(other.Size))
		if _, err := other.export(directory(t, path), false); !errors.Is(err, audit.ErrUnsound) {
			t.Errorf("another history of %d records: %v", size, err)
		}
	}
	short := newGrown(t)
	short.Grow(500)
	if _, err := short.export(directory(t, path), false); !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("an older copy of the store: %v", err)
	}
}

func replaceIn(path, name, old, text string) error {
	file := filepath.Join(path, name)
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Contains(content, []byte(old)) {
		return fmt.Errorf("%s has no %s", name, old)
	}
	return os.WriteFile(file, bytes.ReplaceAll(content, []byte(old), []byte(text)), 0o600)
}

// TestExportOfAnUnsoundStoreIsNone: it is no export, and the error names the reason.
func TestExportOfAnUnsoundStoreIsNone(t *testing.T) {
	g := newGrown(t)
	g.Grow(600)
	for name, change := range map[string]func(index uint64, form audit.Form) []audit.Form{
		"changed":  func(_ uint64, form audit.Form) []audit.Form { form.Summary[20] ^= 1; return []audit.Form{form} },
		"inserted": func(_ uint64, form audit.Form) []audit.Form { return []audit.Form{form, form} },
		"missing":  func(uint64, audit.Form) []audit.Form { return nil },
	} {
		path := t.TempDir()
		store := &audittest.Twisted{Store: g.Store, OnScan: func(index uint64, form audit.Form) []audit.Form {
			if index == 300 {
				return change(index, form)
			}
			return []audit.Form{form}
		}}
		_, err := export.Write(t.Context(), store, exportedLog, directory(t, path), g.options(false))
		if !errors.Is(err, audit.ErrUnsound) && !errors.Is(err, audit.ErrEncoding) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := export.Verify(t.Context(), os.DirFS(path), export.VerifyOptions{}); !errors.Is(err, export.ErrNoManifest) {
			t.Errorf("%s: verified, %v", name, err)
		}
	}
	stranger, err := audit.NewKey(rand.NewChaCha8([32]byte{9}), exportedLog)
	if err != nil {
		t.Fatal(err)
	}
	options := g.options(false)
	options.Verifier = stranger.Verifier()
	if _, err := export.Write(t.Context(), g.Store, exportedLog, directory(t, t.TempDir()), options); !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("signed by another key: %v", err)
	}
}

// TestExportKeepsWhatWasPurgedAndSealed as it is, and counts it.
func TestExportKeepsWhatWasPurgedAndSealed(t *testing.T) {
	g := newGrown(t)
	g.Grow(600)
	g.Grow(0, audittest.Access(audit.AccessPurge, 0, &audit.PurgeScope{Before: 1 << 20, Next: 600, Records: 200}))
	g.Store = &audittest.Twisted{Store: g.Store, OnScan: func(index uint64, form audit.Form) []audit.Form {
		switch index % 3 {
		case 1:
			form.Content, form.Presence = nil, audit.Purged
		case 2:
			form.Content, form.Presence = []byte("encrypted"), audit.Sealed
		}
		return []audit.Form{form}
	}}
	path := t.TempDir()
	manifest := g.must(path, false)
	report := verifyExport(t, os.DirFS(path), g.Verifier())
	if manifest.Purged != 200 || manifest.Sealed != 200 || report.Purged != 200 || report.Sealed != 200 {
		t.Errorf("manifest %d, %d; report %d, %d", manifest.Purged, manifest.Sealed, report.Purged, report.Sealed)
	}
	if strings.Contains(contents(t, path)[manifest.Files[0].Name], "encrypted") {
		t.Error("a sealed content is in the export")
	}
}

func TestExportOfAHugeRecord(t *testing.T) {
	g := newGrown(t)
	huge := audittest.NewSource(3).Issue(1)
	huge.Request = append(bytes.Repeat([]byte("\"\\\n\x00ñ"), 1<<20), 0xff)
	g.Grow(3, huge)
	g.Grow(3)
	for _, compress := range []bool{false, true} {
		path := t.TempDir()
		folder, err := export.OpenDirectory(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.export(folder, compress); err != nil {
			t.Fatal(err)
		}
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
		if report := verifyExport(t, os.DirFS(path), g.Verifier()); !report.Sound() || report.Records != 7 {
			t.Errorf("%+v", report)
		}
	}
}
