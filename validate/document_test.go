package validate_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// whole is a request that is right, as text.
const whole = `{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`

func decodeSeries(t *testing.T, text string) []validate.Finding {
	t.Helper()
	_, found := validate.Decode(validatetest.Operation(t, "FECompUltimoAutorizado"), []byte(text), validate.Base)
	return found
}

func TestABodyThatIsNoObject(t *testing.T) {
	for text, got := range map[string]string{
		`null`: "null", ` null `: "null", `[]`: "una lista", `[{}]`: "una lista", `1`: "un número", `"x"`: "un texto",
		`true`: "un booleano", `false`: "un booleano",
	} {
		for _, op := range wsfev1.Operations {
			_, found := validate.Decode(op, []byte(text), validate.Base)
			if len(found) != 1 || found[0].Code != "shape.kind" || found[0].Pointer != "" || found[0].Got != got {
				t.Errorf("%s %s: %+v", op.Name, text, found)
			}
		}
	}
}

func TestABodyThatIsEmptyOrCutShortSaysSo(t *testing.T) {
	for _, text := range []string{"", " ", "\r\n\t ", "{", `{"Auth`, `{"Auth":`, `{"Auth":{`, whole[:len(whole)-1]} {
		found := decodeSeries(t, text)
		if len(found) != 1 || found[0].Code != "shape.syntax" || !strings.Contains(found[0].Text, "termina antes de tiempo") {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

func TestABodyCutAtAnyByteIsNeverRight(t *testing.T) {
	for _, op := range wsfev1.Operations {
		text := sample(op.Request, true).text()
		for n := range len(text) {
			if _, found := validate.Decode(op, []byte(text[:n]), validate.ARCA); len(found) == 0 {
				t.Fatalf("%s: nothing is wrong with %s", op.Name, text[:n])
			}
		}
	}
}

func TestBytesThatAreNotJSON(t *testing.T) {
	for text, pointer := range map[string]string{
		`{'Auth':1}`: "", `{Auth:1}`: "", `{"Auth":{"Token":"t",}}`: "/Auth", `{"Auth":{"Token" "t"}}`: "/Auth/Token",
		`{"PtoVta":01}`: "", `{"PtoVta":+1}`: "/PtoVta", `{"PtoVta":NaN}`: "/PtoVta", `{"PtoVta":1,,}`: "",
		`<xml/>`: "", `{"PtoVta":1 "CbteTipo":2}`: "", "{\"Auth\":{\"Token\":\"a\nb\"}}": "/Auth/Token",
		`{"Auth":{"Token":"\x"}}`: "/Auth/Token", `{"Auth":{"Token":"\u12G4"}}`: "/Auth/Token", `{/**/}`: "", `{"PtoVta":1e}`: "/PtoVta",
		`{1:2}`: "", `{null:2}`: "", `{"PtoVta":tru}`: "/PtoVta",
	} {
		found := decodeSeries(t, text)
		if len(found) != 1 || found[0].Code != "shape.syntax" {
			t.Errorf("%s: %v, want one finding of syntax", text, validatetest.Brief(found))
			continue
		}
		if found[0].Pointer != pointer {
			t.Errorf("%s: at %q, want %q", text, found[0].Pointer, pointer)
		}
	}
}

func TestNothingMayFollowTheDocument(t *testing.T) {
	for _, more := range []string{`{}`, ` {"Auth":1}`, `null`, `1`, `x`, `}`, `]`, `,`, "\x00", "\n" + whole} {
		wantOne(t, decodeSeries(t, whole+more), "shape.trailing", "")
	}
	if found := decodeSeries(t, " \r\n\t"+whole+" \r\n\t"); len(found) > 0 {
		t.Errorf("white space is not data: %v", validatetest.Brief(found))
	}
}

func TestAByteOrderMarkIsTheOnlyThingWrongWithABodyThatIsOtherwiseRight(t *testing.T) {
	wantOne(t, decodeSeries(t, "\xef\xbb\xbf"+whole), "shape.bom", "")
	if found := decodeSeries(t, "\xef\xbb\xbf\xef\xbb\xbf"+whole); len(found) != 2 {
		t.Errorf("two marks: %v", validatetest.Brief(found))
	}
}

func TestUTF16IsNotJSON(t *testing.T) {
	for name, bytesOf := range map[string]func(uint16) []byte{
		"little end first": func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} },
		"big end first":    func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} },
	} {
		for _, mark := range []string{"", "\ufeff"} {
			var text []byte
			for _, u := range utf16.Encode([]rune(mark + whole)) {
				text = append(text, bytesOf(u)...)
			}
			if found := decodeSeries(t, string(text)); len(found) != 1 || found[0].Code != "shape.syntax" {
				t.Errorf("%s, mark %q: %v", name, mark, validatetest.Brief(found))
			}
		}
	}
}

func TestANameThatIsNotUnicode(t *testing.T) {
	for _, name := range []string{"\"Pto\xffVta\"", "\"\xff\"", `"\ud83d"`} {
		found := decodeSeries(t, `{"Auth":{"Token":"t","Sign":"s","Cuit":1},"PtoVta":1,"CbteTipo":6,`+name+`:1}`)
		if len(found) != 1 || found[0].Code != "shape.utf8" {
			t.Errorf("%s: %v", name, validatetest.Brief(found))
		}
	}
}

