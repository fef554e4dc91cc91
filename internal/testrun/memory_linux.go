package testrun

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	// memory is the file system of Linux that is kept in memory.
	memory = "/dev/shm"
	// room is what must be free in it, in bytes: a container may have 64 MB.
	room = 4 << 30

	prefix = "fielato-test-"
)

// filesInMemory leads the temporary files of the process to a folder in memory, if there
// is room: the stores sync each commit as they do in production, and a test spent most of
// its time with the disk. A TMPDIR that is set stays: it is the choice of the user, or the
// folder of the test that has started this process.
func filesInMemory() (remove func()) {
	var free syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &free) != nil || free.Bavail*uint64(free.Bsize) < room {
		return func() {}
	}
	removeAbandoned()
	folder, err := os.MkdirTemp(memory, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return func() {}
	}
	_ = os.Chmod(folder, 0o755) //nolint:gosec // PostgreSQL and some gateways run as another user
	_ = os.Setenv("TMPDIR", folder)
	return func() { _ = os.RemoveAll(folder) }
}

// removeAbandoned removes the folders of processes that were killed.
func removeAbandoned() {
	folders, _ := filepath.Glob(filepath.Join(memory, prefix+"*"))
	for _, folder := range folders {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), prefix), "-")
		pid, err := strconv.Atoi(text)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(folder)
		}
	}
}
