//go:build unix

package file

import (
	"os"
	"path/filepath"
	"syscall"
)

// giveToOwner gives a new file of root to the owner of its folder, as SQLite does with the files that it makes
// beside a database. Else a command of root on a stopped gateway's trail would leave a lock that the gateway
// cannot open. Where root may not, as in some containers, the file stays root's.
func giveToOwner(f *os.File) {
	if os.Geteuid() != 0 {
		return
	}
	info, err := os.Stat(filepath.Dir(f.Name()))
	if err != nil {
		return
	}
	if folder, ok := info.Sys().(*syscall.Stat_t); ok && folder.Uid != 0 {
		_ = f.Chown(int(folder.Uid), int(folder.Gid))
	}
}
