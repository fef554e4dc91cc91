package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Column is a column of a table, and what may become of it on a narrow terminal.
type Column struct {
	Head string
	// Right: its texts are numbers, which end below each other.
	Right bool
	// Short is how many characters at the beginning are enough, 0 for all: of a moment, those to the second.
	Short int
	// Least is to how many characters a text may be cut, 0 for never. With Wrap it is not cut but continued on the
	// next line.
	Least int
	Wrap  bool
	// Drop: the column may be left out, the one with the smallest number first. 0 is for never.
	Drop int
	// Usual is the width in a stream, whose rows are written before the next is known. It mostly fits.
	Usual int
}

// Moment is the column of a moment that is written as view.Moment or RFC 3339 has it.
func Moment(head string) Column { return Column{Head: head, Short: len("2006-01-02 15:04:05")} }

// Table is a table with a head.
type Table struct {
	// Indent stands in front of each line.
	Indent  string
	columns []Column
	rows    [][]string
}

// New returns a table without rows.
func New(columns ...Column) *Table { return &Table{columns: columns} }

// Row adds a row. A cell is one line. A painted one is measured without its colour.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Print writes the table as wide as w takes it.
func (t *Table) Print(w io.Writer) error {
	width := Width(w)
	l := t.fit(width, false)
	var b strings.Builder
	l.write(&b, t.head())
	for _, row := range t.rows {
		l.write(&b, row)
	}
	if lost := l.lost(); lost != "" {
		Hang(&b, t.Indent, lost, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Stream returns a function that writes each row at once. The line about missing columns comes first: a stream
// has no end. A row that is too wide for the terminal begins the table again, with wider columns.
func (t *Table) Stream(w io.Writer) func(cells []string) error {
	width := Width(w)
	var l *layout
	return func(cells []string) error {
		var b strings.Builder
		begins := l == nil
		if begins {
			l = t.fit(width, true)
		}
		if width > 0 && l.widthOf(cells) > width && t.widen(cells) {
			l, begins = t.fit(width, true), true
		}
		if begins {
			if lost := l.lost(); lost != "" {
				Hang(&b, t.Indent, lost, width)
			}
			l.write(&b, t.head())
		}
		l.write(&b, cells)
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// widen sets the usual widths to a row's where its texts are wider. It reports whether there is one.
func (t *Table) widen(cells []string) (wider bool) {
	t.columns = slices.Clone(t.columns)
	for i, text := range cells {
		if n := length(text); i < len(t.columns) && n > t.columns[i].Usual {
			t.columns[i].Usual, wider = n, true
		}
	}
	return wider
}

// head returns the heads of the columns.
func (t *Table) head() []string {
	heads := make([]string, len(t.columns))
	for i := range t.columns {
		heads[i] = t.columns[i].Head
	}
	return heads
}

// gap is the number of blanks between two columns.
const gap = 2

// write writes a row of the columns that are shown, over as many lines as its texts take.
func (l *layout) write(b *strings.Builder, cells []string) {
	var columns [][]string
	var shown []int
	height := 1
	for i, text := range cells {
		if i >= len(l.columns) || l.columns[i].out {
			continue
		}
		lines := l.columns[i].lines(text)
		columns, shown, height = append(columns, lines), append(shown, i), max(height, len(lines))
	}
	for y := range height {
		line := new(strings.Builder)
		line.WriteString(l.indent)
		for x, lines := range columns {
			column, text := &l.columns[shown[x]], ""
			if y < len(lines) {
				text = lines[y]
			}
			line.WriteString(pad(text, column.width, column.Right) + strings.Repeat(" ", gap))
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
}
