package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// losses are ways to take the files of a trail away. Each is given the folder and the file.
var losses = map[string]func(folder, path string) error{
	"the folder is removed":  func(folder, _ string) error { return os.RemoveAll(folder) },
	"the folder is moved":    func(folder, _ string) error { return os.Rename(folder, folder+".old") },
	"the file is removed":    func(_, path string) error { return os.Remove(path) },
	"the log is removed":     func(_, path string) error { return os.Remove(path + "-wal") },
	"the memory is removed":  func(_, path string) error { return os.Remove(path + "-shm") },
	"the file is replaced":   func(_, path string) error { return replace(path) },
	"the log is replaced":    func(_, path string) error { return replace(path + "-wal") },
	"a link leads elsewhere": turn,
}

func replace(path string) error {
	return errors.Join(os.WriteFile(path+".new", nil, 0o600), os.Rename(path+".new", path))
}

// turn has the link to the folder, through which the trail was opened, lead to another one.
func turn(folder, path string) error {
	other := filepath.Join(folder+".other", filepath.Base(path))
	return errors.Join(os.MkdirAll(folder+".other", 0o700), os.WriteFile(other, nil, 0o600),
		os.Remove(folder+".link"), os.Symlink(folder+".other", folder+".link"))
}

// TestNothingIsAcknowledgedWithoutItsFiles: SQLite writes to a removed file without an error, and
// all of it ends with the process.
func TestNothingIsAcknowledgedWithoutItsFiles(t *testing.T) {
	for name, take := range losses {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "data")
			if err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink(folder, folder+".link")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder+".link", "evidence.db")
			s := open(t, path)
			defer closeStore(t, s)
			trail, err := audit.Open(t.Context(), s, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, trail)
			source := audittest.NewSource(1)
			if _, err := trail.Append(t.Context(), source.Issue(1)); err != nil {
				t.Fatal(err)
			}
			if err := s.Attached(); err != nil {
				t.Fatalf("nothing has happened: %v", err)
			}
			if err := take(folder, filepath.Join(folder, "evidence.db")); err != nil {
				t.Fatal(err)
			}
			_, err = trail.Append(t.Context(), source.Issue(1))
			if !errors.Is(err, audit.ErrLost) || errors.Is(err, audit.ErrUncertain) || !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), "put the folder back") {
				t.Errorf("append: %v", err)
			}
			if err := s.SetSetting(t.Context(), "a", nil); !errors.Is(err, audit.ErrLost) {
				t.Errorf("setting: %v", err)
			}
			if trail.Size() != 1 {
				t.Errorf("size %d, want 1", trail.Size())
			}
			// What comes back may lack records, so only a start may go on with it.
			_ = os.Rename(folder+".old", folder)
			if _, err := trail.Append(t.Context(), source.Issue(1)); !errors.Is(err, audit.ErrLost) {
				t.Errorf("append when the folder is back: %v", err)
			}
			if err := s.Attached(); !errors.Is(err, audit.ErrLost) {
				t.Errorf("attached when the folder is back: %v", err)
			}
		})
	}
}

// TestAttachedLooksWithoutACommit: a gateway without requests must not seem ready.
func TestAttachedLooksWithoutACommit(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	s := open(t, filepath.Join(folder, "evidence.db"))
	defer closeStore(t, s)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := s.Attached(); !errors.Is(err, audit.ErrLost) {
		t.Errorf("%v", err)
	}
}
