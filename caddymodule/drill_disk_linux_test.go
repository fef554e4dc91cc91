package caddymodule_test

import (
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

func init() {
	drills = append(drills, drill{"disk full, room made", fillDisk})
	own["SQLite"] = append(own["SQLite"], drill{"disk full, a larger one", fillDiskAndMove})
}

// fillDisk: nothing can be written, until somebody removes other files.
func fillDisk(s *scene) {
	s.issue(2)
	room := s.fill()
	s.follow("troubleshooting.md", "The disk is full")
	s.step("Remove files that are not the trail's.", "remove other files", room)
	s.good()
}

// fillDiskAndMove: there is nothing to remove.
func fillDiskAndMove(s *scene) {
	s.issue(2)
	s.fill()
	larger := s.T.TempDir()
	s.follow("troubleshooting.md", "The disk is full")
	s.step("Stop the gateway.", "stop", s.stop)
	s.step("Copy `audit.db` with everything that begins with its name (`-wal`, `.key`), as the user of the gateway or with `cp -a`.", "copy the files", func() {
		s.copyAll(filepath.Join(s.folder, "audit.db*"), larger)
		s.no(os.RemoveAll(s.folder))
	})
	s.step("Change the path and start.", "start with another path", func() {
		s.folder = larger
		s.kept.(*keptInFile).path = filepath.Join(larger, "audit.db")
		s.start()
	})
	s.good()
}

// fill lets the disk of the trail be full, and shows what clients get. The function that it returns
// makes room.
func (s *scene) fill() (room func()) {
	s.T.Helper()
	s.disaster()
	if k, ok := s.kept.(*keptInServer); ok {
		room = k.cluster.FillDisk(s.T, k.database, "audit_segments", false)
	} else {
		before := s.limitFiles(0)
		room = func() { s.limitFiles(before) }
	}
	s.turnedAway("audit.unavailable")
	return room
}

// limitFiles sets how large a file of the gateway may become (RLIMIT_FSIZE), and returns what it was.
func (s *scene) limitFiles(size uint64) (before uint64) {
	s.T.Helper()
	var old syscall.Rlimit
	set := func(limit, was *syscall.Rlimit) {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(s.gateway.Cmd.Process.Pid), syscall.RLIMIT_FSIZE,
			uintptr(unsafe.Pointer(limit)), uintptr(unsafe.Pointer(was)), 0, 0); errno != 0 {
			s.T.Fatalf("the limit: %v", errno)
		}
	}
	set(nil, &old)
	set(&syscall.Rlimit{Cur: size, Max: old.Max}, nil)
	return old.Cur
}
