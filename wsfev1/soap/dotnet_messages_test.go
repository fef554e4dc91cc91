package soap_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// messages makes requests as programs write them and as none should.
type messages struct {
	r *rand.Rand
	// prefix is the prefix of the service's elements, empty for the default namespace.
	prefix string
}

// piece is an element or, without a name, a text as it is written.
type piece struct {
	name, space string
	attributes  string
	text        string
	pieces      []*piece
	shape       *wsfev1.Shape
	// short: without content it is an empty-element tag.
	short bool
}

func (g *messages) one(of []string) string { return of[g.r.IntN(len(of))] }

func (g *messages) chance(n int) bool { return g.r.IntN(n) == 0 }

// busy are the operations that are asked for most: those with the most members.
var busy = []string{"FECAESolicitar", "FECAESolicitar", "FECAESolicitar", "FECAEARegInformativo", "FECompConsultar", "FECAEASinMovimientoConsultar", "FEParamGetCotizacion"}

// message returns a request.
func (g *messages) message() (op *wsfev1.Operation, body []byte, charset string) {
	op = wsfev1.OperationByName(g.one(busy))
	if g.chance(8) {
		op = wsfev1.Operations[g.r.IntN(len(wsfev1.Operations))]
	}
	root := &piece{name: op.Name, space: soap.Namespace, shape: op.Request}
	g.fill(root)
	for range g.r.IntN(4) {
		g.spoil(root)
	}
	if g.chance(3) {
		g.prefix = "ar:"
	}
	return g.envelope(op, root)
}

// fill gives an element the content of its shape.
func (g *messages) fill(e *piece) {
	e.short = g.chance(2)
	switch e.shape.Kind {
	case wsfev1.KindObject:
		for i := range e.shape.Members {
			m := &e.shape.Members[i]
			if g.chance(4) && !m.Required {
				continue
			}
			if m.Shape.Kind != wsfev1.KindList {
				g.add(e, m.Name, m.Shape)
				continue
			}
			for range g.r.IntN(3) {
				g.add(e, m.Name, m.Shape.Item)
			}
		}
		if g.chance(4) {
			g.r.Shuffle(len(e.pieces), func(i, j int) { e.pieces[i], e.pieces[j] = e.pieces[j], e.pieces[i] })
		}
		if g.chance(4) {
			g.indent(e)
		}
	case wsfev1.KindText:
		if !g.chance(5) {
			e.pieces = []*piece{{text: g.one([]string{"PES", "20261123", "S", " a ", "a&amp;b", "&lt;ñ&gt;", "&#65;&#x1F600;", "x &quot;y&quot;", "€ 5", "a\nb\tc", "&#13;&#10;", "  "})}}
		}
	case wsfev1.KindInteger:
		e.pieces = []*piece{{text: g.one([]string{"0", "1", "5", "80", "6", "0004", "12345", "-1"})}}
	case wsfev1.KindAmount:
		e.pieces = []*piece{{text: g.one([]string{"0", "121", "121.00", "21.5", "0.01", "1.000000", "9999999999999.99", "123456789012.34", "-5.5"})}}
	}
}

func (g *messages) add(e *piece, name string, shape *wsfev1.Shape) {
	child := &piece{name: name, space: soap.Namespace, shape: shape}
	g.fill(child)
	e.pieces = append(e.pieces, child)
}

// indent puts white space around the elements within an object.
func (g *messages) indent(e *piece) {
	var all []*piece
	for _, p := range e.pieces {
		all = append(all, &piece{text: g.one([]string{" ", "\n\t", "\r\n", ""})}, p)
	}
	all = append(all, &piece{text: "\n"})
	e.pieces = all
}

// numbers are odd ways to write one, and none.
var numbers = []string{
	"+1", " 1", "1 ", "\n1\t", "01", "1.0", "1e2", "1.0E2", "1E-05", "0x10", "INF", "-INF", "NaN", "Infinity", "١", "１", "1\u00A0", "\u20031", "1\u0085", "1,5", "1.000,50", "-0", "-0.0", "- 1",
	"", " ", ".5", "5.", ".", "&#49;", "&#x31;2", "1&#32;", "&#160;1", "1_0", "1'0", "(1)", "1f", "9223372036854775807", "9223372036854775808", "2147483648", "32768", "000000000000000000000001",
	"931569.09999999998", "0.30000000000000004", "1e400", "1e-400", "123456789012345678901234567890", "0.1000000000000000055511151231257827", "1<!-- -->1", "1<?p?>", "<!-- -->1", "1<!-- -->", "<![CDATA[1]]>", "<![CDATA[ 1]]>", "1<![CDATA[]]>", "1<x/>", "true",
}

