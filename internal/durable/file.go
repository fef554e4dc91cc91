package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Temporary ends the name of a file that is not whole yet. A crash leaves at most one for each file.
const Temporary = ".tmp"

// Replace puts content into a file with these permissions, whatever the umask is, or leaves the file
// as it is. One caller at a time may replace a file.
func Replace(path string, content []byte, mode fs.FileMode) error {
	temporary := path + Temporary
	// What a crash has left may have other permissions, or be a link.
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what an interrupted write has left: %w", err)
	}
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return SyncFolder(filepath.Dir(path))
}
