package export_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// tampered is an export in memory.
type tampered struct {
	t     *testing.T
	files fstest.MapFS
}

func (x *tampered) copy() *tampered {
	files := fstest.MapFS{}
	for name, file := range x.files {
		files[name] = &fstest.MapFile{Data: bytes.Clone(file.Data)}
	}
	return &tampered{x.t, files}
}

// lines changes the lines of a file, from 1.
func (x *tampered) lines(name string, change func(lines []string) []string) {
	lines := strings.SplitAfter(string(x.files[name].Data), "\n")
	x.files[name].Data = []byte(strings.Join(change(lines[:len(lines)-1]), ""))
}

// replace replaces the first place in a file.
func (x *tampered) replace(name, old, text string) {
	x.t.Helper()
	if !bytes.Contains(x.files[name].Data, []byte(old)) {
		x.t.Fatalf("%s has no %s", name, old)
	}
	x.files[name].Data = bytes.Replace(x.files[name].Data, []byte(old), []byte(text), 1)
}

// seal makes the manifest fit a changed file again, as a forger would.
func (x *tampered) seal(name string, old []byte) {
	x.t.Helper()
	digest := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	now := x.files[name].Data
	x.replace("manifest.json", digest(old), digest(now))
	x.replace("manifest.json", fmt.Sprintf(`"bytes": %d,`, len(old)), fmt.Sprintf(`"bytes": %d,`, len(now)))
}

var errDisk = errors.New("the disk fails")

// unreadable is a folder whose files of records cannot be read.
type unreadable struct{ fs.FS }

func (u unreadable) Open(name string) (fs.File, error) {
	file, err := u.FS.Open(name)
	if err == nil && strings.HasPrefix(name, "records-") {
		return unreadableFile{file}, nil
	}
	return file, err
}

type unreadableFile struct{ fs.File }

func (unreadableFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: "records", Err: errDisk}
}
