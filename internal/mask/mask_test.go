package mask_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/mask"
)

const docNro = "/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro"

func masks(t *testing.T, pointers ...string) *mask.Mask {
	t.Helper()
	fields, err := mask.NewFields(pointers)
	if err != nil {
		t.Fatal(err)
	}
	return redactor().Mask(fields)
}

// inDetail is a request with these members in its one invoice.
func inDetail(members string) string {
	return `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{` + members + `}]}}}`
}

// TestFieldsAreHiddenHoweverTheyAreWritten: what comes out is written out here.
func TestFieldsAreHiddenHoweverTheyAreWritten(t *testing.T) {
	for _, test := range []struct {
		name, pointer, in, want string
		loose                   bool
	}{
		{"a number", docNro, inDetail(`"DocTipo":80,"DocNro": 30000000007 ,"X":1`), inDetail(`"DocTipo":80,"DocNro": ` + mark("30000000007") + ` ,"X":1`), false},
		{"a text", docNro, inDetail(`"DocNro":"30000000007"`), inDetail(`"DocNro":` + mark("30000000007")), false},
		{"an object", docNro, inDetail(`"DocNro":{"a":[1]}`), inDetail(`"DocNro":` + mark(`{"a":[1]}`)), false},
		{"true", docNro, inDetail(`"DocNro":true`), inDetail(`"DocNro":` + mark("true")), false},
		{"null tells nothing", docNro, inDetail(`"DocNro":null`), inDetail(`"DocNro":null`), false},
		{"twice", docNro, inDetail(`"DocNro":1,"DocNro":2`), inDetail(`"DocNro":` + mark("1") + `,"DocNro":` + mark("2")), false},
		{"another case", docNro, `{"fecaereq":{"FEDETREQ":{"FECAEDetRequest":[{"docnro":1}]}}}`, `{"fecaereq":{"FEDETREQ":{"FECAEDetRequest":[{"docnro":` + mark("1") + `}]}}}`, false},
		{"escapes", docNro, inDetail(`"\u0044ocNro":"\u0031"`), inDetail(`"\u0044ocNro":` + mark("1")), false},
		{"no list where one belongs", docNro, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":{"DocNro":1}}}}`, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":{"DocNro":` + mark("1") + `}}}}`, false},
		{"lists where none belong", docNro, `{"FeCAEReq":[[{"FeDetReq":[{"FECAEDetRequest":[[{"DocNro":1}]]}]}]]}`, `{"FeCAEReq":[[{"FeDetReq":[{"FECAEDetRequest":[[{"DocNro":` + mark("1") + `}]]}]}]]}`, false},
		{"the same name elsewhere stays", docNro, inDetail(`"Compradores":{"Comprador":[{"DocNro":1}]}`), inDetail(`"Compradores":{"Comprador":[{"DocNro":1}]}`), false},
		{"unless the shape is wrong", docNro, `{"FeDetReq":[{"DocNro":1}]}`, `{"FeDetReq":[{"DocNro":` + mark("1") + `}]}`, true},
		{
			"a whole object", "/FeCAEReq/FeDetReq/FECAEDetRequest/*/Compradores", inDetail(`"Compradores":{"Comprador":[{"DocNro":1}]},"DocNro":2`),
			inDetail(`"Compradores":` + mark(`{"Comprador":[{"DocNro":1}]}`) + `,"DocNro":2`), false,
		},
		{
			"a text that quotes it, before and after", "/B", `{"A":"el 30-00000000-7","B":30000000007,"C":"30000000007x","D":30000000007}`,
			`{"A":` + mark("el 30-00000000-7") + `,"B":` + mark("30000000007") + `,"C":` + mark("30000000007x") + `,"D":30000000007}`, false,
		},
		{"a text that names it", "/DocNro", `{"Msg":"docnro es 5, se esperaba 7"}`, `{"Msg":` + mark("docnro es 5, se esperaba 7") + `}`, false},
		{
			"a short figure as a word", "/ImpTotal", `{"ImpTotal":121.50,"A":"son 121.5.","B":"21.50","C":"1121.50"}`,
			`{"ImpTotal":` + mark("121.50") + `,"A":` + mark("son 121.5.") + `,"B":"21.50","C":"1121.50"}`, false,
		},
		{"a name that repeats it", "/A", `{"A":30000000007,"30000000007":1}`, `{"A":` + mark("30000000007") + `,` + mark("30000000007") + `:1}`, false},
		{"credentials as ever", docNro, `{"Auth":{"Token":"t","Cuit":1},"DocNro":2}`, `{"Auth":{"Token":` + mark("t") + `,"Cuit":1},"DocNro":2}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := masks(t, test.pointer).Body([]byte(test.in), !test.loose)
			if !ok || string(got) != test.want {
				t.Errorf("%v\n got %s\nwant %s", ok, got, test.want)
			}
		})
	}
}

// TestAnswerDoesNotRepeatWhatTheRequestHid, in its texts.
func TestAnswerDoesNotRepeatWhatTheRequestHid(t *testing.T) {
	v := masks(t, docNro)
	v.Collect([]byte(inDetail(`"DocNro":30000000007`)), true)
	got, ok := v.Body([]byte(`{"Msg":"30000000007 no existe","Other":"no existe"}`), true)
	if want := `{"Msg":` + mark("30000000007 no existe") + `,"Other":"no existe"}`; !ok || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := v.Text("error in 30000000007"); strings.Contains(got, "30000000007") {
		t.Error(got)
	}
}

