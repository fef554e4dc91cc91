//go:build unix

package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/internal/audittest"
)

// hang puts a file in a place that nobody can open until the returned function is called, as on a disk that is not
// reachable.
func hang(t *testing.T, path string) (release func()) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestADiskThatHangsHoldsNobodyUp: neither a stop, nor the file of another trail, nor a start beyond its time.
func TestADiskThatHangsHoldsNobodyUp(t *testing.T) {
	of := openLog(t, audittest.NewMemory())
	of.record(t, 1)
	folder := t.TempDir()
	p, other := &fileDestination{filepath.Join(folder, "hangs")}, &fileDestination{filepath.Join(folder, "other")}
	release := hang(t, p.path)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for name, attempt := range map[string]func() error{
		"a start":     func() error { return p.Check(ctx, of) },
		"a publisher": func() error { _, err := p.publish(ctx, of); return err },
	} {
		err := attempt()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), p.path+": the disk does not answer") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := other.publish(t.Context(), of); err != nil {
		t.Errorf("the file of another trail: %v", err)
	}
	k := New(p, time.Minute, of.handle(), zap.NewNop())
	k.Start()
	k.Stop()
	release()
	if err := os.Remove(p.path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.publish(t.Context(), of); err != nil || sizeOf(t, of, must(os.ReadFile(p.path))) != 1 {
		t.Errorf("once the disk is there again: %v", err)
	}
}
