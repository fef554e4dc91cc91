package caddymodule

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// evidenceFile is a file of a bundle as its manifest names it.
type evidenceFile struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// evidenceOutput is a folder or a zip file that is being written, one file at a time.
type evidenceOutput struct {
	path  string
	files []evidenceFile

	// file and zip are nil where a folder is written.
	file *os.File
	zip  *zip.Writer
}

// newOutput makes the folder or the file. It overwrites nothing, and what it makes
// only its owner can read.
func newOutput(path string) (*evidenceOutput, error) {
	o := &evidenceOutput{path: path}
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("making %s: %w", path, err)
		}
		o.file, o.zip = file, zip.NewWriter(file)
		return o, nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("making %s: %w", path, err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", path, err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: give a new folder, or a new file FILE.zip", path)
	}
	return o, nil
}

// add writes a file. Its name has slashes and is the bundle's own, never a client's.
func (o *evidenceOutput) add(name string, content []byte, modified time.Time) error {
	if err := o.put(name, content, modified); err != nil {
		return fmt.Errorf("writing %s of %s: %w", name, o.path, err)
	}
	o.files = append(o.files, evidenceFile{name, len(content), fmt.Sprintf("%x", sha256.Sum256(content))})
	return nil
}

func (o *evidenceOutput) put(name string, content []byte, modified time.Time) error {
	if o.zip == nil {
		path := filepath.Join(o.path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o600)
	}
	w, err := o.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// finish ends a zip file; a folder is whole already.
func (o *evidenceOutput) finish() error {
	if o.zip == nil {
		return nil
	}
	err := errors.Join(o.zip.Close(), o.file.Sync(), o.file.Close())
	o.file = nil
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.path, err)
	}
	return nil
}

// abandon removes a zip file that is not whole. A folder stays: without a manifest it
// is known to be none.
func (o *evidenceOutput) abandon() error {
	if o.zip == nil {
		return nil
	}
	if o.file != nil {
		_ = o.file.Close() // it is removed
	}
	return os.Remove(o.path)
}
