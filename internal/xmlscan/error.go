package xmlscan

import "fmt"

// Reason is why a document was not read.
type Reason uint8

// The reasons.
const (
	Syntax   Reason = iota // not well-formed, or it ends too early
	Bytes                  // bytes that are no text of the encoding
	Trailing               // something follows the root element
	Depth                  // elements lie too deep in each other
	Limit                  // a name is too long, or an element has too many attributes
	Doctype                // a document type
	Charset                // an encoding that is not read here
)

// Error is why and where a document was not read. It repeats nothing of the document.
type Error struct {
	Reason Reason
	// Offset is the position in the document that was given to the scanner.
	Offset int
	text   string
}

// Error returns the mistake and its place.
func (e *Error) Error() string {
	if e == nil {
		return "no error"
	}
	return fmt.Sprintf("XML at byte %d: %s", e.Offset, e.text)
}

func (s *Scanner) fail(reason Reason, at int, text string) *Error {
	s.failed = &Error{Reason: reason, Offset: at, text: text}
	return s.failed
}

// cut is the error of a document that ends within a token.
func (s *Scanner) cut() *Error { return s.fail(Syntax, len(s.data), "the document ends too early") }
