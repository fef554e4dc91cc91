package witness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fielato/fielato/internal/durable"
)

// errLocked: another process holds the lock.
var errLocked = errors.New("another witness runs with this key: two could sign two histories")

// Lock is held by the one process that signs with a key. The system frees it when the process ends.
type Lock struct{ file *os.File }

// LockKey locks the key in a file, which need not be there yet, or returns an error if another process does.
func LockKey(keyFile string) (*Lock, error) {
	if err := durable.MakeFolder(filepath.Dir(keyFile)); err != nil {
		return nil, fmt.Errorf("making the folder of the key: %w", err)
	}
	file, err := os.OpenFile(keyFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the key: %w", err)
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the key %s: %w", keyFile, err), file.Close())
	}
	return &Lock{file}, nil
}

// Unlock frees the key. The file stays: another process may wait for it by now.
func (l *Lock) Unlock() error { return l.file.Close() }
