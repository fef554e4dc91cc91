package documents

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxPlaceDepth bounds how deep places are looked for. No member of the interface lies deeper.
	maxPlaceDepth = 16
	// maxPointers bounds the bytes of all pointers that are made on the way: a document may have a
	// name of a MiB with a million values below it.
	maxPointers = 64 << 20
)

// LocateIn finds the places of the members that findings are about, in the body in JSON that was judged. A SOAP
// message has its places already.
func (c *Result) LocateIn(body []byte) {
	if c.form != nil && c.form.Message() != nil || len(c.Findings) == 0 {
		return
	}
	wanted := map[string]bool{}
	for i := range c.Findings {
		for pointer := c.Findings[i].Pointer; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
			if wanted[pointer] = true; pointer[0] != '/' {
				break
			}
		}
	}
	c.places = map[string]Place{"": {max(c.Line, 1), 1}}
	text := bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	at := walker{text: text, line: max(c.Line, 1)}
	tokens := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	made := 0
	for len(wanted) > 0 || c.Unreadable {
		from := tokens.InputOffset()
		if _, err := tokens.ReadToken(); err != nil {
			broken, ok := errors.AsType[*jsontext.SyntacticError](err)
			switch {
			case errors.Is(err, io.ErrUnexpectedEOF):
				c.locateSyntax(at.at(int64(len(text))))
			case ok:
				c.locateSyntax(at.at(broken.ByteOffset))
			}
			return
		}
		if tokens.StackDepth() > maxPlaceDepth {
			continue
		}
		pointer := string(tokens.StackPointer())
		if made += len(pointer); made > maxPointers {
			return
		}
		if wanted[pointer] {
			c.places[pointer] = at.at(from)
			delete(wanted, pointer)
		}
	}
}

// locateSyntax notes where a document ceases to be JSON.
func (c *Result) locateSyntax(at Place) {
	c.places[""] = at
	for i := range c.Findings {
		if c.Findings[i].Code == CodeSyntax {
			c.places[c.Findings[i].Pointer] = at
		}
	}
}

// walker counts lines while it goes forward in a text.
type walker struct {
	text []byte
	// line is the line of the offset seen, and begin where that line begins.
	line, begin, seen int
}

// at returns the place of the token that follows an offset.
func (w *walker) at(offset int64) Place {
	to := min(int(offset), len(w.text))
	for to < len(w.text) && strings.IndexByte(" \t\r\n,:", w.text[to]) >= 0 {
		to++
	}
	for ; w.seen < to; w.seen++ {
		if w.text[w.seen] == '\n' {
			w.line, w.begin = w.line+1, w.seen+1
		}
	}
	return Place{w.line, utf8.RuneCount(w.text[w.begin:max(to, w.begin)]) + 1}
}
