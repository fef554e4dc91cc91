package export_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/panics"
)

// TestAnExportEndsWithItsFiles: one that cannot be written ends with the reason, whatever it is. TestMain finds
// a goroutine that is left.
func TestAnExportEndsWithItsFiles(t *testing.T) {
	g := newGrown(t)
	g.Grow(3 * audit.TileWidth)
	for name, at := range map[string]struct {
		write func() error
		is    func(error) bool
	}{
		"an error": {func() error { return errFolder }, func(err error) bool { return errors.Is(err, errFolder) }},
		"a panic":  {func() error { panic("in a file") }, func(err error) bool { return errors.As(err, new(*panics.Error)) }},
	} {
		_, err := g.export(&breaking{directory(t, t.TempDir()), at.write}, false)
		if !at.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	folder := &breaking{directory(t, t.TempDir()), func() error {
		cancel()
		return nil
	}}
	if _, err := export.Write(ctx, g.Store, exportedLog, folder, g.options(true)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled while it is written: %v", err)
	}
}

// breaking is a folder whose files of records call a function with each write.
type breaking struct {
	export.Folder
	write func() error
}

func (b *breaking) Create(name string) (export.File, error) {
	file, err := b.Folder.Create(name)
	if err == nil && strings.HasPrefix(name, "records") {
		file = &breakingFile{file, b}
	}
	return file, err
}

type breakingFile struct {
	export.File
	folder *breaking
}

func (f *breakingFile) Write(p []byte) (int, error) {
	if err := f.folder.write(); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}
