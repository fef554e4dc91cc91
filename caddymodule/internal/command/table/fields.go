package table

import (
	"fmt"
	"io"
	"strings"
)

// Fields is a list of names with their texts. The texts stand below each other, and continue below each other on a
// terminal.
type Fields struct{ rows [][2]string }

// Add adds a field. A field without a name continues the one above.
func (f *Fields) Add(name, text string) { f.rows = append(f.rows, [2]string{name, text}) }

// Addf is Add with a format.
func (f *Fields) Addf(name, format string, values ...any) {
	f.Add(name, fmt.Sprintf(format, values...))
}

// Print writes the fields.
func (f *Fields) Print(w io.Writer) error {
	widest := 0
	for _, row := range f.rows {
		widest = max(widest, length(row[0]))
	}
	var b strings.Builder
	for _, row := range f.rows {
		Hang(&b, pad(row[0], widest+gap, false), row[1], Width(w))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Hang writes a text behind its beginning, and continues it below where the terminal has no room. width is the
// terminal's, 0 for no limit.
func Hang(b *strings.Builder, beginning, text string, width int) {
	indent := length(beginning)
	room := 0
	if width > 0 {
		room = max(width-indent, minRoom)
	}
	for i, line := range Wrap(text, room) {
		if i > 0 {
			beginning = strings.Repeat(" ", indent)
		}
		b.WriteString(strings.TrimRight(beginning+line, " ") + "\n")
	}
}

// Line writes a line, which continues below, indented a little more, where the terminal has no room.
func Line(w io.Writer, line string) error {
	if width := Width(w); width > 0 && length(line) > width {
		text := strings.TrimLeft(line, " ")
		indent := strings.Repeat(" ", len(line)-len(text))
		line = indent + strings.Join(Wrap(text, max(width-len(indent)-gap, minRoom)), "\n"+indent+strings.Repeat(" ", gap))
	}
	_, err := io.WriteString(w, line+"\n")
	return err
}

// Linef is Line with a format.
func Linef(w io.Writer, format string, values ...any) error {
	return Line(w, fmt.Sprintf(format, values...))
}

// minRoom is the least width of a text that is broken.
const minRoom = 24
