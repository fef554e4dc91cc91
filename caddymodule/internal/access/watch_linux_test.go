package access

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/fielato/fielato/internal/limit"
)

// TestACopyThatKeepsTheTimeIsRead, though it is the same file with the same size and time: so do cp -p and rsync --inplace
// with files that all have one time.
func TestACopyThatKeepsTheTimeIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers")
	const row, mistaken = "shop user shop cuits 20-11111111-2 may query\n", "shop user shop cuits 20-11111111-3 may query\n"
	if err := os.WriteFile(file, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{File: file}, Slots{Issuing: limit.NewLimit(1)}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	a.refresh()
	// The clock of a file system ticks some hundred times a second.
	for before := look(file); changeOf(look(file).file).Equal(before.changed); {
		if err := os.WriteFile(file, []byte(mistaken), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, before.modified, before.modified); err != nil {
			t.Fatal(err)
		}
	}
	lookTwice(t, a)
	if err := a.Problem(); err == nil || !strings.Contains(err.Error(), "customers:1") {
		t.Errorf("the file with a mistake was not read: %v", err)
	}
}

// TestAFileThatCannotBeReadIsReadAgain, though it stays as it is: a folder's rights, a disk or a number of open files may
// have been the reason, and the file has no trace of its end.
func TestAFileThatCannotBeReadIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{File: file}, Slots{Issuing: limit.NewLimit(1)}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/proc/self/mem", file); err != nil { // a regular file whose first byte cannot be read
		t.Fatal(err)
	}
	lookTwice(t, a)
	if a.Problem() == nil {
		t.Fatal("the file was read")
	}
	a.report(nil)
	lookTwice(t, a)
	if a.Problem() == nil {
		t.Error("the file was not read again")
	}
}
