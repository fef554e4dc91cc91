package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
)

func TestOpenMakesFolderAndFilesForTheOwnerOnly(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b with space?%41")
	path := filepath.Join(folder, "evidence.db")
	s := open(t, path)
	defer closeStore(t, s)
	for name, want := range map[string]os.FileMode{
		folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info, err, want)
		}
	}
}

func TestOpenRefusesWithPathAndCure(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(folder, "newer.db")
	foreign := filepath.Join(folder, "foreign.db")
	for path, statement := range map[string]string{newer: "PRAGMA user_version=99", foreign: "PRAGMA application_id=1"} {
		s := open(t, path)
		if err := s.Exec(statement); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)
	}
	text := file("text.db", strings.Repeat("this is no database ", 100))
	for name, test := range map[string]struct{ path, cure string }{
		"no path":           {"", "no path"},
		"a folder":          {folder, "is no file"},
		"not a database":    {text, "not a SQLite database"},
		"newer format":      {newer, "upgrade"},
		"another program":   {foreign, "another program"},
		"file for a folder": {filepath.Join(text, "evidence.db"), "creating the folder"},
	} {
		for kind, opens := range map[string]func(string, ...sqlite.Option) (*sqlite.Store, error){"writer": sqlite.Open, "reader": sqlite.OpenReader} {
			s, err := opens(test.path)
			if err == nil {
				closeStore(t, s)
				t.Errorf("%s opens %s", kind, name)
				continue
			}
			if !strings.Contains(err.Error(), test.path) || kind == "writer" && !strings.Contains(err.Error(), test.cure) {
				t.Errorf("%s, %s: %v; want the path and %q", name, kind, err, test.cure)
			}
		}
	}
	if content, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(content), "this is no") {
		t.Errorf("the file that is not ours was changed: %v", err)
	}
}

func TestSecondWriterInTheSameProcessIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	s := open(t, path)
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := sqlite.Open(name); !errors.Is(err, sqlite.ErrLocked) {
			t.Errorf("%s: %v, want ErrLocked", name, err)
		}
	}
	closeStore(t, s)
	closeStore(t, open(t, path))
}

func TestReaderCreatesAndWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	if _, err := sqlite.OpenReader(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("no file: %v", err)
	}
	s := open(t, path)
	r := audittest.NewSource(1).Issue(1)
	if err := s.Commit(t.Context(), batchOf(0, r)); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	files := listing(t, path)
	reader, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := reader.Get(t.Context(), "gateway-1", 0); err != nil || got.ID != r.ID {
		t.Errorf("record 0: %v", err)
	}
	if err := reader.Commit(t.Context(), batchOf(1, r)); err == nil {
		t.Error("commit on a reader: no error")
	}
	if _, err := reader.Secret(t.Context(), "key", func() ([]byte, error) { return []byte{1}, nil }); err == nil {
		t.Error("a new secret on a reader: no error")
	}
	// A gateway that starts later is seen by a reader that is there already.
	s = open(t, path)
	if err := s.Commit(t.Context(), batchOf(1, audittest.NewSource(2).Issue(1))); err != nil {
		t.Fatal(err)
	}
	if head, err := reader.Head(t.Context(), "gateway-1"); err != nil || head.Size != 2 {
		t.Errorf("head of the reader: %d, %v; want 2", head.Size, err)
	}
	closeStore(t, s)
	closeStore(t, reader)
	if now := listing(t, path); now != files {
		t.Errorf("files: %s, before the reader: %s", now, files)
	}
}

func listing(t *testing.T, path string) string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// batchOf is a batch for tests of what does not look at the tree.
func batchOf(first uint64, records ...*audit.Record) audit.Batch {
	batch := audit.Batch{Log: "gateway-1", First: first, Checkpoint: []byte("checkpoint")}
	for i, r := range records {
		batch.Entries = append(batch.Entries, audit.Entry{Index: first + uint64(i), Form: r.Encode(nil), Record: r})
	}
	return batch
}
