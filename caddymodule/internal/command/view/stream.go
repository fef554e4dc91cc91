package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// StreamRows returns a function that writes each row at once. Later rows are not known, so
// columns have fixed widths that mostly fit.
func StreamRows(w io.Writer, columns tableColumns) func(Entry) error {
	write := func(cells []string) error {
		var b strings.Builder
		for i, cell := range cells {
			b.WriteString(cell)
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", max(0, columns.widths[i]-utf8.RuneCountInString(cell))+2))
			}
		}
		_, err := fmt.Fprintln(w, b.String())
		return err
	}
	begun := false
	return func(s Entry) error {
		if !begun {
			begun = true
			if err := write(columns.head); err != nil {
				return err
			}
		}
		return write(columns.cells(s.At, nil))
	}
}
