package table

import (
	"fmt"
	"strings"
)

// layout is how a table is written.
type layout struct {
	indent  string
	limit   int // of the terminal, 0 for none
	columns []shown
}

// shown is a column of a table as it is written.
type shown struct {
	Column
	width int
	// out: the column is left out. alike is the text that all its rows have.
	out        bool
	alike      string
	same       bool
	short, cut bool
}

// fit returns how the table is written in a width, 0 for no limit. It does as little as necessary. usual: columns
// have their usual width, as the rows are not known yet.
func (t *Table) fit(limit int, usual bool) *layout {
	l := &layout{indent: t.Indent, limit: limit}
	for i := range t.columns {
		c := shown{Column: t.columns[i]}
		c.width = length(c.Head)
		if usual {
			c.width = max(c.width, c.Usual)
		}
		for j, row := range t.rows {
			if i >= len(row) {
				c.same = false
				continue
			}
			c.width = max(c.width, length(row[i]))
			c.same = len(t.rows) > 1 && (j == 0 || c.same && row[i] == t.rows[0][i])
			c.alike = row[i]
		}
		l.columns = append(l.columns, c)
	}
	if limit == 0 || l.total(false) <= limit {
		return l
	}
	for i := range l.columns {
		if c := &l.columns[i]; c.Short > 0 && c.width > c.Short {
			c.short, c.width = true, max(c.Short, length(c.Head))
		}
	}
	for l.total(true) > limit && l.leaveOut() {
	}
	l.shrink()
	return l
}

// total returns the width of the table: with least, that to which it can be shrunk.
func (l *layout) total(least bool) int {
	n := length(l.indent) - gap
	for i := range l.columns {
		if c := &l.columns[i]; !c.out {
			n += c.width + gap
			if least && c.Least > 0 {
				n -= max(0, c.width-max(c.Least, length(c.Head)))
			}
		}
	}
	return n
}

// widthOf returns the width of a row's widest line.
func (l *layout) widthOf(cells []string) (width int) {
	var b strings.Builder
	l.write(&b, cells)
	for line := range strings.SplitSeq(b.String(), "\n") {
		width = max(width, length(line))
	}
	return width
}

// leaveOut leaves out one column more: first those that have one text in all rows. It reports whether there was one.
func (l *layout) leaveOut() bool {
	var next *shown
	for i := range l.columns {
		c := &l.columns[i]
		if c.out || c.Drop == 0 {
			continue
		}
		if next == nil || c.same && !next.same || c.same == next.same && c.Drop < next.Drop {
			next = c
		}
	}
	if next == nil {
		return false
	}
	next.out = true
	return true
}

// shrink takes from the widest columns that may be smaller, until the table fits or none can give more.
func (l *layout) shrink() {
	for range max(0, l.total(false)-l.limit) {
		var widest *shown
		for i := range l.columns {
			c := &l.columns[i]
			if !c.out && c.Least > 0 && c.width > max(c.Least, length(c.Head)) && (widest == nil || c.width > widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return
		}
		widest.width--
		widest.cut = !widest.Wrap
	}
}

// lines returns a text as it stands in the column.
func (c *shown) lines(text string) []string {
	if c.short && length(text) > c.Short {
		text = string([]rune(text)[:c.Short])
	}
	switch {
	case c.cut:
		return []string{Cut(text, c.width)}
	case c.Wrap:
		return fold(text, c.width)
	}
	return []string{text}
}

// lost names the columns that are left out or shortened, and says how to see them. It is empty if there are none.
func (l *layout) lost() string {
	var out, alike, cut []string
	for i := range l.columns {
		switch c := &l.columns[i]; {
		case c.out && c.same:
			alike = append(alike, c.Head+" "+c.alike)
		case c.out:
			out = append(out, c.Head)
		case c.cut || c.short:
			cut = append(cut, c.Head)
		}
	}
	var parts []string
	for _, one := range []struct {
		what string
		of   []string
	}{{"left out: ", out}, {"the same in all rows: ", alike}, {"shortened: ", cut}} {
		if len(one.of) > 0 {
			parts = append(parts, one.what+strings.Join(one.of, ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("(%d columns; %s. A wider terminal, \"| less -S\" or --format json shows all.)", l.limit, strings.Join(parts, "; "))
}
