package evidence

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fielato/fielato/internal/durable"
)

// evidenceFile is a file of a bundle in its manifest.
type evidenceFile struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// evidenceOutput is a folder or a zip file to which files are added one at a time.
type evidenceOutput struct {
	path  string
	files []evidenceFile

	// zip is nil for a folder. file is the zip file; nil if the zip goes to a writer.
	zip  *zip.Writer
	file *durable.NewFile
}

// newOutput makes the folder or the zip file. It overwrites nothing, and only the owner can
// read what it makes.
func newOutput(path string) (*evidenceOutput, error) {
	o := &evidenceOutput{path: path}
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		file, err := durable.CreateNew(path)
		if err != nil {
			return nil, fmt.Errorf("making the evidence: %w", err)
		}
		o.file, o.zip = file, zip.NewWriter(file)
		return o, nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: give a new folder, or a new file FILE.zip", path)
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

// zipOutput writes a zip file to w.
func zipOutput(w io.Writer) *evidenceOutput {
	return &evidenceOutput{path: "the zip file", zip: zip.NewWriter(w)}
}

// add writes a file. Its name has slashes, and never comes from a client.
func (o *evidenceOutput) add(name string, content []byte, modified time.Time) error {
	return o.stream(name, modified, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// stream is add for content that write produces part by part.
func (o *evidenceOutput) stream(name string, modified time.Time, write func(io.Writer) error) error {
	into, err := o.create(name, modified)
	if err != nil {
		return fmt.Errorf("writing %s of %s: %w", name, o.path, err)
	}
	counted := &countedWriter{hash: sha256.New()}
	buffered := bufio.NewWriter(io.MultiWriter(into, counted))
	if err := errors.Join(write(buffered), buffered.Flush(), into.Close()); err != nil {
		return fmt.Errorf("writing %s of %s: %w", name, o.path, err)
	}
	o.files = append(o.files, evidenceFile{name, counted.bytes, fmt.Sprintf("%x", counted.hash.Sum(nil))})
	return nil
}

// create makes a file of the bundle. One file can be open at a time.
func (o *evidenceOutput) create(name string, modified time.Time) (io.WriteCloser, error) {
	if o.zip == nil {
		path := filepath.Join(o.path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	w, err := o.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
	return zipFile{w}, err
}

// zipFile is a file of an archive, which ends when the next begins.
type zipFile struct{ io.Writer }

func (zipFile) Close() error { return nil }

// countedWriter takes the size and the hash of a file.
type countedWriter struct {
	hash  hash.Hash
	bytes int
}

func (c *countedWriter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return c.hash.Write(p)
}

// finish closes a zip file; a folder needs nothing.
func (o *evidenceOutput) finish() error {
	if o.zip == nil {
		return nil
	}
	err := o.zip.Close()
	if o.file != nil {
		err = errors.Join(err, o.file.Finish())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.path, err)
	}
	return nil
}

// abandon removes a zip file that is not whole. A folder stays: without a manifest it does
// not count as a bundle.
func (o *evidenceOutput) abandon() error {
	if o.file == nil {
		return nil
	}
	return o.file.Abandon()
}
