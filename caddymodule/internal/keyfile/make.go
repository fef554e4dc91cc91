package keyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fielato/fielato/internal/durable"
)

// Make writes a key to a new file, whole or not at all, with its folder. It never replaces one: made
// is false if the file is there already. When it returns, the file outlives a power cut. what names
// the key in errors.
func Make(what, file string, text []byte) (made bool, err error) {
	folder, name := filepath.Split(file)
	if err := durable.MakeFolder(folder); err != nil {
		return false, fmt.Errorf("making %s: %w", what, err)
	}
	f, err := os.CreateTemp(folder, name+".*") // 0600
	if err != nil {
		return false, fmt.Errorf("making %s: %w", what, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // after a rename it is not there
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return false, fmt.Errorf("writing %s: %w", what, err)
	}
	switch err = os.Link(f.Name(), file); {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil: // perhaps the file system has no links
		err = os.Rename(f.Name(), file)
	}
	if err = errors.Join(err, durable.SyncFolder(folder)); err != nil {
		return false, fmt.Errorf("making %s: %w", what, err)
	}
	return true, nil
}
