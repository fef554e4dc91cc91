package mask_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/xmlscan"
)

// envelope returns a message of SOAP 1.1 with this content of its Body.
func envelope(body string) string {
	return `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` + body + `</s:Body></s:Envelope>`
}

func TestXMLReplacesCredentialsAndNothingElse(t *testing.T) {
	token, sign := redactor().Fingerprint([]byte(leakToken)), redactor().Fingerprint([]byte(leakSign))
	for name, test := range map[string]struct{ from, to string }{
		"plain": {
			`<FEDummy><Auth><Token>` + leakToken + `</Token><Sign>` + leakSign + `</Sign><Cuit>20-11111111-2</Cuit></Auth></FEDummy>`,
			`<FEDummy><Auth><Token>` + token + `</Token><Sign>` + sign + `</Sign><Cuit>20-11111111-2</Cuit></Auth></FEDummy>`,
		},
		"prefix, case and attributes": {`<a:TOKEN xmlns:a='urn:a' n = "1">` + leakToken + `</a:TOKEN >`, `<a:TOKEN xmlns:a='urn:a' n = "1">` + token + `</a:TOKEN >`},
		"pieces":                      {`<Token>` + leakToken[:9] + `<!-- x --><![CDATA[` + leakToken[9:20] + `]]>&#x` + fmt.Sprintf("%x", leakToken[20]) + `;` + leakToken[21:] + `</Token>`, `<Token>` + token + `</Token>`},
		"in place of Auth":            {`<Auth>` + leakToken + `</Auth>`, `<Auth>` + token + `</Auth>`},
		"elements in a credential":    {`<Token><a>1</a><!-- b --></Token>`, `<Token>` + redactor().Fingerprint([]byte(`<a>1</a><!-- b -->`)) + `</Token>`},
		"other in Auth":               {`<Auth><Otro>x</Otro></Auth>`, `<Auth><Otro>` + redactor().Fingerprint([]byte("x")) + `</Otro></Auth>`},
		"echo of the request's own":   {`<Sign>` + leakSign + `</Sign><Desc>` + leakSign + `</Desc>`, `<Sign>` + sign + `</Sign><Desc>` + sign + `</Desc>`},
		"unknown and long":            {`<Otro>` + leakToken + `</Otro><Otro>corto</Otro>`, `<Otro>` + token + `</Otro><Otro>corto</Otro>`},
		"long comment":                {`<!--` + leakToken + `--><a/>`, `<!--` + token + `--><a/>`},
		"short comment":               {`<!-- de VFP --><a/>`, `<!-- de VFP --><a/>`},
		"none":                        {`<Token/><Sign></Sign>`, `<Token/><Sign></Sign>`},
	} {
		kept, ok := redactor().Mask(nil).XML([]byte(envelope(test.from)), "", true)
		if want := envelope(test.to); !ok || string(kept) != want {
			t.Errorf("%s: %v\n%s\n%s", name, ok, kept, want)
		}
	}
}

func TestXMLKeepsNothingOfAHeader(t *testing.T) {
	head := `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header>`
	secret := `<Security><Password>1234</Password></Security>`
	rest := `</s:Header><s:Body/></s:Envelope>`
	kept, ok := redactor().Mask(nil).XML([]byte(head+secret+rest), "", true)
	if want := head + redactor().Fingerprint([]byte(secret)) + rest; !ok || string(kept) != want {
		t.Errorf("%v\n%s\n%s", ok, kept, want)
	}
}

func TestXMLThatCannotBeKept(t *testing.T) {
	for name, body := range map[string]string{
		"cut off":                   `<Token>` + leakToken,
		"a name":                    `<Auth><Token>` + leakToken + `</Token></Auth><` + strings.Repeat("n", 40) + `/>`,
		"an attribute":              `<Token>` + leakToken + `</Token><a b="` + leakToken + `"/>`,
		"a credential's attribute":  `<Auth Token="abc"/>`,
		"a long attribute":          `<Auth t="` + leakToken + `"/>`,
		"a namespace":               `<Token>` + leakToken + `</Token><a xmlns="` + leakToken + `"/>`,
		"references in a namespace": `<a xmlns="&#x41;"/>`,
		"an instruction":            `<?php ` + leakToken + `?><a/>`,
		"text between elements":     `<Token>` + leakToken + `</Token><a>` + leakToken + `<b/></a>`,
		"a document type":           `<!DOCTYPE a>`,
	} {
		if kept, ok := redactor().Mask(nil).XML([]byte(envelope(body)), "", true); ok || kept != nil {
			t.Errorf("%s: %s", name, kept)
		}
	}
}

