package console_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vendored are the folders with files of others: the files of the pages, and the files of their tests.
func vendored(t *testing.T) (folders []string) {
	t.Helper()
	for _, root := range []string{".", "../internal"} {
		err := filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && (entry.Name() == "vendor" || filepath.Base(filepath.Dir(at)) == "testdata" && entry.Name() == "axe-core") {
				folders = append(folders, at)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return folders
}

// row is a line of the table in the README of a folder: file, version, licence, source, SHA-256.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^ |]+) \\| ([^|]+) \\| (https://[^ |]+) \\| `([0-9a-f]{64})` \\|$")

// TestVendoredFiles: each file of others is the one that its folder's README names, with its version, its
// licence beside it, and where it was published. All of them are named, and no other is.
func TestVendoredFiles(t *testing.T) {
	folders := vendored(t)
	if len(folders) < 2 {
		t.Fatalf("only the folders %v have files of others", folders)
	}
	for _, folder := range folders {
		readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		named := map[string][]string{}
		for _, line := range row.FindAllStringSubmatch(string(readme), -1) {
			named[line[1]] = line
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := entry.Name()
			if name == "README.md" {
				continue
			}
			line, ok := named[name]
			if !ok {
				t.Errorf("the list of %s does not name %s", folder, name)
				continue
			}
			delete(named, name)
			wantVendored(t, folder, line)
		}
		for name := range named {
			t.Errorf("the list of %s names %s, which is not there", folder, name)
		}
	}
}

// wantVendored fails the test unless a file is what its line says.
func wantVendored(t *testing.T, folder string, line []string) {
	t.Helper()
	name, version, licence, source, digest := line[1], line[2], strings.TrimSpace(line[3]), line[4], line[5]
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != digest {
		t.Errorf("%s/%s is not what was published as %s: its SHA-256 is %x, not %s", folder, name, version, sum, digest)
	}
	if !strings.Contains(source, version) {
		t.Errorf("%s: the source %s is not of version %s", name, source, version)
	}
	if strings.Contains(name, "LICENSE") {
		return
	}
	if !strings.Contains(name, version) {
		t.Errorf("%s does not name its version %s", name, version)
	}
	product, _, _ := strings.Cut(path.Base(name), "-")
	if text, err := os.ReadFile(filepath.Join(folder, product+".LICENSE")); err != nil || len(text) < 500 {
		t.Errorf("%s: the text of its licence, %s, is not beside it: %v", name, licence, err)
	}
}
