package soap

import (
	"strings"

	"github.com/fielato/fielato/internal/xmlscan"
)

// Constructs are the parts of a message that another reader of XML, above all .NET's XmlSerializer,
// need not read as this package does. Anything counts except the few things that all readers must read
// alike: elements of the service that its WSDL has, in any order and with any prefix; texts in one
// piece; numbers as most programs write them; white space between elements; UTF-8.
//
// A request with any of them must not be sent as it came: AppendRequest writes it anew. The service
// then reads the same request that was judged and is recorded.
type Constructs uint32

// The constructs.
const (
	// ConstructEncoding is any but UTF-8 without a byte order mark.
	ConstructEncoding Constructs = 1 << iota
	// ConstructAttribute is any that declares no namespace. ConstructNull is one that may leave its
	// element out, ConstructReference one that puts another object in its place.
	ConstructAttribute
	ConstructNull
	ConstructReference
	// ConstructComment, ConstructInstruction and ConstructSection are comments, processing instructions
	// and CDATA sections, which end a text for some readers.
	ConstructComment
	ConstructInstruction
	ConstructSection
	// ConstructNamespace is a declaration with entities or line ends.
	ConstructNamespace
	// ConstructHeaderBlock is a block in the Header of the envelope.
	ConstructHeaderBlock
	// ConstructUnseen is an element in the Body that belongs to no operation: the action names it, and
	// none of its members are seen.
	ConstructUnseen
	// ConstructUnknown is an element of the service's namespace that the WSDL does not have there.
	// ConstructForeign is one of any other namespace: programs that look at names alone see it.
	ConstructUnknown
	ConstructForeign
	// ConstructTextBetween is text between elements.
	ConstructTextBetween
	// ConstructNumber is one that has anything beyond digits, a minus and a point between digits, such
	// as white space, a plus or an exponent; or more digits than a double keeps.
	ConstructNumber
	// ConstructLineEnd is a carriage return within a text.
	ConstructLineEnd
)

// constructNames are the words of String, in the order of the bits.
var constructNames = [...]string{
	"encoding", "attribute", "null", "reference", "comment", "instruction", "section", "namespace", "header", "unseen", "unknown", "foreign",
	"text", "number", "line end",
}

// String returns the words of a set, such as "attribute, reference"; empty for none.
func (c Constructs) String() string {
	var words []string
	for i, word := range constructNames {
		if c&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// ofAnswers are those that matter in an answer. The service writes a header itself, may have new
// members that its clients know, and line ends in its texts.
const ofAnswers = ^(ConstructHeaderBlock | ConstructUnknown | ConstructLineEnd)

// marked has the construct of each mark of a document.
var marked = [...]struct {
	mark      xmlscan.Marks
	construct Constructs
}{
	{xmlscan.Mark | xmlscan.Declared, ConstructEncoding},
	{xmlscan.Attribute, ConstructAttribute},
	{xmlscan.Comment, ConstructComment},
	{xmlscan.Instruction, ConstructInstruction},
	{xmlscan.Section, ConstructSection},
	{xmlscan.Escaped, ConstructNamespace},
}

// constructs returns the constructs of the whole message, after its last element was read.
func (d *decoder) constructs(e *Envelope) Constructs {
	found := e.found | d.found
	if e.Encoding != xmlscan.UTF8 {
		found |= ConstructEncoding
	}
	if marks := d.scan.Marks(); marks != 0 {
		for _, m := range marked {
			if marks&m.mark != 0 {
				found |= m.construct
			}
		}
	}
	return found
}