func TestXMLOfAnAnswerKeepsItsTexts(t *testing.T) {
	long := strings.Repeat("El comprobante no se encuentra registrado. ", 3)
	message := envelope(`<r><Err><Code>602</Code><Msg>` + long + `</Msg></Err></r>`)
	if kept, ok := redactor().Mask(nil).XML([]byte(message), "", false, leakToken); !ok || string(kept) != message {
		t.Errorf("%v\n%s", ok, kept)
	}
	echoed := envelope(`<Msg>Token ` + leakToken[3:30] + ` vencido</Msg>`)
	if kept, ok := redactor().Mask(nil).XML([]byte(echoed), "", false, leakToken); !ok || strings.Contains(string(kept), leakToken[3:15]) {
		t.Errorf("%v\n%s", ok, kept)
	}
}

func TestXMLHidesFields(t *testing.T) {
	fields, err := mask.NewFields([]string{"/Cliente/*/DocNro", "/Compradores"})
	if err != nil {
		t.Fatal(err)
	}
	number := redactor().Fingerprint([]byte(leakField))
	from := envelope(`<c:DocNro xmlns:c="urn:c">` + leakField + `</c:DocNro><Desc>de ` + leakField + `</Desc><Compradores><C>1</C></Compradores><DocNro/>`)
	want := envelope(`<c:DocNro xmlns:c="urn:c">` + number + `</c:DocNro><Desc>` + redactor().Fingerprint([]byte("de "+leakField)) +
		`</Desc><Compradores>` + redactor().Fingerprint([]byte("<C>1</C>")) + `</Compradores><DocNro/>`)
	if kept, ok := redactor().Mask(fields).XML([]byte(from), "", true); !ok || string(kept) != want {
		t.Errorf("%v\n%s\n%s", ok, kept, want)
	}
}

// TestXMLStaysInItsEncoding: the redacted message keeps the bytes of the wire.
func TestXMLStaysInItsEncoding(t *testing.T) {
	message := `<a><Desc>año</Desc><Token>` + leakToken + `</Token><Desc>ñ</Desc></a>`
	want := strings.Replace(message, leakToken, redactor().Fingerprint([]byte(leakToken)), 1)
	latin := func(text string) []byte {
		return []byte(strings.ReplaceAll(text, "ñ", "\xf1"))
	}
	wide := func(text string) (units []byte) {
		for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
			units = append(units, byte(u), byte(u>>8))
		}
		return units
	}
	for name, test := range map[string]struct {
		charset string
		write   func(string) []byte
	}{"ISO-8859-1": {charset: "iso-8859-1", write: latin}, "UTF-16": {write: wide}} {
		kept, ok := redactor().Mask(nil).XML(test.write(message), test.charset, true)
		if !ok || !bytes.Equal(kept, test.write(want)) {
			t.Errorf("%s: %v\n%q\n%q", name, ok, kept, test.write(want))
		}
	}
}

// markupWriter writes a message with credentials and fields in places where they must not stay.
type markupWriter struct {
	*rapid.T
	strings.Builder
	known bool
}

// piece writes a text as characters, references, CDATA sections and comments.
func (w *markupWriter) piece(text string) {
	for len(text) > 0 {
		n := rapid.IntRange(1, len(text)).Draw(w.T, "length")
		switch rapid.IntRange(0, 3).Draw(w.T, "as") {
		case 0:
			w.WriteString(text[:n])
		case 1:
			for _, r := range text[:n] {
				fmt.Fprintf(w, "&#x%x;", r)
			}
		case 2:
			w.WriteString("<![CDATA[" + text[:n] + "]]>")
		case 3:
			w.WriteString("<!--" + rapid.SampledFrom([]string{"", " nota ", leakToken}).Draw(w.T, "comment") + "-->" + text[:n])
		}
		text = text[n:]
	}
}

