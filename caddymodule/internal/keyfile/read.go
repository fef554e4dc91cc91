package keyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Read reads a key from a file, which must be Private. what names the key in errors.
func Read[K any](what, file string, parse func(text string) (K, error)) (key K, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return key, unreadable(what, file, err)
	}
	if info.IsDir() {
		return key, fmt.Errorf("%s %s is a folder: give the file that holds it", what, file)
	}
	if err := Private(what, file, info); err != nil {
		return key, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return key, unreadable(what, file, err)
	}
	if key, err = parse(string(text)); err != nil {
		return key, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

// unreadable explains the error of a file that cannot be read.
func unreadable(what, file string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("reading %s: %w: a part of its path is a file and no folder: give another path", what, err)
	}
	if !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("reading %s: %w", what, err)
	}
	return fmt.Errorf("reading %s: %w: this process is user %d of group %d: chgrp %[4]d %[5]s, and chmod 640 it",
		what, err, os.Geteuid(), os.Getegid(), file)
}
