package redact_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/redact"
	before "github.com/fielato/fielato/internal/redact/testdata/before"
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

// probes are texts that may quote what was collected.
var probes = []string{"DocNro 1", "30000000007", "el 20222222223", "22333444", "121.5", "son 121,50", "15/11/2026", "no vale", "AB-778899", "20111111112", "1", "80", "62", "ticket", "x es 1", "1234,00", "86470000000001"}

// sameAsBefore holds everything that is made of a document against what was made of it before.
func sameAsBefore(t interface {
	Helper()
	Fatalf(string, ...any)
}, data, raw []byte,
) {
	t.Helper()
	key := []byte("a key of the tests")
	c := &choices{data: data}
	pointers := someFields[c.n(len(someFields))]
	fields, err := redact.NewFields(pointers)
	fieldsBefore, errBefore := before.NewFields(pointers)
	if err != nil || errBefore != nil {
		t.Fatalf("%v %v", err, errBefore)
	}
	credentials, request, wellFormed := c.credentials(), c.n(2) == 0, c.n(4) == 0
	now, then := redact.NewRedactor(key).Mask(fields), before.NewRedactor(key).Mask(fieldsBefore)
	same := func(what string, body []byte, got, want any) {
		t.Helper()
		if got, want := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); got != want {
			t.Fatalf("%s of %q (fields %q, credentials %.60q, request %v):\n got %s\nwant %s", what, body, pointers, credentials, request, got, want)
		}
	}
	type kept struct {
		body []byte
		ok   bool
	}
	result := func(body []byte, ok bool) kept { return kept{body, ok} }
	quotes := func(body []byte) {
		for _, probe := range probes {
			same("the quotes", body, now.Text(probe), then.Text(probe))
		}
	}
	isXML := c.n(2) == 0
	if isXML {
		c.message()
	} else {
		c.object()
	}
	body := c.broken()
	if raw != nil {
		body, isXML = raw, bytes.HasPrefix(bytes.TrimLeft(raw, " \ufeff"), []byte("<"))
	}
	copied := bytes.Clone(body)
	if isXML {
		charset := []string{"", "utf-8", "iso-8859-1"}[c.n(3)]
		same("XML", body, result(now.XML(body, charset, request, credentials...)), result(then.XML(body, charset, request, credentials...)))
		quotes(body)
		again := []byte("<r><Msg>" + ticketSign[3:30] + " de 22333444</Msg></r>")
		same("a second message", again, result(now.XML(again, "", false, credentials...)), result(then.XML(again, "", false, credentials...)))
	} else {
		now.Collect(body, wellFormed)
		then.Collect(body, wellFormed)
		quotes(body)
		same("a body", body, result(now.Body(body, false, credentials...)), result(then.Body(body, false, credentials...)))
		same("a body of its shape", body, result(now.Body(body, true, credentials...)), result(then.Body(body, true, credentials...)))
		same("malformed", body, result(now.Malformed(body, credentials...)), result(then.Malformed(body, credentials...)))
		quotes(body)
		same("a document", body, result(redact.NewRedactor(key).Credentials(credentials...).Document(body)), result(before.NewRedactor(key).Credentials(credentials...).Document(body)))
		same("no mask", body, result(redact.NewRedactor(key).Body(body, credentials...)), result(before.NewRedactor(key).Body(body, credentials...)))
	}
	if !bytes.Equal(body, copied) {
		t.Fatalf("the body was changed: %q", copied)
	}
	one, other := redact.NewRedactor(key).Credentials(credentials...), before.NewRedactor(key).Credentials(credentials...)
	texts, textsBefore := make([]string, 2+c.n(5)), []string(nil)
	for i := range texts {
		texts[i] = c.text()
	}
	textsBefore = slices.Clone(texts)
	for _, text := range texts {
		same("a text", []byte(text), one.Text(text), other.Text(text))
		same("a pointer", []byte(text), one.Pointer("/a/"+text), other.Pointer("/a/"+text))
	}
	var at, atBefore []*string
	for i := range texts {
		at, atBefore = append(at, &texts[i]), append(atBefore, &textsBefore[i])
	}
	one.Together(at[:1], at[1:])
	other.Together(atBefore[:1], atBefore[1:])
	same("texts together", nil, texts, textsBefore)
	finding := audit.Finding{Pointer: "/FeCAEReq/DocNro", Text: texts[0], Got: texts[1]}
	same("a finding", nil, now.Finding(finding), then.Finding(finding))
	digest := sha256.Sum256(body)
	same("a digest", body, now.Digest(digest), then.Digest(digest))
}

