package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// NewFile is a file that only its owner may read. It never replaces one that exists.
type NewFile struct{ *os.File }

// CreateNew makes a file.
func CreateNew(path string) (*NewFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%s is there already, and stays as it is: name another file", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: name a file in a folder that is there, and that you may write", err)
	}
	if err != nil {
		return nil, err
	}
	return &NewFile{file}, nil
}

// Finish closes the file; its content survives a power cut.
func (f *NewFile) Finish() error { return errors.Join(f.Sync(), f.Close()) }

// Abandon removes the file, also after finish.
func (f *NewFile) Abandon() error {
	_ = f.Close() // it is removed
	return os.Remove(f.Name())
}

// Copy copies a file into a new one, which survives a power cut.
func Copy(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	return WriteNew(to, source)
}

// WriteNew makes a file with the content, whole or not at all. It survives a power cut.
func WriteNew(path string, content io.Reader) error {
	file, err := CreateNew(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Finish()); err != nil {
		return errors.Join(err, file.Abandon())
	}
	return nil
}
