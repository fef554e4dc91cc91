package xmlscan

import "bytes"

// Marks are the parts of a document besides elements, their texts and declarations of namespaces.
// Each reader of XML finds them, but readers treat them differently.
type Marks uint16

// The marks.
const (
	// Mark is a byte order mark, Declared an encoding other than UTF-8 in the XML declaration.
	Mark Marks = 1 << iota
	Declared
	// Attribute is one that declares no namespace.
	Attribute
	// Comment, Instruction and Section are comments, processing instructions and CDATA sections.
	Comment
	Instruction
	Section
	// Escaped is the name of a namespace that is written with entities, references or white space.
	Escaped
)

// Marks returns the marks of the document so far.
func (s *Scanner) Marks() Marks { return s.marks }

// Returns reports whether the last text has a carriage return as it is written, and not by its
// number: it is read as the end of a line.
func (s *Scanner) Returns() bool {
	return s.text.decode && bytes.IndexByte(s.text.raw, '\r') >= 0
}
