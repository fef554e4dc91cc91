package access

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/fielato/fielato/internal/limit"
)

// TestAnotherFileInItsPlaceIsRead, though size and time are the same: images and package managers give all files one
// time, and a client whose row was taken away would go on.
func TestAnotherFileInItsPlaceIsRead(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "customers")
	const row, mistaken = "shop user shop cuits 20-11111111-2 may query\n", "shop user shop cuits 20-11111111-3 may query\n"
	if err := os.WriteFile(file, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{File: file}, Slots{Issuing: limit.NewLimit(1)}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "customers.new")
	if err := os.WriteFile(other, []byte(mistaken), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	a.refresh()
	if err := os.Rename(other, file); err != nil {
		t.Fatal(err)
	}
	lookTwice(t, a)
	if err := a.Problem(); err == nil || !strings.Contains(err.Error(), "customers:1") {
		t.Errorf("the file with a mistake was not read: %v", err)
	}
}

// lookTwice looks at a file that has changed, which is read at the second look.
func lookTwice(t *testing.T, a *Access) {
	t.Helper()
	before := a.Problem()
	a.refresh()
	if err := a.Problem(); !errors.Is(err, before) {
		t.Errorf("a file is read before it has stayed the same: %v", err)
	}
	a.refresh()
}
