package keyfile

import (
	"fmt"
	"os"
	"runtime"
)

// Read reads a key from a file, which only its owner may be able to read. what names the
// key in errors.
func Read[K any](what, file string, parse func(text string) (K, error)) (key K, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return key, fmt.Errorf("reading %s: %w", what, err)
	}
	if info.IsDir() {
		return key, fmt.Errorf("%s %s is a folder: give the file that holds it", what, file)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return key, fmt.Errorf("%s %s can be read by others (mode %04o): chmod 600 it", what, file, mode)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return key, fmt.Errorf("reading %s: %w", what, err)
	}
	if key, err = parse(string(text)); err != nil {
		return key, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}
