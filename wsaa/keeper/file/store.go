package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/wsaa/keeper"
)

const (
	// extension ends the name of an entry's file.
	extension = ".ticket"
	// maxEntry bounds an entry, in bytes.
	maxEntry = 8 << 20
)

// Store is a keeper.Store in a folder. It is made by Open and safe for concurrent use. It has nothing
// open between two calls, so that it needs no Close.
type Store struct {
	folder string
	*shared
}

var _ keeper.Store = (*Store)(nil)

// shared is the state that all Stores of a folder share.
type shared struct {
	// leases has no entries.
	leases keeper.Memory
	// saving is held from the check of a lease until its entry is written: an entry that was written
	// slowly must not replace the next holder's.
	saving sync.Mutex
}

// folders are those that the process has opened. They stay: a configuration may come back to one.
var folders struct {
	sync.Mutex
	shared map[string]*shared
}

// Open returns the Store in a folder. It makes none, and leaves one that is there as it is.
func Open(folder string) (*Store, error) {
	if folder == "" {
		return nil, errors.New("access tickets need a folder")
	}
	whole, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("the folder of access tickets: %w", err)
	}
	info, err := os.Stat(whole)
	switch {
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("the folder of access tickets: %s is a file: give a folder, or move the file away", whole)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the folder of access tickets: %w", err)
	}
	folders.Lock()
	defer folders.Unlock()
	if folders.shared == nil {
		folders.shared = map[string]*shared{}
	}
	key := resolved(whole)
	if folders.shared[key] == nil {
		folders.shared[key] = new(shared)
	}
	return &Store{whole, folders.shared[key]}, nil
}

// resolved returns the one path of a folder, which may not exist yet: links lead to it by others.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	above := filepath.Dir(path)
	if above == path {
		return path
	}
	return filepath.Join(resolved(above), filepath.Base(path))
}

// Take implements keeper.Store.
func (s *Store) Take(ctx context.Context, name, holder string, long time.Duration) (bool, error) {
	if _, err := s.path(name); err != nil {
		return false, err
	}
	return s.leases.Take(ctx, name, holder, long)
}

// Return implements keeper.Store.
func (s *Store) Return(ctx context.Context, name, holder string) error {
	return s.leases.Return(ctx, name, holder)
}

// Load implements keeper.Store.
func (s *Store) Load(ctx context.Context, name string) ([]byte, error) {
	path, err := s.path(name)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	entry, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("loading an access ticket: %w", err)
	}
	return entry, nil
}

// Save implements keeper.Store.
func (s *Store) Save(ctx context.Context, name, holder string, entry []byte) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	if len(entry) > maxEntry {
		return fmt.Errorf("an access ticket of %d bytes: %d are the most", len(entry), maxEntry)
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	if err := s.leases.Save(ctx, name, holder, nil); err != nil {
		return err // it is not the holder's, or the context has ended
	}
	err = durable.MakeFolder(s.folder)
	if err == nil {
		err = s.removeTemporary()
	}
	if err == nil {
		err = durable.Replace(path, entry, 0o600)
	}
	if err != nil {
		return fmt.Errorf("saving an access ticket: %w", err)
	}
	return nil
}

// removeTemporary removes what saves have left that were cut off. The caller holds saving.
func (s *Store) removeTemporary() error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), extension+durable.Temporary) {
			err = errors.Join(err, os.Remove(filepath.Join(s.folder, entry.Name())))
		}
	}
	return err
}

// wellNamed matches the names that files may have. No such name leads out of the folder, and two
// of them are two files on every file system.
var wellNamed = regexp.MustCompile(`^[a-z0-9][a-z0-9 -]{0,63}$`)

// path returns the file of an entry.
func (s *Store) path(name string) (string, error) {
	if !wellNamed.MatchString(name) {
		return "", fmt.Errorf("%q cannot be the name of an access ticket: give small letters, digits and hyphens, at most 64", name)
	}
	return filepath.Join(s.folder, name+extension), nil
}
