package validate

import (
	"errors"
	"io"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// shapeCode is one way to break the contract's shape.
type shapeCode struct{ code, text string }

// The codes of shape are stable: clients may match on them.
var (
	shapeSyntax    = shapeCode{"shape.syntax", "El cuerpo no es JSON válido."}
	shapeBOM       = shapeCode{"shape.bom", "El cuerpo empieza con una marca de orden de bytes (BOM): envíelo sin ella."}
	shapeUTF8      = shapeCode{"shape.utf8", "El texto no es UTF-8 válido."}
	shapeCharacter = shapeCode{"shape.character", "El texto tiene un carácter de control, que el servicio no puede recibir: quítelo."}
	shapeTrailing  = shapeCode{"shape.trailing", "Hay datos después del objeto JSON: envíe uno solo."}
	shapeDepth     = shapeCode{"shape.depth", "El anidamiento es demasiado profundo."}
	shapeItems     = shapeCode{"shape.items", "Hay demasiados elementos en la lista."}
	shapeKind      = shapeCode{"shape.kind", "El tipo JSON no es el del contrato."}
	shapeUnknown   = shapeCode{"shape.unknown", "El campo no existe en el contrato: quítelo, o corrija su nombre."}
	shapeCase      = shapeCode{"shape.case", "Los nombres distinguen mayúsculas y minúsculas."}
	shapeDuplicate = shapeCode{"shape.duplicate", "El campo está repetido: envíelo una sola vez."}
	shapeMissing   = shapeCode{"shape.missing", "Falta el campo obligatorio."}
	shapeFraction  = shapeCode{"shape.fraction", "El número debe ser entero, sin decimales ni exponente."}
	shapeRange     = shapeCode{"shape.range", "El número es demasiado grande para el campo."}
	shapeTooMany   = shapeCode{"shape.too_many", TextOfMore}
)

// The prefixes of codes for findings of shape, in a request and in an answer.
const (
	shapePrefix  = "shape."
	answerPrefix = "answer."
)

// ShapeCodes lists the codes that findings of shape can have: first the codes for requests,
// then the codes for answers.
func ShapeCodes() []string {
	all := []shapeCode{
		shapeSyntax, shapeBOM, shapeUTF8, shapeCharacter, shapeTrailing, shapeDepth, shapeItems, shapeKind, shapeUnknown,
		shapeCase, shapeDuplicate, shapeMissing, shapeFraction, shapeRange, shapeTooMany,
	}
	codes := make([]string, 0, 2*len(all))
	for _, c := range all {
		codes = append(codes, c.code)
	}
	for _, c := range all {
		codes = append(codes, answerPrefix+strings.TrimPrefix(c.code, shapePrefix))
	}
	return codes
}

const shapeSource = "docs/sources.md#contract"

// find adds a finding. Beyond MaxFindings it adds one about the excess, and then nothing:
// the caller writes into a result that is lost.
func (d *decoder) find(pointer string, what shapeCode) *Finding {
	if !d.checked {
		d.giveUp()
		return new(Finding)
	}
	if len(d.findings) >= MaxFindings {
		if !d.full() {
			d.add("", shapeTooMany)
			d.unreported = new(Finding)
		}
		*d.unreported = Finding{}
		return d.unreported
	}
	return d.add(pointer, what)
}

// full reports whether there are more findings than are kept.
func (d *decoder) full() bool { return len(d.findings) > MaxFindings }

func (d *decoder) add(pointer string, what shapeCode) *Finding {
	d.findings = append(d.findings, Finding{
		Code: what.code, Severity: Shape, Pointer: Printable(pointer), Invoice: Header,
		Text: what.text, Source: shapeSource,
	})
	return &d.findings[len(d.findings)-1]
}

// UnknownOperation returns the finding about a request or an answer of no operation.
func UnknownOperation() Finding {
	return Finding{
		Code: shapeUnknown.code, Severity: Shape, Invoice: Header,
		Text: "La operación no existe en el contrato.", Source: shapeSource,
	}
}

// findKind finds a value of the wrong kind, of member m or, where m is nil, of none.
func (d *decoder) findKind(pointer string, m *wsfev1.Member, want wsfev1.Kind, got jsontext.Kind, raw []byte) {
	f := d.find(pointer, shapeKind)
	f.Expected, f.Got = kindText(want), jsonKindText(got)
	if !d.full() {
		f.Text = kindInWords(m, want, got, raw)
	}
}

func (d *decoder) findSyntax(err error) {
	pointer := ""
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		pointer = string(syntactic.JSONPointer)
	}
	f := d.find(pointer, shapeSyntax)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.Text = "El cuerpo está vacío o termina antes de tiempo."
	}
}

