package keyfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Private returns an error unless one user alone can read a key's file, as far as its mode tells. Its
// group may read it where that has one user at most, and where systemd has put the file there as a
// credential: its mode then shows the access list that names the unit's user. what names the key in
// errors.
func Private(what, file string, info fs.FileInfo) error {
	mode := info.Mode().Perm()
	switch {
	case runtime.GOOS == "windows" || mode&0o077 == 0:
		return nil
	case mode&0o037 != 0:
		return fmt.Errorf("%s %s can be read by others (mode %04o): chmod 600 it", what, file, mode)
	case isCredential(file) || hasOneUser(info):
		return nil
	}
	return fmt.Errorf("%s %s can be read by a group of several users (mode %04o): chmod 600 it, or chgrp it to the group of the gateway's user alone", what, file, mode)
}

// isCredential reports whether systemd has passed the file to this unit, as with LoadCredential.
func isCredential(file string) bool {
	folder := os.Getenv("CREDENTIALS_DIRECTORY")
	if folder == "" {
		return false
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(folder, path)
	return err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator))
}
