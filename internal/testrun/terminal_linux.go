package testrun

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal opens a terminal of so many columns. shown closes it and returns all that was written to it.
func Terminal(tb testing.TB, columns int) (terminal *os.File, shown func() string) {
	tb.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		tb.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		var b strings.Builder
		_, _ = io.Copy(&b, screen) // it ends with an error when the terminal is closed
		read <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	tb.Cleanup(func() {
		_ = terminal.Close()
		_ = screen.Close()
	})
	return terminal, func() string {
		_ = terminal.Close()
		return <-read
	}
}