func (w *markupWriter) element(name string, content func()) {
	prefix := rapid.SampledFrom([]string{"", "a:", "b:"}).Draw(w.T, "prefix")
	if rapid.Bool().Draw(w.T, "upper") {
		name = strings.ToUpper(name)
	}
	w.WriteString("<" + prefix + name + " >")
	content()
	w.WriteString("</" + prefix + name + "\n>")
}

func (w *markupWriter) members() {
	for range rapid.IntRange(1, 5).Draw(w.T, "members") {
		switch rapid.IntRange(0, 6).Draw(w.T, "what") {
		case 0:
			w.element("Token", func() { w.piece(leakToken) })
		case 1:
			w.element("Sign", func() { w.piece(leakSign) })
		case 2:
			w.element("Auth", w.members)
		case 3:
			w.element("DocNro", func() { w.piece(leakField) })
		case 4:
			w.element("Otro", func() { w.piece(leakToken) })
		case 5:
			w.element("Desc", func() {
				if w.known {
					w.piece("rechazado: " + leakSign)
				}
			})
		case 6:
			w.element("Mas", w.members)
		}
	}
}

// TestXMLNeverLeaks, wherever credentials and hidden fields stand and however they are written.
func TestXMLNeverLeaks(t *testing.T) {
	fields, err := mask.NewFields([]string{"/Cliente/*/DocNro"})
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	rapid.Check(t, func(t *rapid.T) {
		w := &markupWriter{T: t, known: rapid.Bool().Draw(t, "known")}
		var credentials []string
		if w.known {
			credentials = []string{leakToken, leakSign}
		}
		w.WriteString(`<e xmlns:a="urn:a" xmlns:b='urn:b'>`)
		w.members()
		w.WriteString(`</e>`)
		kept, ok := redactor().Mask(fields).XML([]byte(w.String()), "", true, credentials...)
		if !ok {
			return
		}
		whole++
		for _, text := range append(markupTexts(t, kept), string(kept)) {
			for _, secret := range []string{leakToken[:16], leakToken[len(leakToken)-16:], leakSign[:16], leakSign[len(leakSign)-16:], leakField} {
				if strings.Contains(text, secret) {
					t.Fatalf("%q is kept of\n%s\nin\n%s", secret, w.String(), kept)
				}
			}
		}
	})
	if whole == 0 {
		t.Error("nothing was kept")
	}
}

// markupTexts returns the texts of all elements and comments of a document, resolved.
func markupTexts(t *rapid.T, message []byte) (texts []string) {
	decoder := xml.NewDecoder(bytes.NewReader(message))
	var open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("what is kept is no XML: %v: %s", err, message)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, "")
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1] += string(token)
			}
		case xml.Comment:
			texts = append(texts, string(token))
		case xml.EndElement:
			texts, open = append(texts, open[len(open)-1]), open[:len(open)-1]
		}
	}
}

// FuzzXML: for any message, the redacted message can be read again and does not hold the
// credential, wherever it stood.
func FuzzXML(f *testing.F) {
	for _, seed := range []string{
		envelope(`<Auth><Token>$</Token></Auth>`), envelope(`<a xmlns="$" b='$'><$:c xmlns:$="u"/><![CDATA[$]]><!--$--><?p $?></a>`), "\xff\xfe<\x00a\x00/\x00>\x00",
		`<?xml version="1.0" encoding="iso-8859-1"?><Desc>a&#x2b;$ñ</Desc>`, `<Desc>$<b/>$</Desc>`, `<Token>1</Token><Desc>$</Desc>`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, message []byte, request bool) {
		message = bytes.ReplaceAll(message, []byte("$"), []byte(leakToken))
		before := bytes.Clone(message)
		kept, ok := redactor().Mask(nil).XML(message, "", request, leakToken)
		if !bytes.Equal(before, message) {
			t.Error("the message was changed")
		}
		if !ok {
			return
		}
		text, _, err := xmlscan.Decode(kept, "")
		if err != nil || bytes.Contains(text, []byte(leakToken[:16])) {
			t.Errorf("%q keeps %q, %v", message, kept, err)
		}
		if _, ok := redactor().Mask(nil).XML(kept, "", request, leakToken); !ok {
			t.Errorf("%q cannot be read again", kept)
		}
	})
}
