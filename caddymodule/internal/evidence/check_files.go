package evidence

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
)

// files compares the files with the manifest.
func (c *checker) files(listed []evidenceFile) error {
	known := map[string]bool{manifestName: true}
	for _, file := range listed {
		known[file.Path] = true
		if folder := path.Dir(file.Path); folder != "." && !slices.Contains(c.exchanges, folder) {
			c.exchanges = append(c.exchanges, folder)
		}
		sum, err := c.sum(file.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
			c.fault("%s is missing", file.Path)
		case err != nil:
			return err
		case sum != file.SHA256:
			c.changed = append(c.changed, file.Path)
			c.fault("%s was changed: its SHA-256 is not the one in %s", file.Path, manifestName)
		default:
			c.Files++
		}
	}
	return fs.WalkDir(c.folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case !entry.Type().IsRegular(): // what a link leads to is no part of the folder
			c.fault("%s is no regular file", name)
		case !known[name]:
			c.Unlisted = append(c.Unlisted, name)
		}
		return err
	})
}

func (c *checker) sum(name string) (string, error) {
	file, err := c.folder.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// compare compares a file with the content that the proofs hold. A nil want means that the file must not
// exist.
func (c *checker) compare(name string, want []byte) error {
	got, err := c.start(name, len(want)+1)
	switch {
	case errors.Is(err, fs.ErrNotExist) && want == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		c.fault("%s is missing", name)
		return nil
	case err != nil:
		return fmt.Errorf("reading %s: %w", name, err)
	case !bytes.Equal(got, want):
		c.fault("%s is not what the record holds", name)
	}
	return nil
}

// start reads the beginning of a file. How long it is may be a lie, or more than the memory has.
func (c *checker) start(name string, most int) ([]byte, error) {
	file, err := c.folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(most)))
}
