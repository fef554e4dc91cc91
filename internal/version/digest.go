package version

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// digest returns the SHA-256 of the program's file in hexadecimal. It reads the file once: a program does not change.
var digest = sync.OnceValues(func() (string, error) {
	name, err := running()
	if err != nil {
		return "", fmt.Errorf("finding the program's file: %w", err)
	}
	return digestOf(name)
})

// running returns the name of the file that runs. After an upgrade another file has the path of this one: Linux
// knows the one that was started.
func running() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

func digestOf(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("opening the program's file: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("reading the program's file: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
