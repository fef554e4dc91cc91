package mask_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// choices make a document: each takes a byte.
type choices struct {
	data []byte
	bytes.Buffer
}

func (c *choices) n(most int) int {
	if len(c.data) == 0 {
		return 0
	}
	n := int(c.data[0]) % most
	c.data = c.data[1:]
	return n
}

func (c *choices) of(texts []string) string { return texts[c.n(len(texts))] }

var someNames = []string{
	"Msg", "Auth", "Token", "Sign", "Cuit", "DocNro", "FeCAEReq", "FeDetReq", "FECAEDetRequest", "Code", "CAE", "CbteFch", "ImpTotal", "Opcional", "Id", "Valor", "Opcionales", "Header", "x", "b",
	"docnro", "TOKEN", "auth", "ſign", "SIGN", "cuit", "Otro", "Compradores", "Desc", strings.Repeat("largo", 7), "Envelope", "Body", "FEDummy", ticketSign[:8], ticketSign[8:16], ticketSign, ticketToken, "n22333444", "20222222223", "\u212aode",
}

var someTexts = []string{
	"", "A", " ", "1", "80", "121.00", "20261120", "86470000000001", "20222222223", "20-22222222-3", "22.333.444", "AB-778899", "no vale", "docnro es 5", "30000000007", "el 30-00000000-7 no", "62", "62.0", "1801", "true", "null",
	"t", "12345678", "example-token", "hmac-sha256:00112233445566778899aabbccddeeff", ticketToken, ticketSign, ticketSign[:8], ticketSign[8:16], ticketSign[16:24], ticketSign[4:20], ticketToken[:12], ticketToken[len(ticketToken)-30:],
	strings.Repeat("un texto largo ", 3), "\xff20222222223", "ñandú", "&#x41;", `\u0041`, "%41", "QUFB", "1.5", "121.5", "son 121,5.", "20111111112", "15/11/2026", "22333444", "٢٢٣٣٣٤٤٤", "0", "00", "-1", "1e3",
}

func (c *choices) text() string {
	text := c.of(someTexts)
	switch c.n(8) {
	case 0:
		text = "no: " + text + "!"
	case 1:
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range forms {
				if !yield(name) {
					return
				}
			}
		})
		if len(text) < 100 {
			text = forms[c.of(names)](text)
		}
	case 2:
		text += c.of(someTexts)
	}
	return text
}

// quoted writes a text as JSON, now and then with escapes.
func (c *choices) quoted(text string) {
	how := c.n(5)
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

func (c *choices) space() { c.WriteString([]string{"", "", "", "", " ", "\n\t"}[c.n(6)]) }

func (c *choices) json(depth int) {
	c.space()
	kind := c.n(9)
	switch {
	case kind < 3 && depth > 0:
		c.WriteByte('{')
		for i := range c.n(6) {
			if i > 0 {
				c.WriteByte(',')
			}
			c.space()
			c.quoted(c.of(someNames))
			c.space()
			c.WriteByte(':')
			c.json(depth - 1)
		}
		c.WriteByte('}')
	case kind < 4 && depth > 0:
		c.WriteByte('[')
		for i := range c.n(7) {
			if i > 0 {
				c.WriteByte(',')
			}
			c.json(depth - 1)
		}
		c.WriteByte(']')
	case kind == 4:
		c.WriteString(c.of([]string{"1", "80", "20222222223", "121.50", "22333444", "-3", "65.0", "20111111112", "1e2", "null", "true", "false", "30000000007", "0", "62"}))
	case kind == 5: // a credential as numbers
		from := c.n(100)
		c.WriteString("[" + listed(codes(ticketSign[from:from+c.n(30)+1]), "$") + "]")
	default:
		c.quoted(c.text())
	}
	c.space()
}

func (c *choices) object() {
	c.WriteByte('{')
	for i := range 1 + c.n(6) {
		if i > 0 {
			c.WriteByte(',')
		}
		c.quoted(c.of(someNames))
		c.WriteByte(':')
		c.json(4)
	}
	c.WriteByte('}')
}

// markup writes a text as XML.
func (c *choices) markup(text string) {
	switch c.n(6) {
	case 0:
		c.WriteString("<![CDATA[" + strings.ReplaceAll(text, "]]>", "") + "]]>")
	case 1:
		for _, r := range text {
			fmt.Fprintf(c, "&#x%x;", r)
		}
	case 2:
		at := c.n(len(text) + 1)
		c.WriteString(strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text[:at]) + "<!--" + strings.ReplaceAll(c.of(someTexts), "--", "") + "-->")
		c.markup(text[at:])
	default:
		c.WriteString(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text))
	}
}

