package mask_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/mask"
)

// Secrets that must not be found in records. None of them occurs by chance.
const (
	leakToken = "PD94bWw/dGhlIHRva2Vu+Zm9yIHRoZSB0ZXN0cw=="
	leakSign  = "Zm9yZ2VkL3NpZ24+b2YgdGhlIHRlc3Rz/w=="
	leakField = "27987654321"
)

// bodyWriter writes a body with the three of them in places where they must not stay.
type bodyWriter struct {
	*rapid.T
	bytes.Buffer
	// strange: members stand where no operation has them.
	strange bool
	// known: the request's credentials could be read, so that they are found outside of their
	// members too.
	known bool
}

func (w *bodyWriter) chance(label string) bool { return rapid.IntRange(0, 3).Draw(w.T, label) == 0 }

// text writes a text, some of its characters escaped.
func (w *bodyWriter) text(s string) {
	escape := rapid.IntRange(0, 3).Draw(w.T, "escapes")
	w.WriteByte('"')
	for i, r := range s {
		switch {
		case escape > 0 && (i+escape)%3 == 0 && r < 0x10000:
			fmt.Fprintf(w, `\u%04x`, r)
		case r == '/' && escape > 1:
			w.WriteString(`\/`)
		default:
			w.WriteRune(r)
		}
	}
	w.WriteByte('"')
}

// name writes a member's name in any case, with letters that only look like others.
func (w *bodyWriter) name(s string) {
	how := rapid.IntRange(0, 4).Draw(w.T, "case")
	s = strings.Map(func(r rune) rune {
		switch {
		case how == 1:
			return unicode.ToUpper(r)
		case how == 2:
			return unicode.ToLower(r)
		case how == 3 && r == 'S':
			return 'ſ'
		case how == 3 && r == 'k':
			return '\u212a'
		}
		return r
	}, s)
	w.text(s)
	w.WriteByte(':')
}

// wrap writes a value within so many lists or objects.
func (w *bodyWriter) wrap(lists bool, value func()) {
	depth := rapid.IntRange(0, 3).Draw(w.T, "depth")
	for range depth {
		if lists {
			w.WriteString("[")
		} else {
			w.WriteString(`{"Mas":`)
		}
	}
	value()
	for range depth {
		w.WriteByte("}]"[map[bool]int{true: 1}[lists]])
	}
}

// document writes the members of an object that holds credentials and fields.
func (w *bodyWriter) document() {
	w.WriteByte('{')
	for i := range rapid.IntRange(1, 6).Draw(w.T, "members") {
		if i > 0 {
			w.WriteByte(',')
		}
		switch rapid.IntRange(0, 7).Draw(w.T, "what") {
		case 0:
			w.name("Token")
			w.wrap(true, func() { w.text(leakToken) })
		case 1:
			w.name("Sign")
			w.wrap(false, func() { w.text(leakSign) })
		case 2:
			w.name("Auth")
			w.wrap(true, func() {
				w.WriteByte('{')
				w.name(rapid.SampledFrom([]string{"Token", "Sign", "Otro", leakToken}).Draw(w.T, "in Auth"))
				w.wrap(false, func() { w.text(leakSign) })
				w.WriteString(`,"Cuit":20111111112}`)
			})
		case 3: // an echo
			w.name("Msg")
			if !w.known {
				w.text("rechazado")
				continue
			}
			w.text("rechazado: " + rapid.SampledFrom([]string{leakToken, leakSign, leakToken[:24], leakSign[12:]}).Draw(w.T, "echo"))
		case 4:
			w.name("Cliente")
			w.wrap(true, func() {
				w.WriteByte('{')
				w.name("DocNro")
				if w.chance("number") {
					w.WriteString(leakField)
				} else {
					w.wrap(false, func() { w.text(leakField) })
				}
				w.WriteByte('}')
			})
		case 5:
			w.name("Msg")
			w.text("el documento 27-98765432-1")
		case 6:
			w.name("Cuit")
			w.WriteString("20111111112")
		case 7:
			w.name("Mas")
			if w.chance("deeper") {
				w.strange = true
				w.document()
			} else {
				w.WriteString("[1,null,true]")
			}
		}
	}
	w.WriteByte('}')
}

// TestRedactionNeverLeaks, wherever credentials and hidden fields stand, however they
// are written, and wherever the body is cut off.
func TestRedactionNeverLeaks(t *testing.T) {
	fields, err := mask.NewFields([]string{"/Cliente/*/DocNro"})
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	rapid.Check(t, func(t *rapid.T) {
		w := &bodyWriter{T: t, known: rapid.Bool().Draw(t, "known")}
		var credentials []string
		if w.known {
			credentials = []string{leakToken, leakSign}
		}
		w.document()
		body := w.Bytes()
		if w.chance("cut off") {
			body = body[:rapid.IntRange(0, len(body)).Draw(t, "at")]
		}
		v := redactor().Mask(fields)
		v.Collect([]byte(`{"Cliente":{"DocNro":`+leakField+`}}`), true)
		kept, ok := v.Body(body, !w.strange && rapid.Bool().Draw(t, "well formed"), credentials...)
		if !ok {
			if kept != nil {
				t.Fatalf("a body that is no JSON is kept: %s", kept)
			}
			return
		}
		whole++
		for _, text := range append(textsOf(t, kept), string(kept)) {
			for _, secret := range []string{leakToken[:16], leakToken[len(leakToken)-16:], leakSign[:16], leakSign[len(leakSign)-16:], leakField, "27-98765432-1"} {
				if strings.Contains(text, secret) {
					t.Fatalf("%q is kept of\n%s\nin\n%s", secret, body, kept)
				}
			}
		}
	})
	if whole == 0 {
		t.Error("nothing was kept")
	}
}

// textsOf returns every scalar and every name of a document, unescaped.
func textsOf(t *rapid.T, body []byte) (texts []string) {
	json := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	for {
		token, err := json.ReadToken()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("what is kept is no JSON: %v: %s", err, body)
		}
		texts = append(texts, token.String())
	}
}
