package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit/sqlite"
)

// TestSecondProcessIsToldWhoIsFirst, and gets the file when the first was killed.
func TestSecondProcessIsToldWhoIsFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childPath+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.HasPrefix(line, "error") {
		t.Fatalf("the first process: %q, %v", line, err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, path, fmt.Sprintf("process %d (%s) on %s, since 20", child.Process.Pid, filepath.Base(os.Args[0]), host))
	kill()
	if _, err := os.Stat(path + ".lock.holder"); err != nil {
		t.Errorf("what the killed process has left: %v", err)
	}
	s := open(t, path)
	refused(t, path, fmt.Sprintf("process %d ", os.Getpid()))
	closeStore(t, s)
	if _, err := os.Stat(path + ".lock.holder"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a store that was closed is still named: %v", err)
	}
}

// TestLockHoldsWithoutAName: the name of the holder is no part of the lock.
func TestLockHoldsWithoutAName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	for name, content := range map[string]string{
		"half a line": "process 12", "nothing": "", "a terminal's commands": "\x1b[2Jprocess 1\n", "too long": strings.Repeat("x", 1000) + "\n",
	} {
		if err := os.WriteFile(path+".lock.holder", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if text := refused(t, path, "it is not known which"); strings.Contains(text, "\x1b") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if err := os.Remove(path + ".lock.holder"); err != nil {
		t.Fatal(err)
	}
	refused(t, path, "it is not known which")
}

func refused(t *testing.T, path, says string) string {
	t.Helper()
	s, err := sqlite.Open(path)
	if err == nil {
		closeStore(t, s)
		t.Fatal("a second store writes the file")
	}
	if !errors.Is(err, sqlite.ErrLocked) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
		t.Errorf("the second store: %v; want %q", err, says)
	}
	return err.Error()
}
