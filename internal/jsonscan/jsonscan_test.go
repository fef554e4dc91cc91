package jsonscan_test

import (
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
