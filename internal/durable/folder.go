package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// MakeFolder makes a folder that only its owner may enter, and those above it that are not there. A
// folder that is there stays as it is.
func MakeFolder(path string) error {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is a file: give a folder, or move the file away", path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MakeFolder(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncFolder(above)
}

// SyncFolder makes the names in a folder survive a power cut: a file whose content was synced
// can still lose its name, and a log without its key cannot be continued. It does nothing on file
// systems that cannot sync a folder.
func SyncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // it opens no folder, and keeps names as safely as contents
	}
	f, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("opening the folder: %w", err)
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
