package caddymodule

import (
	"errors"
	"os"
)

// newFile is a file that only its owner may read. It never replaces one that exists.
type newFile struct{ *os.File }

func createNew(path string) (*newFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &newFile{file}, nil
}

// finish closes the file; its content survives a power cut.
func (f *newFile) finish() error { return errors.Join(f.Sync(), f.Close()) }

// abandon removes the file, also after finish.
func (f *newFile) abandon() error {
	_ = f.Close() // it is removed
	return os.Remove(f.Name())
}
