// Package masktest makes documents out of bytes: in JSON and SOAP, whole and broken. Random bytes make random
// documents, and a fuzzer finds its way to others.
//
// It is a package of its own because the tests of internal/mask and of the console's mask both need it, and no
// test can be imported.
package masktest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Choices make a document: each takes a byte of Data, and the first option once none is left.
type Choices struct {
	Data []byte
	bytes.Buffer
	Words *Words
}

// Words are the parts of a test's documents.
type Words struct {
	// Names are the names of members, and Texts their values.
	Names, Texts []string
	// Forms are the ways in which a program writes a text.
	Forms []func(string) string
	// Attribute and Comment are the value of an attribute and the text of a comment.
	Attribute, Comment string
	// List returns the elements of an array.
	List func(c *Choices) string
}

// N returns a number from 0 to most-1.
func (c *Choices) N(most int) int {
	if len(c.Data) == 0 {
		return 0
	}
	n := int(c.Data[0]) % most
	c.Data = c.Data[1:]
	return n
}

// Of returns one of the texts.
func (c *Choices) Of(texts []string) string { return texts[c.N(len(texts))] }

// Names are names for every test: the interface's, and others.
var Names = []string{
	"Msg", "Auth", "Token", "Sign", "Cuit", "DocNro", "FeCAEReq", "FeDetReq", "FECAEDetRequest", "Code", "CAE", "CbteFch", "ImpTotal", "Opcional", "Id", "Valor", "Opcionales", "Header", "x", "b",
	"docnro", "TOKEN", "auth", "ſign", "SIGN", "cuit", "Otro", "Compradores", "Desc", strings.Repeat("largo", 7), "Envelope", "Body", "FEDummy", "n22333444", "20222222223", "\u212aode",
}

// Texts are texts for every test.
var Texts = []string{
	"", "A", " ", "1", "80", "121.00", "20261120", "86470000000001", "20222222223", "20-22222222-3", "22.333.444", "AB-778899", "no vale", "docnro es 5", "30000000007", "el 30-00000000-7 no", "62", "62.0", "1801", "true", "null",
	"t", "12345678", "example-token", "hmac-sha256:00112233445566778899aabbccddeeff",
	strings.Repeat("un texto largo ", 3), "\xff20222222223", "ñandú", "&#x41;", `\u0041`, "%41", "QUFB", "1.5", "121.5", "son 121,5.", "20111111112", "15/11/2026", "22333444", "٢٢٣٣٣٤٤٤", "0", "00", "-1", "1e3",
}

func (c *Choices) name() string { return c.Of(c.Words.Names) }

func (c *Choices) word() string { return c.Of(c.Words.Texts) }

func (c *Choices) text() string {
	text := c.word()
	switch c.N(8) {
	case 0:
		text = "no: " + text + "!"
	case 1:
		if len(text) < 100 {
			text = c.Words.Forms[c.N(len(c.Words.Forms))](text)
		}
	case 2:
		text += c.word()
	}
	return text
}

// quoted writes a text as JSON, now and then with escapes.
func (c *Choices) quoted(text string) {
	how := c.N(5)
	c.WriteByte('"')
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\' || b < ' ':
			fmt.Fprintf(c, `\u%04x`, b)
		case how == 0 && i%3 == 0 && b < 0x80:
			fmt.Fprintf(c, `\u%04x`, b)
		case how == 1 && b == '/':
			c.WriteString(`\/`)
		default:
			c.WriteByte(b)
		}
	}
	c.WriteByte('"')
}

func (c *Choices) space() { c.WriteString([]string{"", "", "", "", " ", "\n\t"}[c.N(6)]) }

func (c *Choices) json(depth int) {
	c.space()
	kind := c.N(9)
	switch {
	case kind < 3 && depth > 0:
		c.WriteByte('{')
		for i := range c.N(6) {
			if i > 0 {
				c.WriteByte(',')
			}
			c.space()
			c.quoted(c.name())
			c.space()
			c.WriteByte(':')
			c.json(depth - 1)
		}
		c.WriteByte('}')
	case kind < 4 && depth > 0:
		c.WriteByte('[')
		for i := range c.N(7) {
			if i > 0 {
				c.WriteByte(',')
			}
			c.json(depth - 1)
		}
		c.WriteByte(']')
	case kind == 4:
		c.WriteString(c.Of([]string{"1", "80", "20222222223", "121.50", "22333444", "-3", "65.0", "20111111112", "1e2", "null", "true", "false", "30000000007", "0", "62"}))
	case kind == 5:
		c.WriteString("[" + c.Words.List(c) + "]")
	default:
		c.quoted(c.text())
	}
	c.space()
}

