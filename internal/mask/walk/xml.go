package walk

import (
	"sync"

	"github.com/fielato/fielato/internal/xmlscan"
)

// XMLVisitor is told the tokens of a message. Each method returns false to end the walk.
type XMLVisitor[P any] interface {
	// Between is told where comments, instructions and the declaration stand between two tokens, and white space around the root.
	Between(from, to int) bool
	// Start is told an element in the place of the one around it, nil for the root, and returns its place.
	Start(in *P, s *xmlscan.Scanner) (P, bool)
	// Text is told a text, of which an element may have several.
	Text(in *P, s *xmlscan.Scanner) bool
	// End is told the end of the element at a place, which stands in another one, nil for the root.
	End(of, in *P, s *xmlscan.Scanner) bool
}

// scanners are used again: one is larger than most messages.
var scanners = sync.Pool{New: func() any { return new(xmlscan.Scanner) }}

// commonDepth is the depth that messages of the service have.
const commonDepth = 16

// XML walks over a message in UTF-8. It reports whether it was read to its end, and no method of the visitor
// ended the walk; what stands before a mistake was told.
func XML[P any](text []byte, v XMLVisitor[P]) bool {
	s := scanners.Get().(*xmlscan.Scanner)
	defer scanners.Put(s)
	defer s.Reset(nil, nil) // nothing of a message stays
	s.Reset(text, nil)
	open := make([]P, 0, commonDepth)
	innermost := func() *P {
		if len(open) == 0 {
			return nil
		}
		return &open[len(open)-1]
	}
	for {
		at := s.Pos()
		kind, err := s.Next()
		if err != nil || at < s.Offset() && !v.Between(at, s.Offset()) {
			return false
		}
		ok := true
		switch kind {
		case xmlscan.EOF:
			return true
		case xmlscan.Text:
			ok = v.Text(innermost(), s)
		case xmlscan.Start:
			var of P
			of, ok = v.Start(innermost(), s)
			open = append(open, of)
		case xmlscan.End:
			of := innermost()
			open = open[:len(open)-1]
			ok = v.End(of, innermost(), s)
		}
		if !ok {
			return false
		}
	}
}
