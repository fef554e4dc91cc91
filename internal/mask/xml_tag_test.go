package mask_test

import (
	"strings"
	"testing"
)

// TestXMLKeepsNoLongNames: what stands where a name or an address belongs is
// none of the interface, so it may be a ticket although no other place shows it.
func TestXMLKeepsNoLongNames(t *testing.T) {
	run := strings.Repeat("QUJDREVG", 5)
	for name, body := range map[string]string{
		"a prefix":                  `<` + run + `:a xmlns:` + run + `="urn:a"/>`,
		"a prefix that is not used": `<a xmlns:` + run + `="urn:a"/>`,
		"an attribute":              `<a ` + run + `="1"/>`,
		"an attribute's prefix":     `<a xmlns:` + run + `="urn:a" ` + run + `:b="1"/>`,
		"a namespace":               `<a xmlns="` + leakToken + `"/>`,
		"a namespace with a scheme": `<a xmlns:b="http://x/` + run + `/y"/>`,
		"a namespace with blanks":   `<a xmlns:b = "` + leakToken + `" />`,
		"a namespace in pieces":     `<a xmlns="` + strings.Repeat("urn:QUJDREVG/", 12) + `"/>`,
		"a place of a schema":       `<a schemaLocation="` + leakToken + ` x.xsd"/>`,
		"an encoding":               `<a encodingStyle="` + leakToken + `"/>`,
		"a namespace in the header": `<Header xmlns="` + leakToken + `"/>`,
		"an instruction's target":   `<?` + run + ` x?><a/>`,
	} {
		if kept, ok := redactor().Mask(nil).XML([]byte(envelope(body)), "", true); ok || kept != nil {
			t.Errorf("%s: %s", name, kept)
		}
	}
	for _, attributes := range []string{
		`xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"`, `xmlns:x="http://www.w3.org/2001/XMLSchema-instance"`,
		`xmlns:ns0="http://ar.gov.afip.dif.FEV1/"`, `xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/"`, `encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"`,
		`schemaLocation="http://ar.gov.afip.dif.FEV1/ https://wswhomo.afip.gov.ar/wsfev1/service.asmx?WSDL"`, `xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing"`,
	} {
		message := envelope(`<FEDummy ` + attributes + `/>`)
		if kept, ok := redactor().Mask(nil).XML([]byte(message), "", true); !ok || string(kept) != message {
			t.Errorf("%s: %v %s", attributes, ok, kept)
		}
	}
}
