package judge

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxPlaceDepth bounds how deep places are looked for. No member of the interface lies deeper, and the
// pointers of a deep document are long.
const maxPlaceDepth = 16

// LocateIn finds the places of the members that findings are about, in the body in JSON that was judged. A SOAP
// message has its places already.
func (c *Result) LocateIn(body []byte) {
	if c.Form != "" || len(c.Findings) == 0 {
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
	if c.places == nil {
		c.places = map[string]Place{}
	}
	text := bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	at := walker{text: text, line: max(c.Line, 1)}
	tokens := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for len(wanted) > 0 {
		from := tokens.InputOffset()
		if _, err := tokens.ReadToken(); err != nil {
			if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				c.places[""] = at.at(broken.ByteOffset)
			}
			return
		}
		if tokens.StackDepth() > maxPlaceDepth {
			continue
		}
		if pointer := string(tokens.StackPointer()); wanted[pointer] {
			c.places[pointer] = at.at(from)
			delete(wanted, pointer)
		}
	}
	if _, ok := c.places[""]; !ok {
		c.places[""] = Place{max(c.Line, 1), 1}
	}
}

// walker counts lines while it goes forward in a text.
type walker struct {
	text []byte
	// line is that of the offset seen, and begin where it begins.
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
