package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// spoilIntegers puts a value in the place of every integer of these bits and wants
// one finding of this code, or none where code is no text.
func spoilIntegers(t *testing.T, bits int, value, code string) {
	t.Helper()
	t.Run(value, func(t *testing.T) {
		spoil := func(at place) bool {
			at.value().raw = value
			return at.member.Shape.Kind == wsfev1.KindInteger && (bits == 0 || at.member.Shape.Bits == bits)
		}
		spoilEach(t, validate.ARCA, spoil, func(t *testing.T, at place, found []validate.Finding) {
			switch {
			case code != "":
				wantOne(t, found, code, at.pointer)
			case len(found) > 0:
				t.Errorf("%v", validatetest.Brief(found))
			}
		})
	})
}

func TestAnIntegerHasNoFractionAndNoExponent(t *testing.T) {
	for _, value := range []string{"1.0", "1.5", "-0.0", "1e2", "1E2", "1e0", "10e-1", "1.0e400", "123456789012345678901.5"} {
		spoilIntegers(t, 0, value, "shape.fraction")
	}
}

func TestAnIntegerHasTheBoundsOfItsType(t *testing.T) {
	for bits, values := range map[int][2][]string{
		16: {{"32767", "-32768", "0", "-0"}, {"32768", "-32769", "99999999999999999999999"}},
		32: {{"2147483647", "-2147483648", "0"}, {"2147483648", "-2147483649", "20111111112", "-999999999999999999999"}},
		64: {
			{"9223372036854775807", "-9223372036854775808", "999999999999999999", "0"},
			{"9223372036854775808", "-9223372036854775809", "18446744073709551616", "100000000000000000000"},
		},
	} {
		for _, value := range values[0] {
			spoilIntegers(t, bits, value, "")
		}
		for _, value := range values[1] {
			spoilIntegers(t, bits, value, "shape.range")
		}
	}
}

func TestIntegersAreReadToTheirLastDigit(t *testing.T) {
	for text, want := range map[string]int64{
		"9223372036854775807": 9223372036854775807, "-9223372036854775808": -9223372036854775808,
		"999999999999999999": 999999999999999999, "-999999999999999999": -999999999999999999,
		"9007199254740993": 9007199254740993, "1000000000000000000": 1000000000000000000, "-0": 0,
	} {
		document := `{"Auth":{"Token":"t","Sign":"s","Cuit":` + text + `}}`
		req, found := validate.Decode(validatetest.Operation(t, "FEParamGetTiposIva"), []byte(document), validate.Base)
		if len(found) > 0 || wsfev1.AuthOf(req.Body).Cuit != wsfev1.CUIT(want) {
			t.Errorf("%s reads as %d, %v", text, wsfev1.AuthOf(req.Body).Cuit, validatetest.Brief(found))
		}
	}
}

func TestAnAmountMayHaveAnyDigits(t *testing.T) {
	for _, value := range []string{"0", "-1", "122.00", "1e2", "1.5E-3", "12345678901234567890.123", "1e400", "-0.00"} {
		spoil := func(at place) bool { at.value().raw = value; return at.member.Shape.Kind == wsfev1.KindAmount }
		spoilEach(t, validate.ARCA, spoil, func(t *testing.T, _ place, found []validate.Finding) {
			if len(found) > 0 {
				t.Errorf("%s: %v", value, validatetest.Brief(found))
			}
		})
	}
}

func TestTextIsUnescaped(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a\"b\\c\/d"`: `a"b\c/d`, `"\u00e1\n\t"`: "á\n\t", `"\ud83d\ude00"`: "😀", `"á😀"`: "á😀", `"\u007f"`: "\x7f",
		`"\ufffd"`: "\uFFFD",
	} {
		document := `{"Auth":{"Token":` + raw + `,"Sign":"s","Cuit":1}}`
		req, found := validate.Decode(validatetest.Operation(t, "FEParamGetTiposIva"), []byte(document), validate.Base)
		if got := wsfev1.AuthOf(req.Body).Token.Reveal(); len(found) > 0 || got != want {
			t.Errorf("%s reads as %q, want %q; %v", raw, got, want, validatetest.Brief(found))
		}
	}
}

func TestTextsOfAnyLengthAreReadSideBySide(t *testing.T) {
	var bodies, want []string
	for n := range 200 {
		text := strings.Repeat(string(rune('a'+n%26)), n)
		bodies = append(bodies, `{"Id":"`+text+`","Valor":"\"`+text+`\\"}`)
		want = append(want, text, `"`+text+`\`)
	}
	document := `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"Opcionales":{"Opcional":[` + strings.Join(bodies, ",") + `]}}]}}}`
	req, _ := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), []byte(document), validate.Base)
	var got []string
	for _, o := range wsfev1.LotOf(req.Body).Invoice(0).Opcionales.Opcional {
		got = append(got, o.Id, o.Valor)
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

// TestTextThatXMLCannotHoldIsRefused: the service speaks XML.
func TestTextThatXMLCannotHoldIsRefused(t *testing.T) {
	for _, raw := range []string{`"a\u0001"`, `"\u0000"`, `"\u001f b"`, `"\uFFFE"`, `"\uffff"`, `"\b"`, "\"x\uFFFE\"", "\"\uFFFFx\""} {
		t.Run(raw, func(t *testing.T) {
			spoil := func(at place) bool { at.value().raw = raw; return at.member.Shape.Kind == wsfev1.KindText }
			spoilEach(t, validate.ARCA, spoil, func(t *testing.T, at place, found []validate.Finding) {
				wantOne(t, found, "shape.character", at.pointer)
			})
		})
	}
}

func TestTextThatIsNotUnicodeIsRefused(t *testing.T) {
	for name, raw := range map[string]string{
		"a byte that begins nothing": "\"a\xff\"", "a cut sequence": "\"\xc3\"", "an overlong form": "\"\xc0\xaf\"",
		"a surrogate in bytes": "\"\xed\xa0\x80\"", "Latin 1": "\"a\xf1o\"",
		"a high surrogate alone": `"\ud83d"`, "a low surrogate alone": `"\ude00x"`, "surrogates in the wrong order": `"\ude00\ud83d"`,
		"a surrogate before another escape": `"\ud83d\u0041"`,
	} {
		t.Run(name, func(t *testing.T) {
			spoil := func(at place) bool { at.value().raw = raw; return at.member.Shape.Kind == wsfev1.KindText }
			spoilEach(t, validate.ARCA, spoil, func(t *testing.T, at place, found []validate.Finding) {
				wantOne(t, found, "shape.utf8", at.pointer)
			})
		})
	}
}
