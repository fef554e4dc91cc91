package mask_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
)

// malformed is the record of a request that was not of its operation's shape.
func malformed(request, message string) *audit.Record {
	return &audit.Record{
		Cuit: 20111111112, Request: []byte(request), Findings: []audit.Finding{{Code: "shape.kind", Severity: "SHAPE", Pointer: "/FeCAEReq"}},
		Client: &audit.Leg{Form: audit.FormSOAP11, Request: []byte(message)},
	}
}

// TestAMalformedRequestShowsNoNumberThatMayBeADocument, wherever it stands.
func TestAMalformedRequestShowsNoNumberThatMayBeADocument(t *testing.T) {
	for _, body := range []string{
		`{"DocNro":{"v":"20222222223"}}`, `{"DocNro":{"v":{"w":["AB-778899",20222222223]}}}`, `{"NroDoc":22333444}`, `{"ImpTotal":20222222223}`, `{"a":"22.333.444 o 22-33344455-5"}`,
		`{"Opcional":[{"Id":"62","Valor":{"v":"22333444"}}]}`, `{"Opcional":[{"Id":62.0,"Valor":"AB-778899"}]}`, `{"Opcional":[{"Id":"62","Id":"62","Valor":"22333444"}]}`, `{"Opcional":[{"Id":["62"],"Valor":["AB-778899"]}]}`,
		`{"22333444":1}`, `{"CAE":"22333444"}`, `{"CbteFch":"22333444"}`, `{"x":"MjIzMzM0NDQgeSAyMjMzMzQ0NA=="}`, `{"x":"\u0032\u0032333444"}`, `{"x":"٢٢٣٣٣٤٤٤"}`,
	} {
		m := mask.Of(20111111112, malformed(body, ""))
		shown, ok := m.JSON([]byte(body))
		if quotes := strings.ContainsAny(string(shown), "2358") && !strings.Contains(string(shown), `"62"`) && !strings.Contains(string(shown), "62.0"); !ok || quotes || strings.Contains(string(shown), "AB") || !strings.Contains(string(shown), mask.Hidden) {
			t.Errorf("%s is shown as %s", body, shown)
		}
	}
	const own = `{"Auth":{"Cuit":20111111112},"CbteFch":"20261120","CAEA":"21064126523746","PtoVta":4000,"ImpTotal":121.00,"CbteDesde":-1}`
	if shown, ok := mask.Of(20111111112, malformed(own, "")).JSON([]byte(own)); !ok || string(shown) != own {
		t.Errorf("%s became %s", own, shown)
	}
}

// TestAMalformedMessageShowsNoNumberThatMayBeADocument: in XML. What stands in a document, or in an attribute of its
// name, is hidden in any message.
func TestAMalformedMessageShowsNoNumberThatMayBeADocument(t *testing.T) {
	for _, message := range []string{
		`<r><DocNro><v>22333444</v></DocNro></r>`, `<r><DocNro><v><w>AB-778899</w></v></DocNro></r>`, `<r><a DocNro="AB-778899"/></r>`, `<r DocNro='22333444'>x</r>`, `<r><DocNro v="AB-778899"/></r>`,
		`<r><Opcional><Id>62</Id><Id>62</Id><Valor>22333444</Valor></Opcional></r>`, `<r><Opcional><Id>62.0</Id><Valor>22333444</Valor></Opcional></r>`,
		`<r><Opcional><Id>62</Id><Valor><v>22333444</v></Valor></Opcional></r>`, `<r><DocNro>AB<b/>778899</DocNro></r>`,
	} {
		for name, m := range map[string]*mask.Mask{"malformed": mask.Of(20111111112, malformed("", message)), "well-formed": mask.Of(20111111112, &audit.Record{Client: &audit.Leg{Form: audit.FormSOAP11, Request: []byte(message)}})} {
			shown, ok := m.XML([]byte(message), "")
			if !ok || strings.Contains(shown, "333") || strings.Contains(shown, "AB") || strings.Contains(shown, "778899") || !strings.Contains(shown, mask.Hidden) {
				t.Errorf("%s: %s is shown as %s", name, message, shown)
			}
		}
	}
	for _, message := range []string{
		`<r><NroDoc>22333444</NroDoc></r>`, `<r a="22333444"/>`, `<r><ImpTotal>20222222223</ImpTotal></r>`, `<n22333444/>`, `<r><!-- 22333444 --></r>`, `<r><Opcional><Valor>AB-778899</Valor></Opcional></r>`,
	} {
		shown, ok := mask.Of(20111111112, malformed("", message)).XML([]byte(message), "")
		if !ok || strings.Contains(shown, "22333444") || strings.Contains(shown, "20222222223") || strings.Contains(shown, "778899") {
			t.Errorf("%s is shown as %s", message, shown)
		}
	}
	const own = `<Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Cuit>20111111112</Cuit><CbteFch>20261120</CbteFch><CAEA>21064126523746</CAEA><DocNro xsi:nil="true"/></Envelope>`
	if shown, ok := mask.Of(20111111112, malformed("", own)).XML([]byte(own), ""); !ok || shown != own {
		t.Errorf("%s became %s", own, shown)
	}
}