func TestAPointerEscapesAndIsCutToALengthThatCanBeShown(t *testing.T) {
	within := func(name string) string { return whole[:len(whole)-1] + `,"` + name + `":1}` }
	wantOne(t, decodeSeries(t, within(`a/b~c`)), "shape.unknown", "/a~1b~0c")
	wantOne(t, decodeSeries(t, within(``)), "shape.unknown", "/")
	wantOne(t, decodeSeries(t, within(`~1`)), "shape.unknown", "/~01")
	found := decodeSeries(t, within(strings.Repeat("ñ", 10_000)))
	wantOne(t, found, "shape.unknown", "/"+strings.Repeat("ñ", 99)+"…")
}

func TestDeepNestingIsRefusedAtOnce(t *testing.T) {
	const depth = 100_000
	for name, text := range map[string]string{
		"as the body":           strings.Repeat("[", depth),
		"closed":                strings.Repeat("[", depth) + strings.Repeat("]", depth),
		"in an unknown member":  `{"Zzz":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`,
		"in place of text":      `{"Auth":{"Token":` + strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth) + `}}`,
		"in a repeated member":  `{"PtoVta":1,"PtoVta":` + strings.Repeat("[", depth),
		"in place of a list":    `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[` + strings.Repeat("[", depth),
		"objects, not arrays":   strings.Repeat(`{"a":`, depth),
		"after the document":    whole + strings.Repeat("[", depth),
		"of known names within": `{"Auth":` + strings.Repeat(`{"Auth":`, depth),
	} {
		t.Run(name, func(t *testing.T) {
			start := testrun.ProcessorTime()
			for _, op := range wsfev1.Operations {
				_, found := validate.Decode(op, []byte(text), validate.ARCA)
				codes := validatetest.Brief(found)
				deep := slices.ContainsFunc(codes, func(c string) bool {
					return strings.HasPrefix(c, "shape.depth ") || strings.HasPrefix(c, "shape.trailing ")
				})
				if !deep || len(codes) > 10 {
					t.Errorf("%s: %v", op.Name, codes)
				}
			}
			// A quadratic reader takes minutes.
			if took := testrun.ProcessorTime() - start; took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestALittleNestingIsReadOver(t *testing.T) {
	found := decodeSeries(t, whole[:len(whole)-1]+`,"Zzz":`+strings.Repeat("[", 20)+strings.Repeat("]", 20)+`}`)
	wantOne(t, found, "shape.unknown", "/Zzz")
}

func TestALongListOfMistakesEndsWithOneThatSaysSo(t *testing.T) {
	for _, mistakes := range []int{999, 1000, 1001, 5000} {
		var b strings.Builder
		b.WriteString(whole[:len(whole)-1])
		for i := range mistakes {
			fmt.Fprintf(&b, `,"auth%d":1`, i)
		}
		b.WriteString("}")
		found := decodeSeries(t, b.String())
		if len(found) != min(mistakes, 1001) {
			t.Fatalf("%d mistakes give %d findings", mistakes, len(found))
		}
		last := found[len(found)-1]
		if tooMany := last.Code == "shape.too_many"; tooMany != (mistakes > 1000) {
			t.Errorf("%d mistakes: the last finding is %s", mistakes, last.Code)
		}
	}
}

func TestTheFindingThatSaysTooManySpeaksOfNothingElse(t *testing.T) {
	const header = `{"Auth":{"Token":"t","Sign":"s","Cuit":1},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[`
	for name, item := range map[string]string{"kind": `1`, "case": `{"concepto":1}`} {
		for _, end := range []string{`]}}}`, ``} {
			text := header + strings.Repeat(item+",", 1200) + item + end
			_, found := validate.Decode(validatetest.Operation(t, "FECAESolicitar"), []byte(text), validate.Base)
			last := found[len(found)-1]
			if len(found) != 1001 || last.Code != "shape.too_many" || last.Expected+last.Got+last.Pointer != "" ||
				strings.Contains(last.Text, "termina") {
				t.Errorf("%s: %d findings, the last %+v", name, len(found), last)
			}
		}
	}
}

// TestASmallBodyMakesNoLargeAllocation: the length of a list is estimated from its first
// item, which misleads if a short item is followed by a long text.
func TestASmallBodyMakesNoLargeAllocation(t *testing.T) {
	text := []byte(`{"FeCAEReq":{"FeCabReq":{"CantReg":2147483647},"FeDetReq":{"FECAEDetRequest":[{},"` +
		strings.Repeat("x", 1<<20) + `"]}}}`)
	op := validatetest.Operation(t, "FECAESolicitar")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, found := validate.Decode(op, text, validate.Base)
	runtime.ReadMemStats(&after)
	if len(found) == 0 {
		t.Error("nothing is wrong with text in place of an invoice")
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8*uint64(len(text)) {
		t.Errorf("%d bytes were allocated for a body of %d", took, len(text))
	}
}

func TestDecodeLeavesTheBodyAsItWas(t *testing.T) {
	for _, op := range wsfev1.Operations {
		text := sample(op.Request, true).text()
		given := []byte(text)
		validate.Decode(op, given, validate.ARCA)
		validate.Decode(op, []byte(`{"another":"body"}`), validate.ARCA)
		if string(given) != text {
			t.Errorf("%s: the body was changed", op.Name)
		}
	}
}

func TestTheRequestDoesNotKeepTheBody(t *testing.T) {
	given := []byte(whole)
	req, _ := validate.Decode(validatetest.Operation(t, "FECompUltimoAutorizado"), given, validate.Base)
	clear(given)
	if auth := wsfev1.AuthOf(req.Body); auth.Token.Reveal() != "t" || auth.Sign.Reveal() != "s" {
		t.Error("the request changes with the body")
	}
}