// TestNothingIsHiddenOrShownThatWasNot: of documents of any kind, also broken ones.
func TestNothingIsHiddenOrShownThatWasNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameAsBefore(t, rapid.SliceOfN(rapid.Byte(), 8, 600).Draw(t, "choices"), nil)
	})
	random := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		data := make([]byte, 40+random.IntN(900))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		sameAsBefore(t, data, nil)
	}
}

// TestALotIsKeptAsItWas, with echoes and without.
func TestALotIsKeptAsItWas(t *testing.T) {
	key := []byte("a key of the tests")
	random := rand.New(rand.NewPCG(13, 14))
	echoes := []string{"", ticketToken, ticketSign, ticketSign[10:40], "no vale: " + ticketToken[:40], "vale", `a \"b\"`, strings.Repeat("un texto largo ", 4)}
	for i := range 400 {
		soap := i%2 == 1
		request, answer := lotOf(random.IntN(4), soap)
		if echo := echoes[random.IntN(len(echoes))]; echo != "" && random.IntN(2) == 0 {
			request, answer = strings.ReplaceAll(request, "PES", echo), strings.Replace(answer, ">N<", ">"+echo+"<", 1)
			answer = strings.Replace(answer, `"N"`, `"N","Msg":"`+echo+`"`, 1)
		}
		if random.IntN(6) == 0 && !soap { // a credential in the codes of messages
			events := listed(codes(ticketSign[random.IntN(100):][:8+random.IntN(20)]), `{"Code":$,"Msg":"x"}`)
			answer = strings.TrimSuffix(answer, "}") + `,"Events":{"Evt":[` + events + `]}}`
		}
		for _, of := range []string{request, answer} {
			now, then := redact.NewRedactor(key).Mask(nil), before.NewRedactor(key).Mask(nil)
			credentials := []string{ticketToken, ticketSign}
			var got, want []byte
			var ok, okBefore bool
			if soap {
				got, ok = now.XML([]byte(of), "utf-8", of == request, credentials...)
				want, okBefore = then.XML([]byte(of), "utf-8", of == request, credentials...)
			} else {
				got, ok = now.Body([]byte(of), true, credentials...)
				want, okBefore = then.Body([]byte(of), true, credentials...)
			}
			if ok != okBefore || !bytes.Equal(got, want) {
				t.Fatalf("%v, %v: %s became\n%s, before\n%s", ok, okBefore, of, got, want)
			}
		}
	}
}

// FuzzBefore is TestNothingIsHiddenOrShownThatWasNot for choices, or for a body itself.
func FuzzBefore(f *testing.F) {
	for _, seed := range []string{`{"Auth":{"Token":"t","Sign":"s","Cuit":1},"Msg":[1,2,"x\u0041"]}`, `<e><Auth><Token>t</Token></Auth><Msg a="b">x<!--c--></Msg></e>`, `{"DocNro":[1.`, `{"a":tru`, `{"a" 1}`, `[1,]`, `{1:2}`, `{"DocNro":1}{"DocNro":2}`} {
		f.Add([]byte("0123456789"), []byte(seed))
	}
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), []byte(nil))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		if len(raw) == 0 {
			raw = nil
		}
		raw = bytes.ReplaceAll(raw, []byte("$"), []byte(ticketSign[:30]))
		sameAsBefore(t, data, raw)
	})
}
