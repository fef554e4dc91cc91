package cli

import (
	"errors"
	"os"
)

// NewFile is a file that only its owner may read. It never replaces one that exists.
type NewFile struct{ *os.File }

func CreateNew(path string) (*NewFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
