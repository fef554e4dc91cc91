package durable_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/durable"
)

// want checks the content and the permissions of a file, and that nothing else is in its folder.
func want(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || string(text) != content {
		t.Errorf("%q, %v, want %q", text, err, content)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != mode {
		t.Errorf("%v, %v, want %v", info.Mode(), err, mode)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestAFileIsReplacedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"one", "another", ""} {
		if err := durable.Replace(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, path, content, 0o600)
	}
	if err := durable.Replace(path, []byte("for all"), 0o644); err != nil {
		t.Fatal(err)
	}
	want(t, path, "for all", 0o644)
}

// TestWhatACrashHasLeftIsRemoved, and a link in its place is not followed.
func TestWhatACrashHasLeftIsRemoved(t *testing.T) {
	path, elsewhere := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func() error{
		"half a file": func() error { return os.WriteFile(path+durable.Temporary, []byte("half"), 0o644) },
		"a link":      func() error { return os.Symlink(elsewhere, path+durable.Temporary) },
	} {
		if err := leave(); err != nil {
			t.Fatal(err)
		}
		if err := durable.Replace(path, []byte("whole"), 0o600); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want(t, path, "whole", 0o600)
	}
	want(t, elsewhere, "another's", 0o600)
}

// TestAFileThatCannotBeReplacedStays, and nothing is left beside it.
func TestAFileThatCannotBeReplacedStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.Replace(path, []byte("content"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 || !left[0].IsDir() {
		t.Errorf("%v, %v", left, err)
	}
}

func TestFoldersAreMadeForTheirOwner(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "c")
	for range 2 {
		if err := durable.MakeFolder(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{path, filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if info, err := os.Stat(folder); err != nil || info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("%s: %v, %v", folder, info, err)
		}
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.MakeFolder(file); err == nil || !strings.Contains(err.Error(), "move the file away") {
		t.Errorf("%v", err)
	}
	if err := durable.MakeFolder(filepath.Join(file, "below")); err == nil {
		t.Error("a folder in a file")
	}
}
