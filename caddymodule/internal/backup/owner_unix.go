//go:build unix

package backup

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// CheckOwner returns an error unless the folder of a trail belongs to this process's user. What another
// user puts there, root too, the gateway could not open.
func CheckOwner(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("looking at the folder of the trail: %w", err)
	}
	owner, known := ownerOf(info)
	if !known || owner == os.Geteuid() {
		return nil
	}
	name := strconv.Itoa(owner)
	if found, err := user.LookupId(name); err == nil {
		name = found.Username
	}
	return fmt.Errorf("the folder %s belongs to another user, and what this one puts there the gateway may not be able to open: "+
		"run the command as its owner, with sudo -u %s", folder, name)
}

func ownerOf(info fs.FileInfo) (int, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
