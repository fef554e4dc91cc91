//go:build unix

package backup

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
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
	return fmt.Errorf("the folder %s belongs to another user, and what this one puts there the gateway may not be able to open: "+
		"run the command as its owner, with sudo -u %s", folder, nameOf(owner))
}

// CheckFiles returns an error if a file that the gateway needs for the trail at path belongs to another user than
// its folder: somebody else, such as root, has started a gateway there, or put a copy back. Its group may read a key.
// A folder of root tells nothing.
func CheckFiles(path string) error {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil //nolint:nilerr // there is nothing yet
	}
	want, known := ownerOf(folder)
	if !known || want == 0 {
		return nil
	}
	for _, end := range []string{"", "-wal", "-shm", ".lock", ".key"} {
		info, err := os.Stat(path + end)
		if err != nil || end == ".key" && info.Mode()&0o040 != 0 {
			continue
		}
		if owner, _ := ownerOf(info); owner != want {
			return fmt.Errorf("%s belongs to %s, and its folder to %s", path+end, nameOf(owner), nameOf(want))
		}
	}
	return nil
}

// nameOf returns the name of a user, or the number of one that the machine does not have.
func nameOf(id int) string {
	name := strconv.Itoa(id)
	if found, err := user.LookupId(name); err == nil {
		return found.Username
	}
	return name
}

func ownerOf(info fs.FileInfo) (int, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
