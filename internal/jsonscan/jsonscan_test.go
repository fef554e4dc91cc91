package jsonscan_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/jsonscan"
)

// FuzzNumberLen holds the length against package json: what is cut off is a number, and with the byte behind it, if
// that could belong to one, it is none.
func FuzzNumberLen(f *testing.F) {
	for _, text := range []string{"", "-", "0", "-0", "01", "1.", "1.5,", "1e", "1e+", "1E-05]", "12345678901234567890.5e400 ", ".5", "+1", "--1", "1.2.3", "null"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n := jsonscan.NumberLen(text)
		if n > 0 && (jsontext.Value(text[:n]).Kind() != '0' || !jsontext.Value(text[:n]).IsValid()) {
			t.Fatalf("%q is no number", text[:n])
		}
		if value := jsontext.Value(text); value.Kind() == '0' && value.IsValid() && n != len(text) && text[n] > ' ' {
			t.Fatalf("%q is a number of %d bytes", text, n)
		}
	})
}

// FuzzPlain holds the reader against package json: what it takes is JSON, and ASCII without an escape.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		"", " ", "{}", "[]", `{"a":1}`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a" 1}`, `{"a":}`, `{1:2}`, `{"a":{"b":[null,true,false,"",-0.5e3]}} `, `[1]]`, `"a\n"`, `"é"`,
		"\"\x01\"", `"a`, "nul", "nulls", "01", "-", strings.Repeat("[", 40) + strings.Repeat("]", 40), strings.Repeat("[", 32) + strings.Repeat("]", 32),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := jsonscan.NewPlain(text)
		value := p.Value()
		if !p.Done() {
			return
		}
		if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) || bytes.ContainsAny(text, "\\\x7f") || !bytes.Equal(value, bytes.Trim(text, " \t\r\n")) {
			t.Fatalf("%q is not plain, and its value not %q", text, value)
		}
	})
}

// TestPlainTakesWhatIsPlain: nothing that is plain is left to a decoder, but what is nested too deeply.
func TestPlainTakesWhatIsPlain(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":[1,-2.50,"x ~",null,true,false,{},[]]}`: true,
		" [ 1 , 2 ] ": true,
		strings.Repeat("[", 32) + strings.Repeat("]", 32):             true,
		strings.Repeat("[", 33) + strings.Repeat("]", 33):             false,
		strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1000000): false,
		`["\u0031"]`: false,
		`["ñ"]`:      false,
	} {
		p := jsonscan.NewPlain([]byte(text))
		if p.Value(); p.Done() != want {
			t.Errorf("%.40q: %t", text, !want)
		}
	}
}