func (c *choices) xml(depth int) {
	name := c.of(someNames)
	if name == "" || name[0] < 'A' {
		name = "a"
	}
	name = strings.NewReplacer("+", "", "/", "", "=", "").Replace(name)
	if c.n(6) == 0 {
		name = c.of([]string{"a:", "b:", "xyz:"}) + name
	}
	c.WriteString("<" + name)
	if c.n(8) == 0 {
		c.WriteString(c.of([]string{` xmlns:xyz="urn:z"`, ` xmlns="http://ar.gov.afip.dif.FEV1/"`, ` n='1'`, ` DocNro="22333444"`, ` Token="x"`, ` nil="true"`, ` schemaLocation="http://a/ http://b/"`, ` q = "` + ticketSign[:8] + `"`}))
	}
	if c.n(10) == 0 {
		c.WriteString(` b="` + strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(c.text()) + `"`)
	}
	if c.n(12) == 0 {
		c.WriteString("/>")
		return
	}
	c.WriteString(c.of([]string{">", " >"}))
	switch kind := c.n(5); {
	case kind < 2 && depth > 0:
		for range c.n(7) {
			c.xml(depth - 1)
			if c.n(15) == 0 {
				c.markup(c.text())
			}
		}
	default:
		c.markup(c.text())
	}
	c.WriteString("</" + name + ">")
	if c.n(20) == 0 {
		c.WriteString(c.of([]string{"<!-- nota -->", "<?p x?>", "<!--" + ticketSign[:20] + "-->", " ", "<!--22333444-->"}))
	}
}

func (c *choices) message() {
	c.WriteString(c.of([]string{"", `<?xml version="1.0" encoding="utf-8"?>`, "\ufeff", `<?xml version="1.0" encoding="iso-8859-1"?>`, "<?xml version='1.0'?>\n", "<!-- x -->"}))
	c.WriteString(`<e xmlns:a="urn:a" xmlns:b='urn:b' xmlns:xyz='u'>`)
	for range 1 + c.n(5) {
		c.xml(5)
	}
	c.WriteString("</e>" + c.of([]string{"", "\n", "<!-- y -->"}))
}

// broken changes some bytes.
func (c *choices) broken() []byte {
	text := bytes.Clone(c.Bytes())
	if c.n(3) > 0 || len(text) == 0 {
		return text
	}
	for range 1 + c.n(3) {
		at := (c.n(256)<<8 | c.n(256)) % (len(text) + 1)
		switch c.n(4) {
		case 0:
			text = text[:at]
		case 1:
			text = slices.Insert(text, at, []byte(c.of([]string{`"`, `\`, "{", "]", ",", "1", "<", "&", "/", "\x00", "\xff", "tru", "-", ".", "]]>", "}", "<b/>", ":"}))...)
		case 2:
			text = slices.Delete(text, at, min(at+1+c.n(8), len(text)))
		case 3:
			text = append(text, text[at:]...)
		}
	}
	return text
}

func (c *choices) credentials() []string {
	return [][]string{{ticketToken, ticketSign}, {ticketToken, ticketSign}, {ticketSign}, nil, {"t", "s"}, {ticketToken, "12345678"}, {"example-token", ticketSign}, {"A" + ticketSign + "\x00" + ticketToken}}[c.n(8)]
}

var someFields = [][]string{
	nil, nil, nil, {"/DocNro"}, {"/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro", "/Msg/Desc"}, {"/Compradores", "/ImpTotal"}, {"/Msg"}, {"/Auth"}, {"/CbteFch", "/x"}, {"/Msg/*/DocNro", "/x/b", "/Desc"},
}