// attributes are those that mean something to some reader, and others.
var attributes = []string{
	`xsi:nil="true"`, `xsi:nil="1"`, `xsi:nil=" true "`, `xsi:nil="false"`, `xsi:nil="0"`, `xsi:nil="TRUE"`, `xsi:nil=""`, `xsi:null="1"`, `xsi:null="true"`, `x99:null="1"`, `x99:nil="true"`, `x00:null="true"`, `x00:nil="1"`,
	`nil="true"`, `null="1"`, `xsi:type="xsd:string"`, `xsi:type="ar:ArrayOfAlicIva"`, `xsi:type="enc:Array"`, `enc:arrayType="x[1]"`, `id="a"`, `id="b"`, `href="#a"`, `href="#b"`, `href="a"`, `enc:id="a"`, `enc:ref="#a"`, `enc:ref="a"`,
	`ref="a"`, `xml:space="preserve"`, `xml:lang="es"`, `xml:id="a"`, `s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"`, `a="b"`, `xmlns:q="urn:q"`, `xmlns:q="urn:q" q:a="b"`, `ar:nil="true"`, `xmlns:ar="urn:other"`, `xsi:schemaLocation="a b"`, `xsi:noNamespaceSchemaLocation="a"`,
}

// between is what may stand between elements.
var between = []string{"x", "1", " x ", "<!-- c -->", "<?p i?>", "<![CDATA[x]]>", "<![CDATA[ ]]>", "&#32;", "&amp;", "\u00A0", "<x/>", `<x xmlns="urn:x"><Token>t</Token></x>`, `<Token xmlns="">t</Token>`, "<ar:Token>t</ar:Token>", "<ar:x><ar:Iva/></ar:x>"}

// spoil changes something somewhere.
func (g *messages) spoil(root *piece) {
	all := root.elements(nil)
	e, other := all[g.r.IntN(len(all))], all[g.r.IntN(len(all))]
	leaf := e.shape.Kind != wsfev1.KindObject
	at := g.r.IntN(len(e.pieces) + 1)
	switch g.r.IntN(14) {
	case 0, 1:
		e.attributes += " " + g.one(attributes)
	case 2, 3:
		if leaf {
			e.pieces = []*piece{{text: g.one(numbers)}}
		}
	case 4, 5:
		e.pieces = slices.Insert(e.pieces, at, &piece{text: g.one(between)})
	case 6: // once more
		if len(e.pieces) > 0 {
			e.pieces = append(e.pieces, e.pieces[g.r.IntN(len(e.pieces))])
		}
	case 7:
		if !e.holds(other) && !other.holds(e) && !leaf { // at another level
			e.pieces = slices.Insert(e.pieces, at, other)
		}
	case 8:
		e.space = g.one([]string{"", "urn:x", "http://ar.gov.afip.dif.fev1/", "http://ar.gov.afip.dif.FEV1", "http://schemas.xmlsoap.org/soap/envelope/"})
	case 9:
		e.name = g.one([]string{strings.ToLower(e.name), "x", "AlicIva", "Iva", "FECAEDetRequest", "Auth", "Id", e.name + "_"})
	case 10:
		e.pieces = nil
	case 11: // a list in two
		if !leaf && len(e.pieces) > 1 && other.shape.Kind == wsfev1.KindObject && !e.holds(other) {
			other.pieces = append(other.pieces, &piece{name: e.name, space: e.space, shape: e.shape, pieces: slices.Clone(e.pieces[1:])})
			e.pieces = slices.Clip(e.pieces[:1])
		}
	case 12: // shared, as PHP writes it
		if !leaf && !e.holds(other) && !other.holds(e) {
			form := g.one([]string{"", "enc:"})
			e.attributes += " " + form + `id="s"`
			other.attributes += " " + map[string]string{"": `href="#s"`, "enc:": `enc:ref="#s"`}[form]
			other.pieces = nil
		}
	case 13:
		if leaf {
			e.pieces = []*piece{{text: g.one([]string{"a\r\nb", "a\rb", "a<!-- -->b", "a<![CDATA[<b>]]>", "<![CDATA[]]>", "a<?p?>b", "&#x85;\u2028", "\uFEFF", "a&#0;", "&nbsp;", "]]>", "\x01", "\uFFFE", "&#10;", "\t"})}}
		}
	}
}

// elements returns the element and those within it.
func (e *piece) elements(all []*piece) []*piece {
	if e.name == "" || e.shape == nil {
		return all
	}
	all = append(all, e)
	for _, p := range e.pieces {
		all = p.elements(all)
	}
	return all
}

func (e *piece) holds(other *piece) bool { return slices.Contains(e.elements(nil), other) }

