package command_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNoHalfCaddyfileStays where there is no room for it: an empty one would be taken for a configuration.
func TestNoHalfCaddyfileStays(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "Caddyfile")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := runInit("demo", path)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if _, left := os.Stat(path); err == nil || !errors.Is(left, fs.ErrNotExist) {
		t.Errorf("%v, and the file: %v", err, left)
	}
	if _, err := runInit("demo", path); err != nil {
		t.Errorf("once there is room: %v", err)
	}
}
