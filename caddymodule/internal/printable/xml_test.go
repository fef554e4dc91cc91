package printable

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/fielato/fielato/audit"
)

func TestXMLIsIndentedWithItsFindings(t *testing.T) {
	message := `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` +
		`<FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/"><FeCAEReq><FeDetReq><FECAEDetRequest><ImpTotal> 1 </ImpTotal></FECAEDetRequest>` +
		"\n<FECAEDetRequest><ImpTotal>2&amp;\x1b[31m</ImpTotal><Iva/><!-- x --></FECAEDetRequest></FeDetReq></FeCAEReq></FECAESolicitar></s:Body></s:Envelope>"
	const want = `<?xml version="1.0"?>
<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">
  <s:Body>
    <FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/">
      <FeCAEReq>
        <FeDetReq>
          <FECAEDetRequest>
            <ImpTotal>1</ImpTotal>
          </FECAEDetRequest>
          <FECAEDetRequest>
            <ImpTotal>2&amp;</ImpTotal>  <!-- 10048 refuse -->
            <Iva/>
            <!-- x -->
          </FECAEDetRequest>  <!-- 10246 observe /CondicionIVAReceptorId -->
        </FeDetReq>
      </FeCAEReq>
    </FECAESolicitar>  <!-- shape.missing refuse /Auth -->
  </s:Body>
</s:Envelope>
`
	const invoice = "/FeCAEReq/FeDetReq/FECAEDetRequest/1"
	findings := []audit.Finding{
		{Code: "10048", Action: "refuse", Pointer: invoice + "/ImpTotal"},
		{Code: "10246", Action: "observe", Pointer: invoice + "/CondicionIVAReceptorId"},
		{Code: "shape.missing", Action: "refuse", Pointer: "/Auth"},
	}
	if _, ok := IndentXML([]byte(message), "", "FECAESolicitar", findings); ok {
		t.Error("XML with a control character")
	}
	clean := strings.NewReplacer("\x1b", "", "[31m", "").Replace(message)
	got, ok := IndentXML([]byte(clean), "", "FECAESolicitar", findings)
	if !ok || got != want {
		t.Errorf("%v\n%s", ok, got)
	}
}

// TestHostileXMLIsPrintedHarmless: nothing in it moves a cursor, turns a line around, or breaks one.
func TestHostileXMLIsPrintedHarmless(t *testing.T) {
	const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><FEParamGetCotizacion xmlns="http://ar.gov.afip.dif.FEV1/">`
	const end = "</FEParamGetCotizacion></s:Body></s:Envelope>"
	for name, text := range map[string]string{
		"of one byte": "\u009b31m\u0085\u007f", "from right to left": "\u202eabc\u2066\u200f", "by reference": "&#x9b;&#x202e;",
		"in a comment": "<!-- \u009b\u202e -->", "in an instruction": "<?x \u009b\u202e?>", "in an attribute": "<a b='\u009b\u202e'/>",
		"in CDATA": "<![CDATA[\u009b\u202e</a>]]>", "with lines": "a\r\n\u2028\u2029b", "no width": "\u200b\ufeff",
		"in a name": "<a\u200c\u200d/>",
	} {
		finding := audit.Finding{Code: "1\x1b", Action: "\u202e", Pointer: "/MonId\x1b"}
		got, ok := IndentXML([]byte(body+"<MonId>"+text+"</MonId>"+end), "", "FEParamGetCotizacion", []audit.Finding{finding})
		if !ok || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) {
			t.Errorf("%s: %v, %q", name, ok, got)
		}
	}
}

// TestLongXMLIsPrintedInLinearTime, with as many findings as are kept.
func TestLongXMLIsPrintedInLinearTime(t *testing.T) {
	const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/"><FeCAEReq><FeDetReq>`
	const end = "</FeDetReq></FeCAEReq></FECAESolicitar></s:Body></s:Envelope>"
	findings := make([]audit.Finding, 2000)
	for i := range findings {
		findings[i] = audit.Finding{Code: "1", Action: "refuse", Pointer: fmt.Sprintf("/FeCAEReq/FeDetReq/FECAEDetRequest/%d/ImpTotal", i)}
	}
	for name, content := range map[string]string{
		"one line":     "<FECAEDetRequest><MonId>" + strings.Repeat("x ", 1<<19) + "</MonId></FECAEDetRequest>",
		"many items":   strings.Repeat("<FECAEDetRequest><ImpTotal>1</ImpTotal></FECAEDetRequest>", 20_000),
		"many lines":   strings.Repeat("<a/>", 1<<18),
		"one comment":  "<!-- " + strings.Repeat("\u009b", 1<<18) + " -->",
		"control text": strings.Repeat("\u009b", 1<<18),
	} {
		got, ok := IndentXML([]byte(body+content+end), "", "FECAESolicitar", findings)
		if want := len(findings); !ok || strings.Count(got, "<!-- 1 refuse") != want {
			t.Errorf("%s: %v, %d findings, want %d", name, ok, strings.Count(got, "<!-- 1 refuse"), want)
		}
	}
}
