package table

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal returns w if it is a terminal, else nil.
func Terminal(w io.Writer) *os.File {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// Width returns how many characters fit in a line of w. It is 0, for no limit, if w is not a terminal or one that
// does not know its width.
func Width(w io.Writer) int {
	file := Terminal(w)
	if file == nil {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
