package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsaa/keeper/file"
	"github.com/fielato/fielato/wsaa/keeper/internal/keepertest"
)

const name = "wsaa-0123456789abcdef0123456789abcdef"

func open(t *testing.T, folder string) *file.Store {
	t.Helper()
	s, err := file.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// save takes the lease, saves and returns the lease.
func save(t *testing.T, s *file.Store, entry string) error {
	t.Helper()
	if held, err := s.Take(t.Context(), name, "a", time.Minute); err != nil || !held {
		t.Fatal(held, err)
	}
	err := s.Save(t.Context(), name, "a", []byte(entry))
	return errors.Join(err, s.Return(t.Context(), name, "a"))
}

func wantEntry(t *testing.T, s *file.Store, want string) {
	t.Helper()
	if got, err := s.Load(t.Context(), name); err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestAFolderIsAStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data", "tickets")
	keepertest.Store(t, open(t, folder), func(long time.Duration) { <-time.After(long) })
	keepertest.Store(t, open(t, t.TempDir()), func(long time.Duration) { <-time.After(long) })
}

// TestNothingIsMadeBeforeTheFirstSave. Then nobody else can read it, and it is there after a restart.
func TestNothingIsMadeBeforeTheFirstSave(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data", "tickets")
	s := open(t, folder)
	wantEntry(t, s, "")
	if _, err := os.Stat(filepath.Dir(folder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
	for _, entry := range []string{"first", "second"} {
		if err := save(t, s, entry); err != nil {
			t.Fatal(err)
		}
	}
	wantEntry(t, open(t, folder), "second")
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]fs.FileMode{folder: fs.ModeDir | 0o700, filepath.Join(folder, name+".ticket"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, info, err, want)
		}
	}
}

// TestStoresOfAFolderShareTheLeases, by whatever path they have come to it and whether it is there
// or not. Stores of another folder do not.
func TestStoresOfAFolderShareTheLeases(t *testing.T) {
	root := t.TempDir()
	link := filepath.Join(root, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	stores := []*file.Store{
		open(t, filepath.Join(root, "tickets")), open(t, "tickets"), open(t, filepath.Join("other", "..", "tickets")+"/"), open(t, filepath.Join(link, "tickets")),
	}
	if err := save(t, stores[0], "entry"); err != nil {
		t.Fatal(err)
	}
	stores = append(stores, open(t, filepath.Join(link, "tickets")), open(t, "tickets"))
	for i, s := range stores {
		held, err := s.Take(t.Context(), name, fmt.Sprint(i), time.Minute)
		if err != nil || held != (i == 0) {
			t.Errorf("store %d: %v, %v", i, held, err)
		}
		wantEntry(t, s, "entry")
	}
	if err := stores[1].Save(t.Context(), name, "1", []byte("another's")); !errors.Is(err, keeper.ErrNotHolder) {
		t.Errorf("saved by another: %v", err)
	}
	if held, err := open(t, "other").Take(t.Context(), name, "another", time.Minute); err != nil || !held {
		t.Errorf("in another folder: %v, %v", held, err)
	}
}

// TestNamesDoNotLeadOutOfTheFolder.
func TestNamesDoNotLeadOutOfTheFolder(t *testing.T) {
	s := open(t, t.TempDir())
	for _, name := range []string{
		"", ".", "..", "../x", "a/b", `a\b`, "/etc/passwd", "a.ticket", ".hidden", "a\x00b", "a\nb", "ñ", "A", " a", strings.Repeat("a", 65),
	} {
		_, took := s.Take(t.Context(), name, "a", time.Minute)
		_, loaded := s.Load(t.Context(), name)
		saved := s.Save(t.Context(), name, "a", []byte("x"))
		if took == nil || loaded == nil || saved == nil || errors.Is(saved, keeper.ErrNotHolder) {
			t.Errorf("%q: %v, %v, %v", name, took, loaded, saved)
		}
	}
}

// TestWhatIsNoEntryIsRefused, with what to do about it.
func TestWhatIsNoEntryIsRefused(t *testing.T) {
	for what, test := range map[string]struct {
		put  func(path string) error
		want string
	}{
		"a folder":            {func(path string) error { return os.Mkdir(path, 0o700) }, "move it away"},
		"a link":              {func(path string) error { return os.Symlink(path+".elsewhere", path) }, "remove it"},
		"one that others see": {func(path string) error { return os.WriteFile(path, []byte("x"), 0o644) }, "chmod 600"},
		"a large one":         {func(path string) error { return os.WriteFile(path, make([]byte, 8<<20+1), 0o600) }, "more than 8388608 bytes"},
	} {
		folder := t.TempDir()
		s, path := open(t, folder), filepath.Join(folder, name+".ticket")
		if err := test.put(path); err != nil {
			t.Fatal(err)
		}
		if entry, err := s.Load(t.Context(), name); err == nil || entry != nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d bytes, %v", what, len(entry), err)
		}
	}
	if err := save(t, open(t, t.TempDir()), strings.Repeat("x", 8<<20+1)); err == nil {
		t.Error("saved what cannot be loaded")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{path, filepath.Join(path, "below"), ""} {
		if _, err := file.Open(folder); err == nil {
			t.Errorf("%q was opened", folder)
		}
	}
}

// TestAnInterruptedSaveLeavesTheEntry, and what it has left is removed by the next one, of whatever
// name. Files of others stay.
func TestAnInterruptedSaveLeavesTheEntry(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	if err := save(t, s, "whole"); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{name + ".ticket.tmp", "another.ticket.tmp", "notes.tmp"} {
		if err := os.WriteFile(filepath.Join(folder, left), []byte("ha"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantEntry(t, open(t, folder), "whole")
	if err := save(t, s, "next"); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, s, "next")
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
}

// TestADiskThatFails: the error says so, the lease stays, and the entry is saved once it can be.
func TestADiskThatFails(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tickets")
	s := open(t, folder)
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if held, err := s.Take(t.Context(), name, "a", time.Minute); err != nil || !held {
		t.Fatal(held, err)
	}
	if err := s.Save(t.Context(), name, "a", []byte("x")); err == nil || errors.Is(err, keeper.ErrNotHolder) || !strings.Contains(err.Error(), folder) {
		t.Errorf("%v", err)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), name, "a", []byte("x")); err != nil {
		t.Error(err)
	}
	wantEntry(t, s, "x")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Save(ended, name, "a", []byte("y")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the context has ended", err)
	}
	wantEntry(t, s, "x")
}

// TestReadersSeeWholeEntries while others replace them.
func TestReadersSeeWholeEntries(t *testing.T) {
	folder := t.TempDir()
	entries := [][]byte{bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<10)}
	if err := save(t, open(t, folder), string(entries[0])); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for s := open(t, folder); ctx.Err() == nil; {
				if got, err := s.Load(t.Context(), name); err != nil || !bytes.Equal(got, entries[0]) && !bytes.Equal(got, entries[1]) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
		})
		writers.Go(func() {
			s := open(t, folder)
			for i := range 10 {
				if _, err := s.Take(t.Context(), name, "both", time.Minute); err != nil {
					t.Error(err)
				}
				if err := s.Save(t.Context(), name, "both", entries[i%2]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
}
