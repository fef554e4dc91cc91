//go:build unix

package postgrestest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// owner returns the user that runs the server where the test is run by root, as which
// PostgreSQL does not run.
func owner() (uid, gid int, needed bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			return uid, gid, true
		}
	}
	return 65534, 65534, true
}

func unprivileged() *syscall.SysProcAttr {
	uid, gid, needed := owner()
	if !needed {
		return &syscall.SysProcAttr{Setpgid: true}
	}
	return &syscall.SysProcAttr{
		Setpgid: true, Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: false},
	}
}

// own gives a file to the user that runs the server.
func own(path string) error {
	if uid, gid, needed := owner(); needed {
		return os.Chown(path, uid, gid)
	}
	return nil
}
