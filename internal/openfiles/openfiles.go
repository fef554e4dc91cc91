package openfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// ErrGone: a path no longer names the file that the process has open.
var ErrGone = errors.New("it was removed or replaced while this process has it open, and what is written to it now ends with the process")

// Files are files that a process has open. They are safe for concurrent use.
type Files struct {
	files []file
	gone  atomic.Pointer[error]
	once  sync.Once
}

type file struct {
	path string
	open os.FileInfo
}

// Of returns the files at these paths, which the process must have open.
func Of(paths ...string) (*Files, error) {
	f := &Files{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("looking at an open file: %w", err)
		}
		f.files = append(f.files, file{path, info})
	}
	return f, nil
}

// Check returns an error that wraps ErrGone if one of the paths names no file, or another one.
// It returns that error ever after: what was written meanwhile may be in the other file. A path
// that cannot be looked at for another reason is no finding.
func (f *Files) Check() error {
	if err := f.Gone(); err != nil {
		return err
	}
	for _, one := range f.files {
		info, err := os.Stat(one.path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !os.SameFile(info, one.open) {
			f.once.Do(func() {
				err := fmt.Errorf("%s: %w", one.path, ErrGone)
				f.gone.Store(&err)
			})
			return f.Gone()
		}
	}
	return nil
}

// Gone returns what Check has found. It looks at no file.
func (f *Files) Gone() error {
	if err := f.gone.Load(); err != nil {
		return *err
	}
	return nil
}
