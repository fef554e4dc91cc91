package view

import (
	"strings"
	"testing"

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
          </FECAEDetRequest>
        </FeDetReq>
      </FeCAEReq>
    </FECAESolicitar>
  </s:Body>
</s:Envelope>
`
	findings := []audit.Finding{{Code: "10048", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/1/ImpTotal"}}
	if _, ok := IndentXML([]byte(message), "FECAESolicitar", findings); ok {
		t.Error("XML with a control character")
	}
	clean := strings.NewReplacer("\x1b", "", "[31m", "").Replace(message)
	got, ok := IndentXML([]byte(clean), "FECAESolicitar", findings)
	if !ok || got != want {
		t.Errorf("%v\n%s", ok, got)
	}
}
