package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// trying has what Try registers while Tries runs, nil otherwise.
var trying struct {
	sync.Mutex // guards all
	all        []func() error
	on         bool
}

// Try registers what shows, without changing anything, whether a start could open something. line is where
// the handler stands.
func (a *App) Try(line string, try func() error) {
	trying.Lock()
	defer trying.Unlock()
	if trying.on {
		trying.all = append(trying.all, func() error { return directive.At(line, try()) })
	}
}

// Tries calls validate, which provisions a configuration, and then tries everything that its start would
// open. It returns the failures to open something, and the error of validate.
func Tries(validate func() error) (failures []error, err error) {
	trying.Lock()
	trying.all, trying.on = nil, true
	trying.Unlock()
	err = validate()
	trying.Lock()
	all := trying.all
	trying.all, trying.on = nil, false
	trying.Unlock()
	if err != nil {
		return nil, err
	}
	for _, try := range all {
		if failure := try(); failure != nil {
			failures = append(failures, failure)
		}
	}
	return failures, nil
}

// MayMake returns an error if this process may not make a file, with the folders that lead there, or not
// write the one that is there. It writes nothing.
func MayMake(file string) error {
	info, err := os.Stat(file)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", file)
	case err == nil:
		if err := mayWrite(file); err != nil {
			return unwritable(file, err)
		}
	}
	return MayMakeIn(filepath.Dir(file))
}

// MayMakeIn is MayMake for a file in a folder.
func MayMakeIn(folder string) error {
	for {
		info, err := os.Stat(folder)
		above := filepath.Dir(folder)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is a file and no folder: give another path", folder)
		case err == nil:
			if err := mayWrite(folder); err != nil {
				return unwritable(folder, err)
			}
			return nil
		case above == folder:
			return nil
		}
		folder = above
	}
}

func unwritable(place string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("this user may not write %s: %w: run it as the gateway's user, or give that the right to", place, err)
	}
	return fmt.Errorf("%s: %w: mount the file system for writing, or give another path", place, err)
}