func TestFindingsDoNotTellAField(t *testing.T) {
	v := masks(t, docNro)
	v.Collect([]byte(inDetail(`"DocNro":30000000007`)), true)
	const item = "/FeCAEReq/FeDetReq/FECAEDetRequest/12"
	for _, test := range []struct {
		name    string
		finding audit.Finding
		hidden  bool
	}{
		{"about it", audit.Finding{Pointer: item + "/DocNro", Text: "t", Expected: "e", Got: "g", Difference: "d"}, true},
		{"about it, in another case", audit.Finding{Pointer: "/fecaereq/FEDETREQ/FECAEDetRequest/0/docnro", Got: "g"}, true},
		{"below it", audit.Finding{Pointer: item + "/DocNro/x/1", Got: "g"}, true},
		{"quotes it", audit.Finding{Pointer: item + "/DocTipo", Text: "t", Got: "30-00000000-7"}, true},
		{"names it", audit.Finding{Pointer: item, Text: "DocNro 1 ≠ 2", Expected: "2"}, true},
		{"about another", audit.Finding{Pointer: item + "/ImpTotal", Text: "t", Expected: "1", Got: "2", Difference: "1"}, false},
		{"about the same name elsewhere", audit.Finding{Pointer: item + "/Compradores/Comprador/0/DocNro", Got: "g"}, false},
	} {
		got := v.Finding(test.finding)
		for _, text := range [][2]string{
			{test.finding.Text, got.Text},
			{test.finding.Expected, got.Expected},
			{test.finding.Got, got.Got},
			{test.finding.Difference, got.Difference},
		} {
			want := text[0]
			if test.hidden && want != "" {
				want = redactor().Fingerprint([]byte(want))
			}
			if text[1] != want {
				t.Errorf("%s: %q is kept as %q", test.name, text[0], text[1])
			}
		}
		if got.Pointer != test.finding.Pointer {
			t.Errorf("%s: pointer %s", test.name, got.Pointer)
		}
	}
}

// TestFindingsDoNotTellAFieldInWords: dates and amounts are written as people read them.
func TestFindingsDoNotTellAFieldInWords(t *testing.T) {
	const detail = "/FeCAEReq/FeDetReq/FECAEDetRequest/*"
	for _, c := range []struct{ field, member, text, other string }{
		{detail + "/CbteFch", `"CbteFch":"20261115"`, "La fecha 15/11/2026 es anterior", "La fecha 16/11/2026 es anterior"},
		{detail + "/ImpNeto", `"ImpNeto":121.50`, "el 21 % de 121,50 es 25,52", "el 21 % de 121,51 es 25,52"},
		{detail + "/ImpNeto", `"ImpNeto":1500`, "suman 1.500,00", "suman 1.501,00"},
		{detail + "/ImpNeto", `"ImpNeto":1234567.5`, "suman 1.234.567,50", "suman 1.234.568,50"},
	} {
		v := masks(t, c.field)
		v.Collect([]byte(inDetail(c.member)), true)
		finding := audit.Finding{Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal", Text: c.text}
		if got := v.Finding(finding); got.Text == c.text {
			t.Errorf("%s: kept as %q", c.member, got.Text)
		}
		finding.Text = c.other
		if got := v.Finding(finding); got.Text != c.other {
			t.Errorf("%s: %q is hidden", c.member, c.other)
		}
	}
}

func TestDigestIsKeyedWhereFieldsAreHidden(t *testing.T) {
	digest := sha256.Sum256([]byte(`{"DocNro":12345678}`))
	if got := masks(t, "/DocNro").Digest(digest); got == digest || got != masks(t, "/A").Digest(digest) {
		t.Error("everybody can try out what was in the body, or equal bodies have different digests")
	}
	var none *mask.Mask
	if none.Digest(digest) != digest || none.Text("DocNro") != "DocNro" {
		t.Error("no fields, and something is hidden")
	}
}

// TestAMaskWithoutFieldsReplacesCredentialsAlone: an exchange needs no other object.
func TestAMaskWithoutFieldsReplacesCredentialsAlone(t *testing.T) {
	body := []byte(`{"Auth":{"Token":"` + aToken + `","Sign":"` + aSign + `","Cuit":20111111112},"DocNro":"12345678","Extra":"a text of some length"}`)
	r, none := redactor(), redactor().Mask(nil)
	none.Collect(body, true)
	for name, test := range map[string]struct{ got, want func() ([]byte, bool) }{
		"well-formed": {
			func() ([]byte, bool) { return none.Body(body, true, aToken, aSign) },
			func() ([]byte, bool) { return r.Inspected(body, aToken, aSign) },
		},
		"of any shape": {
			func() ([]byte, bool) { return none.Body(body, false, aToken, aSign) },
			func() ([]byte, bool) { return r.Body(body, aToken, aSign) },
		},
		"malformed": {
			func() ([]byte, bool) { return none.Malformed(body, aSign) },
			func() ([]byte, bool) { return r.Malformed(body, aSign) },
		},
	} {
		got, ok := test.got()
		want, _ := test.want()
		if !ok || string(got) != string(want) || bytes.Contains(got, []byte(aSign)) {
			t.Errorf("%s: %s, %v; want %s", name, got, ok, want)
		}
	}
	digest, finding := sha256.Sum256(body), audit.Finding{Pointer: "/DocNro", Got: "12345678"}
	if none.Digest(digest) != digest || none.Text("DocNro 12345678") != "DocNro 12345678" || none.Finding(finding) != finding {
		t.Error("no fields, and something is hidden")
	}
}

func TestPointersThatNameNothing(t *testing.T) {
	for _, pointer := range []string{"", "DocNro", "/", "/*", "/*/*"} {
		if _, err := mask.NewFields([]string{pointer}); err == nil {
			t.Errorf("%q: %v", pointer, err)
		}
	}
}