// write writes an element; within is the default namespace around it.
func (g *messages) write(b *bytes.Buffer, e *piece, within string) {
	if e.name == "" {
		b.WriteString(e.text)
		return
	}
	name, declared := e.name, ""
	switch {
	case e.space == soap.Namespace && g.prefix != "" && !strings.Contains(e.attributes, "xmlns:ar="):
		name = g.prefix + name
	case e.space != within:
		declared, within = ` xmlns="`+e.space+`"`, e.space
	}
	attributes := e.attributes
	if !g.chance(50) {
		attributes = once(attributes)
	}
	b.WriteString("<" + name + declared + attributes)
	if len(e.pieces) == 0 && e.short {
		b.WriteString(g.one([]string{"/>", " />"}))
		return
	}
	b.WriteString(">")
	for _, p := range e.pieces {
		g.write(b, p, within)
	}
	b.WriteString("</" + name + ">")
}

// once leaves out attributes of a name that was there: a tag with both is not well-formed.
func once(attributes string) string {
	seen, kept := map[string]bool{}, ""
	for rest := attributes; rest != ""; {
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			return kept
		}
		close := end + 1 + strings.IndexByte(rest[end+1:], '"') + 1
		if name := strings.TrimSpace(rest[:end]); !seen[name] {
			seen[name] = true
			kept += rest[:close]
		}
		rest = rest[close:]
	}
	return kept
}

var envelopes = []string{"http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"}

// envelope writes the message around the element of the operation.
func (g *messages) envelope(op *wsfev1.Operation, root *piece) (*wsfev1.Operation, []byte, string) {
	var b bytes.Buffer
	declaration := g.one([]string{"", `<?xml version="1.0" encoding="utf-8"?>`, `<?xml version='1.0' encoding='UTF-8' standalone="yes"?>`, `<?xml version="1.0"?>` + "\r\n"})
	charset := g.one([]string{"", "utf-8"})
	encoding := ""
	if g.chance(20) {
		encoding = g.one([]string{"iso-8859-1", "utf-16", "us-ascii", "bom", "1.1"})
	}
	switch encoding {
	case "iso-8859-1", "us-ascii":
		declaration = `<?xml version="1.0" encoding="` + encoding + `"?>`
	case "1.1":
		declaration = `<?xml version="1.1"?>`
	case "bom":
		b.WriteString("\uFEFF")
	case "utf-16":
		declaration = ""
	}
	b.WriteString(declaration)
	b.WriteString(`<s:Envelope xmlns:s="` + g.one(envelopes) + `" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:x99="http://www.w3.org/1999/XMLSchema-instance" xmlns:x00="http://www.w3.org/2000/10/XMLSchema-instance"` +
		` xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:enc="http://www.w3.org/2003/05/soap-encoding" xmlns:ar="` + g.one([]string{soap.Namespace, soap.Namespace, soap.Namespace, "http&#58;//ar.gov.afip.dif.FEV1/"}) + `"`)
	odd := func(n int, of ...string) string {
		if g.chance(n) {
			return g.one(of)
		}
		return ""
	}
	b.WriteString(odd(30, ` s:encodingStyle="x"`, ` a="b"`) + ">" + odd(3, "\n", "  ", "<!-- -->", "x"))
	b.WriteString(odd(4, "<s:Header/>", "<s:Header></s:Header>", "<s:Header> </s:Header>", `<s:Header><a xmlns="urn:a">b</a></s:Header>`, `<s:Header><a xmlns="urn:a" s:mustUnderstand="1" s:actor="urn:b"/></s:Header>`))
	b.WriteString(`<s:Body` + odd(30, ` a="b"`, ` xsi:type="x"`, ` xmlns="`+soap.Namespace+`"`) + ">" + odd(20, " ", "\n", "x", "<!-- -->"))
	within := ""
	if bytes.HasSuffix(b.Bytes(), []byte(soap.Namespace+`">`)) {
		within = soap.Namespace
	}
	g.write(&b, root, within)
	b.WriteString(odd(30, " ", "<x/>", "x", "<!-- -->", "<ar:Auth/>") + "</s:Body>" + odd(20, "\n", "<!-- -->", "<x/>") + "</s:Envelope>" + odd(20, "\n", "<!-- -->", "x"))
	return op, encoded(b.Bytes(), encoding), charset
}

// encoded returns a message in another encoding; characters that it lacks are left out.
func encoded(text []byte, encoding string) []byte {
	var out []byte
	switch encoding {
	case "iso-8859-1":
		for _, r := range string(text) {
			if r < 256 {
				out = append(out, byte(r))
			}
		}
		return out
	case "utf-16":
		out = []byte{0xFF, 0xFE}
		for _, unit := range utf16.Encode([]rune(string(text))) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out
	}
	return text
}
