package xmlscan

import "unicode/utf8"

// Lines finds the line and the column of positions in a text. It is asked in ascending order and
// then reads the text once.
type Lines struct {
	text         []byte
	at           int
	line, column int
}

// NewLines returns the lines of a text.
func NewLines(text []byte) Lines { return Lines{text: text} }

// At returns the line and the column of a position, both from 1.
func (l *Lines) At(offset int) (line, column int) {
	if l.line == 0 || offset < l.at {
		l.at, l.line, l.column = 0, 1, 1
	}
	for l.at < min(offset, len(l.text)) {
		r, size := utf8.DecodeRune(l.text[l.at:])
		l.at += size
		l.column++
		if r == '\n' {
			l.line, l.column = l.line+1, 1
		}
	}
	return l.line, l.column
}
