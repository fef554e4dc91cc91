package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
)

// TestWhatRepeatsADocumentIsHidden in any way in which people and programs write it.
func TestWhatRepeatsADocumentIsHidden(t *testing.T) {
	m := mask.New(20111111112)
	m.Collect([]byte(`{"a":[{"DocNro":20222222223},{"docnro":"22.333.444"},{"DocNro":0},{"DocNro":1234},{"DocNro":{"x":["AB-778899"]}},{"DocNro":20111111112}]}`))
	for text, want := range map[string]string{
		"CUIT 20222222223 no está":                     "CUIT ••• no está",
		"CUIT 20-22222222-3.":                          "CUIT •••.",
		"80 20222222223 y 20.222.222.223":              "80 ••• y •••",
		"x20222222223y":                                "x•••y",
		"DNI 22333444, 22 333 444":                     "DNI •••, •••",
		"٢٠٢٢٢٢٢٢٢٢٣":                                  "•••",
		"el 1234 solo, no 71234 ni 12345":              "el ••• solo, no 71234 ni 12345",
		"pasaporte ab-778899":                          "pasaporte •••",
		"emisor 20-11111111-2, total 121.00":           "emisor 20-11111111-2, total 121.00",
		"":                                             "",
		"\xff20222222223\xff":                          "\xff•••\xff",
		"2022222222":                                   "2022222222",
		"https://x/?c=20222222223&d=0":                 "https://x/?c=•••&d=0",
		strings.Repeat("9", 50) + "20222222223" + "99": strings.Repeat("9", 50) + "•••99",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := (*mask.Mask)(nil).Text("20222222223"); got != "20222222223" {
		t.Errorf("no mask hid %q", got)
	}
}

// TestABodyKeepsAllOtherBytes, and its own numbers.
func TestABodyKeepsAllOtherBytes(t *testing.T) {
	m := mask.New(20111111112)
	const body = ` { "Auth":{"Token":"hmac-sha256:00","Cuit":20222222223}, "DocNro" : 20222222223 ,"CAE":"12022222222300","Msg":"de 20-22222222-3 \u0032022222222-3",` +
		`"ImpTotal":20222222223,"NroDoc":20222222223,"20222222223":[1.50],"DocNro":{"a":"20222222223","20222222223":null}}`
	m.Collect([]byte(body))
	const want = ` { "Auth":{"Token":"hmac-sha256:00","Cuit":20222222223}, "DocNro" : "•••" ,"CAE":"12022222222300","Msg":"de ••• •••",` +
		`"ImpTotal":20222222223,"NroDoc":"•••","•••":[1.50],"DocNro":{"•••":"•••","•••":null}}`
	got, ok := m.JSON([]byte(body))
	if !ok || string(got) != want {
		t.Errorf("%v\n%s, want\n%s", ok, got, want)
	}
	if _, ok := m.JSON([]byte(`{"DocNro":20222222223`)); ok {
		t.Error("half a body is shown")
	}
	const hidden = `{"DocNro":"hmac-sha256:0011","Doc":0}`
	if got, ok := m.JSON([]byte(hidden)); !ok || string(got) != hidden {
		t.Errorf("what the trail does not keep became %s", got)
	}
}

// TestTooManyDocumentsToLookForHideAllTexts, quickly.
func TestTooManyDocumentsToLookForHideAllTexts(t *testing.T) {
	m := mask.New(0)
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"DocNro":"doc-x%d"}`, i)
	}
	m.Collect([]byte("[" + strings.ReplaceAll(b.String(), "}{", "},{") + "]"))
	if got := m.Text("doc-x19999 y nada más"); got != mask.Hidden {
		t.Errorf("the text is %q", got)
	}
	one := mask.New(0)
	one.Collect([]byte(`{"DocNro":"ab"} {"DocNro":"abcd"}`))
	if got := one.Text(strings.Repeat("ABCD ", 200_000)); strings.Contains(got, "ABCD") {
		t.Error("a word is left")
	}
	if got := one.Text("\u0130 abcd"); got != mask.Hidden {
		t.Errorf("letters of another length leave %q", got)
	}
}

func TestAMessageIsMasked(t *testing.T) {
	m := mask.New(20111111112)
	const message = `<?xml version="1.0"?><!-- 20-22222222-3 --><e:E xmlns:e="x"><a b="20222222223" c="&#50;0222222223"/><DocNro>2022<![CDATA[2222]]>22&#51;</DocNro>` +
		`<ImpTotal>20222222223</ImpTotal><Msg>el &#50;0222222223 &lt;</Msg></e:E>`
	m.CollectXML([]byte(message), "")
	got, ok := m.XML([]byte(message), "")
	if !ok || strings.Count(got, "20222222223") != 1 || strings.Contains(got, "20-22222222-3") || strings.Contains(got, "0222222223") && !strings.Contains(got, "<ImpTotal>20222222223</ImpTotal>") {
		t.Errorf("%v %s", ok, got)
	}
	if !strings.Contains(got, "<Msg>el ••• &lt;</Msg>") || !strings.Contains(got, "<DocNro>•••") || strings.Contains(got, "&#50;") {
		t.Errorf("got %s", got)
	}
	if _, ok := m.XML([]byte("<DocNro>20222222223"), ""); ok {
		t.Error("half a message is shown")
	}
}

func TestAFindingAboutADocumentQuotesNothing(t *testing.T) {
	m := mask.New(0)
	m.Collect([]byte(`{"DocNro":12}`))
	f := m.Finding(audit.Finding{Pointer: "/FeDetReq/0/DocNro", Text: "DocNro 12 no vale", Expected: "11 dígitos", Got: "12"})
	if f.Got != mask.Hidden || f.Text != "DocNro ••• no vale" || f.Expected != "11 dígitos" {
		t.Errorf("%+v", f)
	}
	if f := m.Finding(audit.Finding{Pointer: "/FeDetReq/0/ImpTotal", Text: "12", Got: "12"}); f.Got != "12" {
		t.Errorf("%+v", f)
	}
}
