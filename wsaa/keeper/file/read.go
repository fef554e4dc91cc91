package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// read returns the content of an entry's file, nil if there is none.
func read(path string) (entry []byte, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, unlessMissing(err)
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unlessMissing(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if entry, err = io.ReadAll(io.LimitReader(file, maxEntry+1)); err != nil {
		return nil, err
	}
	if len(entry) > maxEntry { // it has grown meanwhile
		return nil, tooLarge(path)
	}
	return entry, nil
}

// unlessMissing returns nil for the error of a file that is not there.
func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// check returns an error for what no Save has left at a path.
func check(path string, info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return fmt.Errorf("%s is a folder: move it away", path)
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link: remove it, the file itself must be in the folder", path)
	case !mode.IsRegular():
		return fmt.Errorf("%s is not a file: remove it", path)
	case runtime.GOOS != "windows" && mode.Perm()&0o077 != 0:
		return fmt.Errorf("others may read or write %s (mode %04o): chmod 600 it", path, mode.Perm())
	case info.Size() > maxEntry:
		return tooLarge(path)
	}
	return nil
}

func tooLarge(path string) error {
	return fmt.Errorf("%s has more than %d bytes, and is no access ticket: remove it", path, maxEntry)
}
