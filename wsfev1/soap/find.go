package soap

import "github.com/fielato/fielato/wsfev1"

// What a finding of CodeKind got, in Spanish.
const (
	gotText      = "un texto"
	gotNothing   = "un texto vacío"
	gotElements  = "otros elementos"
	gotNil       = "xsi:nil"
	gotReference = "una referencia (href, ref) a un elemento que no la precede, o de otro tipo"
	gotBoth      = "atributos que se contradicen (nil, null, href, ref)"
	gotNullValue = "un nil que no es true, false, 1 ni 0"
)

func kindText(k wsfev1.Kind) string {
	switch k {
	case wsfev1.KindInteger:
		return "un número entero"
	case wsfev1.KindAmount:
		return "un número con punto decimal"
	case wsfev1.KindText:
		return "un texto"
	}
	return "los elementos del contrato"
}

func (d *decoder) enter(name string, index int) {
	d.steps[d.level] = step{name, index}
	d.level++
}

// leave goes back from an element that was read. After an error it stays where reading ended.
func (d *decoder) leave(err error) error {
	if err == nil {
		d.level--
	}
	return err
}

// find adds a finding about the element that is being read. Beyond MaxFindings it adds one about
// the excess, and then nothing.
func (d *decoder) find(code string) *Finding {
	switch {
	case d.full:
		return new(Finding)
	case len(d.findings) == MaxFindings:
		d.full = true
		d.findings = append(d.findings, Finding{Code: CodeTooMany, Text: texts[CodeTooMany]})
		return new(Finding)
	}
	f := Finding{Code: code, Text: texts[code]}
	f.Pointer, f.Path = place(d.root, d.steps[:d.level])
	f.Line, f.Column = d.lines.At(d.scan.Offset())
	d.findings = append(d.findings, f)
	return &d.findings[len(d.findings)-1]
}

func (d *decoder) findKind(want wsfev1.Kind, got string) {
	f := d.find(CodeKind)
	f.Expected, f.Got = kindText(want), got
	f.scalar = want == wsfev1.KindInteger || want == wsfev1.KindAmount
}

// ignore notes an element that the service does not know.
func (d *decoder) ignore() {
	d.passOver()
	if d.req == nil || len(d.req.Ignored) == maxIgnored {
		return
	}
	pointer, path := place(d.root, d.steps[:d.level])
	name := "/" + string(d.scan.Local())
	d.note(Finding{Code: CodeUnknown, Text: textIgnored, Pointer: pointer + name, Path: path + name})
}

// passOver notes that the element whose start tag was read is none of those that may stand there.
func (d *decoder) passOver() {
	if d.scan.Space() == inService {
		d.found |= ConstructUnknown
	} else {
		d.found |= ConstructForeign
	}
}

// note adds a finding about an ignored part, at the last token.
func (d *decoder) note(f Finding) {
	f.Line, f.Column = d.lines.At(d.scan.Offset())
	d.req.Ignored = append(d.req.Ignored, f)
}

// textBetween finds text between elements. The service ignores it, which no answer of its own has.
func (d *decoder) textBetween() {
	d.found |= ConstructTextBetween
	switch {
	case d.req == nil:
		d.findKind(wsfev1.KindObject, gotText)
	case len(d.req.Ignored) < maxIgnored:
		pointer, path := place(d.root, d.steps[:d.level])
		d.note(Finding{Code: CodeKind, Text: textBetween, Pointer: pointer, Path: path, Expected: kindText(wsfev1.KindObject), Got: gotText})
	}
}