// Object writes a body in JSON.
func (c *Choices) Object() {
	c.WriteByte('{')
	for i := range 1 + c.N(6) {
		if i > 0 {
			c.WriteByte(',')
		}
		c.quoted(c.name())
		c.WriteByte(':')
		c.json(4)
	}
	c.WriteByte('}')
}

// markup writes a text as XML.
func (c *Choices) markup(text string) {
	switch c.N(6) {
	case 0:
		c.WriteString("<![CDATA[" + strings.ReplaceAll(text, "]]>", "") + "]]>")
	case 1:
		for _, r := range text {
			fmt.Fprintf(c, "&#x%x;", r)
		}
	case 2:
		at := c.N(len(text) + 1)
		c.WriteString(strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text[:at]) + "<!--" + strings.ReplaceAll(c.word(), "--", "") + "-->")
		c.markup(text[at:])
	default:
		c.WriteString(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text))
	}
}

func (c *Choices) xml(depth int) {
	name := c.name()
	if name == "" || name[0] < 'A' {
		name = "a"
	}
	name = strings.NewReplacer("+", "", "/", "", "=", "").Replace(name)
	if c.N(6) == 0 {
		name = c.Of([]string{"a:", "b:", "xyz:"}) + name
	}
	c.WriteString("<" + name)
	if c.N(8) == 0 {
		c.WriteString(c.Of([]string{` xmlns:xyz="urn:z"`, ` xmlns="http://ar.gov.afip.dif.FEV1/"`, ` n='1'`, ` DocNro="22333444"`, ` Token="x"`, ` nil="true"`, ` schemaLocation="http://a/ http://b/"`, ` q = "` + c.Words.Attribute + `"`}))
	}
	if c.N(10) == 0 {
		c.WriteString(` b="` + strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(c.text()) + `"`)
	}
	if c.N(12) == 0 {
		c.WriteString("/>")
		return
	}
	c.WriteString(c.Of([]string{">", " >"}))
	switch kind := c.N(5); {
	case kind < 2 && depth > 0:
		for range c.N(7) {
			c.xml(depth - 1)
			if c.N(15) == 0 {
				c.markup(c.text())
			}
		}
	default:
		c.markup(c.text())
	}
	c.WriteString("</" + name + ">")
	if c.N(20) == 0 {
		c.WriteString(c.Of([]string{"<!-- nota -->", "<?p x?>", "<!--" + c.Words.Comment + "-->", " ", "<!--22333444-->"}))
	}
}

// Message writes a document in XML, whose root is named e.
func (c *Choices) Message() {
	c.WriteString(c.Of([]string{"", `<?xml version="1.0" encoding="utf-8"?>`, "\ufeff", `<?xml version="1.0" encoding="iso-8859-1"?>`, "<?xml version='1.0'?>\n", "<!-- x -->"}))
	c.WriteString(`<e xmlns:a="urn:a" xmlns:b='urn:b' xmlns:xyz='u'>`)
	for range 1 + c.N(5) {
		c.xml(5)
	}
	c.WriteString("</e>" + c.Of([]string{"", "\n", "<!-- y -->"}))
}

// Broken returns the document, now and then with some bytes changed.
func (c *Choices) Broken() []byte {
	text := bytes.Clone(c.Bytes())
	if c.N(3) > 0 || len(text) == 0 {
		return text
	}
	for range 1 + c.N(3) {
		at := (c.N(256)<<8 | c.N(256)) % (len(text) + 1)
		switch c.N(4) {
		case 0:
			text = text[:at]
		case 1:
			text = slices.Insert(text, at, []byte(c.Of([]string{`"`, `\`, "{", "]", ",", "1", "<", "&", "/", "\x00", "\xff", "tru", "-", ".", "]]>", "}", "<b/>", ":"}))...)
		case 2:
			text = slices.Delete(text, at, min(at+1+c.N(8), len(text)))
		case 3:
			text = append(text, text[at:]...)
		}
	}
	return text
}