// member reads a name and finds the member that it means. What it does not find, or
// finds a second time, is reported; its value is then to be skipped.
func (d *decoder) member(shape *wsfev1.Shape, marks *marks) (int, bool) {
	i := marks.next
	if i >= len(shape.Members) || !d.named(shape.Members[i].Name) {
		raw := d.token('"')
		if raw == nil {
			d.giveUp()
			return 0, false
		}
		var ok bool
		if i, ok = shape.Member(raw[1 : len(raw)-1]); !ok {
			if i, ok = d.odd(shape, raw, marks); !ok {
				return 0, false
			}
		}
	}
	marks.next = i + 1
	if marks.seen&(1<<i) != 0 {
		d.find(d.pointer(), shapeDuplicate)
		return 0, false
	}
	marks.seen |= 1 << i
	marks.present |= 1 << i
	if !d.contract.allows(&shape.Members[i]) {
		d.find(d.pointer(), shapeUnknown)
		return 0, false
	}
	return i, true
}

// named reads the name that comes next if it is exactly this one.
func (d *decoder) named(name string) bool {
	from := d.at + 1
	to := from + len(name)
	if to >= d.end || d.body[to] != '"' || string(d.body[from:to]) != name {
		return false
	}
	d.at = to + 1
	return true
}

// odd looks at a name that is not written as the contract writes it: with
// escapes it may still mean a member.
func (d *decoder) odd(shape *wsfev1.Shape, raw []byte, marks *marks) (int, bool) {
	pointer := d.pointer()
	if d.invalidUTF8 && !utf8.Valid(raw) {
		d.find(pointer, shapeUTF8)
		return 0, false
	}
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		d.find(pointer, shapeUTF8)
		return 0, false
	}
	if i, ok := shape.Member(name); ok {
		return i, true
	}
	if d.full() {
		return 0, false
	}
	if i, ok := shape.MemberFold(string(name)); ok && d.contract.allows(&shape.Members[i]) {
		f := d.find(pointer, shapeCase)
		f.Expected = shape.Members[i].Name
		f.Text = "El campo se escribe " + f.Expected + ": los nombres distinguen mayúsculas y minúsculas"
		// One mistake is one finding: the member does not count as missing too.
		marks.present |= 1 << i
		return 0, false
	}
	d.find(pointer, shapeUnknown)
	return 0, false
}

// missing reports that the object just read lacks these required members.
func (d *decoder) missing(shape *wsfev1.Shape, members uint64) {
	parent := d.pointer()
	for ; members != 0; members &= members - 1 {
		name := shape.Members[bits.TrailingZeros64(members)].Name
		d.find(parent+"/"+name, shapeMissing).Text = "Falta " + name + ", que es obligatorio"
	}
}

// maxPrinted is the limit for repeating a client's own names and figures, in bytes.
const maxPrinted = 200

// Printable cuts a pointer with names, or a figure, of the client's making.
func Printable(text string) string {
	long := len(text) > 2*maxPrinted
	if long {
		text = text[:2*maxPrinted]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !long && len(text) <= maxPrinted {
		return text
	}
	cut := min(maxPrinted, len(text))
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func kindText(k wsfev1.Kind) string {
	return [...]string{"un objeto", "una lista", "un número entero", "un número", "un texto"}[k]
}

func jsonKindText(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "un booleano"
	case '"':
		return "un texto"
	case '0':
		return "un número"
	case '{':
		return "un objeto"
	case '[':
		return "una lista"
	}
	return ""
}
