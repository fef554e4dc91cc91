package soap

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// MaxFindings bounds the findings of one message.
const MaxFindings = 1000

// Finding is one thing that is wrong with the shape of a message. It repeats no value.
type Finding struct {
	// Code is the same as for this defect in a JSON body.
	Code string
	// Pointer is the JSON Pointer of the member, Path its place in the XML: names without
	// prefixes, and the positions of list items from 1.
	Pointer, Path string
	// Text names the mistake, in Spanish; Expected and Got explain it.
	Text, Expected, Got string
	// Line and Column are the place in the document, both from 1.
	Line, Column int

	// broken: the document is no XML, or nothing was read of it.
	broken bool
	// scalar: the element is a number. limit is the type that a number exceeds.
	scalar bool
	limit  string
}

// The codes of findings, the same as in package validate.
const (
	CodeSyntax    = "shape.syntax"
	CodeUTF8      = "shape.utf8"
	CodeTrailing  = "shape.trailing"
	CodeDepth     = "shape.depth"
	CodeItems     = "shape.items"
	CodeKind      = "shape.kind"
	CodeDuplicate = "shape.duplicate"
	CodeMissing   = "shape.missing"
	CodeFraction  = "shape.fraction"
	CodeRange     = "shape.range"
	CodeUnknown   = "shape.unknown"
	CodeTooMany   = "shape.too_many"
)

var texts = map[string]string{
	CodeSyntax:    "El cuerpo no es XML válido o termina antes de tiempo.",
	CodeUTF8:      "El texto no está en la codificación declarada, o no se admite esa codificación.",
	CodeTrailing:  "Hay datos después del elemento de la operación.",
	CodeDepth:     "El anidamiento es demasiado profundo.",
	CodeItems:     "Hay demasiados elementos en la lista.",
	CodeKind:      "El contenido del elemento no es del tipo del contrato.",
	CodeDuplicate: "El elemento está repetido.",
	CodeMissing:   "Falta el elemento obligatorio.",
	CodeFraction:  "El número debe ser entero, sin decimales ni exponente.",
	CodeRange:     "El número excede el tipo del elemento.",
	CodeUnknown:   "La operación no existe en el contrato.",
	CodeTooMany:   "Hay más errores que los que se informan.",
}

// textIgnored is the text about an element that the service does not see.
const textIgnored = "El elemento no existe en el contrato, y se ignoró como lo ignora el servicio: quítelo, o corrija su nombre."

// textBetween is the text about text between elements.
const textBetween = "Hay texto entre los elementos, y se ignoró como lo ignora el servicio: quítelo."

// What findings of CodeSyntax add for documents that are refused although they are well-formed.
const (
	textDoctype = "No se admite una declaración DOCTYPE."
	textLimit   = "Un nombre es demasiado largo, o un elemento tiene demasiados atributos."
)

// codeOf returns the code and the text for the scanner's reason to refuse a document.
func codeOf(reason xmlscan.Reason) (code, text string) {
	switch reason {
	case xmlscan.Bytes, xmlscan.Charset:
		code = CodeUTF8
	case xmlscan.Trailing:
		code = CodeTrailing
	case xmlscan.Depth:
		code = CodeDepth
	case xmlscan.Doctype:
		return CodeSyntax, textDoctype
	case xmlscan.Limit:
		return CodeSyntax, textLimit
	default:
		code = CodeSyntax
	}
	return code, texts[code]
}

// step is an element on the way to the one that is read. index is its position in a list, and
// -1 for an element of none.
type step struct {
	name  string
	index int
}

// PathOf returns the XML path of what a JSON Pointer names in a request of an operation; empty for no
// operation. An element that the operation does not have is taken for one of no list.
func PathOf(op *wsfev1.Operation, pointer string) string {
	if op == nil {
		return ""
	}
	var path strings.Builder
	path.WriteString(requestRoot(op))
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if index, err := strconv.ParseUint(name, 10, 31); err == nil {
			path.WriteString("[" + strconv.FormatUint(index+1, 10) + "]")
		} else if name != "" {
			path.WriteString("/" + name)
		}
	}
	return path.String()
}

// requestRoot is the path of the element that is the request of an operation.
func requestRoot(op *wsfev1.Operation) string { return "/Envelope/Body/" + op.Name }

// place writes the JSON Pointer and the XML path of the steps.
func place(root string, steps []step) (pointer, path string) {
	var p, x strings.Builder
	x.WriteString(root)
	for _, s := range steps {
		p.WriteString("/" + s.name)
		x.WriteString("/" + s.name)
		if s.index >= 0 {
			p.WriteString("/" + strconv.Itoa(s.index))
			x.WriteString("[" + strconv.Itoa(s.index+1) + "]")
		}
	}
	return p.String(), x.String()
}
