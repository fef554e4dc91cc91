package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// Folder is where an export is written. Names have no folders in them.
type Folder interface {
	// The FS reads the files of the folder.
	fs.FS
	// Create makes a file, or empties the one that is there.
	Create(name string) (File, error)
	// Rename gives a file another name, in place of a file of that name. When it
	// returns nil, that survives a power cut.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
}

// File is a file of an export that is being written.
type File interface {
	io.WriteCloser
	// Sync returns when what was written survives a power cut.
	Sync() error
}

// Directory is an Folder in the file system. Nothing outside of it is touched,
// whatever links are in it; its files only their owner can read.
type Directory struct {
	fs.FS
	root *os.Root
}

var _ Folder = (*Directory)(nil)

// OpenDirectory opens the folder at path, and makes it (0700) if it is not there.
func OpenDirectory(path string) (*Directory, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: give a folder", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of an export: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of an export: %w", err)
	}
	return &Directory{FS: root.FS(), root: root}, nil
}

// Create implements Folder.
func (d *Directory) Create(name string) (File, error) {
	return d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

// Rename implements Folder.
func (d *Directory) Rename(from, to string) error {
	if err := d.root.Rename(from, to); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // which has no sync of a folder, and needs none
	}
	folder, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Remove implements Folder.
func (d *Directory) Remove(name string) error { return d.root.Remove(name) }

// Close closes the folder.
func (d *Directory) Close() error { return d.root.Close() }
