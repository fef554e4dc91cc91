package file

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A holder is a line of text about the process that has the lock, in a file beside it. It is
// for the error of a second process. It is no part of the lock: where it cannot be written or
// read, or is left over from a crash, the lock holds nevertheless. It is not in the lock's own
// file because closing any descriptor of a file drops the locks that SQLite has on it in this
// process.
const holderSuffix = ".holder"

// maxHolder bounds how much of the holder's file is read, in bytes.
const maxHolder = 300

// noteHolder writes that this process has the lock, which it must have.
func noteHolder(lock string, since time.Time) {
	host, _ := os.Hostname()
	line := fmt.Sprintf("process %d (%s) on %s, since %s\n",
		os.Getpid(), filepath.Base(os.Args[0]), cmp.Or(host, "a host without a name"), since.UTC().Format(time.RFC3339))
	// Readers ignore a line without its end: half a line is never shown.
	_ = os.WriteFile(lock+holderSuffix, []byte(line), 0o600)
}

// forgetHolder must run before the lock is released: from then on the file is another's.
func forgetHolder(lock string) { _ = os.Remove(lock + holderSuffix) }

// holderOf returns the holder of the lock, as far as it is known.
func holderOf(lock string) string {
	const unknown = "it is not known which"
	f, err := os.Open(lock + holderSuffix)
	if err != nil {
		return unknown
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxHolder))
	line, _, whole := strings.Cut(string(text), "\n")
	if err != nil || !whole || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return unknown
	}
	return line
}
