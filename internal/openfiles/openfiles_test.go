package openfiles_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/openfiles"
)

// opened returns two files in a folder of their own.
func opened(t *testing.T) (folder, second string, files *openfiles.Files) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "data")
	first, second := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{first, second} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := openfiles.Of(first, second)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Check(); err != nil {
		t.Fatalf("nothing has happened: %v", err)
	}
	return folder, second, files
}

func TestCheckFindsFilesThatAreGone(t *testing.T) {
	for name, take := range map[string]func(folder, file string) error{
		"the folder is removed": func(folder, _ string) error { return os.RemoveAll(folder) },
		"the folder is moved":   func(folder, _ string) error { return os.Rename(folder, folder+".old") },
		"one file is removed":   func(_, file string) error { return os.Remove(file) },
		"one file is replaced": func(_, file string) error {
			return errors.Join(os.WriteFile(file+".new", nil, 0o600), os.Rename(file+".new", file))
		},
		"the folder became a file": func(folder, _ string) error {
			return errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600))
		},
	} {
		folder, file, files := opened(t)
		if err := take(folder, file); err != nil {
			t.Fatal(err)
		}
		if err := files.Check(); !errors.Is(err, openfiles.ErrGone) || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGoneStaysGone: a file that comes back may lack what was written meanwhile.
func TestGoneStaysGone(t *testing.T) {
	folder, _, files := opened(t)
	if err := os.Rename(folder, folder+".old"); err != nil {
		t.Fatal(err)
	}
	found := files.Check()
	if err := os.Rename(folder+".old", folder); err != nil {
		t.Fatal(err)
	}
	if again := files.Check(); found == nil || !errors.Is(again, openfiles.ErrGone) || files.Gone() == nil {
		t.Errorf("%v, then %v", found, again)
	}
}

func TestOfWantsTheFiles(t *testing.T) {
	if _, err := openfiles.Of(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func BenchmarkCheck(b *testing.B) {
	var paths []string
	for _, name := range []string{"db", "db-wal", "db-shm"} {
		paths = append(paths, filepath.Join(b.TempDir(), name))
		if err := os.WriteFile(paths[len(paths)-1], nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	files, err := openfiles.Of(paths...)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := files.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
