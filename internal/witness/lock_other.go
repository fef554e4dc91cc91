//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package witness

import (
	"errors"
	"os"
)

func lock(*os.File) error {
	return errors.New("files cannot be locked on this system: " + errors.ErrUnsupported.Error())
}
