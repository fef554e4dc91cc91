package wsaa_test

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// TestTheArgumentIsFound in the envelopes of all clients.
func TestTheArgumentIsFound(t *testing.T) {
	const body11 = `xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"`
	for name, test := range map[string]struct {
		message, in0 string
		version      wsaa.SOAP
	}{
		"a prefix":                         {wsaatest.Envelope("QUJD"), "QUJD", wsaa.SOAP11},
		"a default namespace":              {`<s:Envelope ` + body11 + `><s:Body><loginCms xmlns="http://wsaa.view.sua.dvadac.desein.afip.gov"><in0>QUJD</in0></loginCms></s:Body></s:Envelope>`, "QUJD", wsaa.SOAP11},
		"in0 without a namespace":          {`<s:Envelope ` + body11 + `><s:Body><w:loginCms xmlns:w="https://wsaahomo.afip.gov.ar/ws/services/LoginCms"><in0>QUJD</in0></w:loginCms></s:Body></s:Envelope>`, "QUJD", wsaa.SOAP11},
		"the wrong namespace":              {`<s:Envelope ` + body11 + `><s:Body><loginCms xmlns="urn:wrong"><in0>QUJD</in0></loginCms></s:Body></s:Envelope>`, "QUJD", wsaa.SOAP11},
		"two prefixes of SOAP":             {`<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ns1="http://schemas.xmlsoap.org/soap/envelope/"><SOAP-ENV:Header/><ns1:Body><x:loginCms xmlns:x="y"><x:in0>QUJD</x:in0></x:loginCms></ns1:Body></SOAP-ENV:Envelope>`, "QUJD", wsaa.SOAP11},
		"types":                            {`<s:Envelope ` + body11 + ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><loginCms><in0 xsi:type="xsd:string">QUJD</in0></loginCms></s:Body></s:Envelope>`, "QUJD", wsaa.SOAP11},
		"SOAP 1.2":                         {`<?xml version='1.0' encoding='utf-8'?><e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body><loginCms><in0>QUJD</in0></loginCms></e:Body></e:Envelope>`, "QUJD", wsaa.SOAP12},
		"another name":                     {strings.ReplaceAll(wsaatest.Envelope("QUJD"), "w:in0", "request"), "QUJD", wsaa.SOAP11},
		"not the first one":                {strings.Replace(wsaatest.Envelope("QUJD"), "<w:in0>", "<w:x>x</w:x><w:in0>", 1), "QUJD", wsaa.SOAP11},
		"lines":                            {wsaatest.Envelope("\nQU\r\nJD&#13;\n"), "\nQU\nJD\r\n", wsaa.SOAP11},
		"CDATA":                            {wsaatest.Envelope("<![CDATA[QU]]>JD"), "QUJD", wsaa.SOAP11},
		"empty":                            {wsaatest.Envelope(""), "", wsaa.SOAP11},
		"ISO 8859-1":                       {strings.Replace(wsaatest.Envelope("QUJD<!-- \xf1 -->"), "UTF-8", "iso-8859-1", 1), "QUJD", wsaa.SOAP11},
		"a byte order mark":                {"\ufeff" + wsaatest.Envelope("QUJD"), "QUJD", wsaa.SOAP11},
		"a header that must be understood": {strings.Replace(wsaatest.Envelope("QUJD"), "<soapenv:Header/>", `<soapenv:Header><x soapenv:mustUnderstand="0"/></soapenv:Header>`, 1), "QUJD", wsaa.SOAP11},
	} {
		version, got, fault := wsaa.ReadEnvelope([]byte(test.message))
		if fault != nil || got != test.in0 || version != test.version {
			t.Errorf("%s: %q, %v, %v", name, got, version, fault)
		}
	}
}

// TestWhatIsNoEnvelope is refused in the words of the framework.
func TestWhatIsNoEnvelope(t *testing.T) {
	good := wsaatest.Envelope("QUJD")
	for name, test := range map[string]struct{ message, want string }{
		"nothing":       {"", "org.xml.sax.SAXParseException; lineNumber: 1; columnNumber: 1; Premature end of file."},
		"text":          {"QUJD", "Content is not allowed in prolog."},
		"JSON":          {`{"in0":"QUJD"}`, "Content is not allowed in prolog."},
		"cut":           {good[:len(good)-4], "XML document structures must start and end within the same entity."},
		"crossed":       {strings.Replace(good, "</w:in0></w:loginCms>", "</w:loginCms></w:in0>", 1), `The element type "in0" must be terminated by the matching end-tag "</in0>".`},
		"no markup":     {strings.Replace(good, "QUJD", "<<", 1), "The content of elements must consist of well-formed character data or markup."},
		"entity":        {strings.Replace(good, "QUJD", "&bomb;", 1), "The content of elements"},
		"document type": {"<!DOCTYPE a [<!ENTITY b 'c'>]>" + good, "DOCTYPE is disallowed"},
		"two roots":     {good + "<a/>", "Content is not allowed in trailing section."},
		"text behind":   {good + "a", "Content is not allowed in trailing section."},
		"deep":          {strings.Repeat("<a>", 100_000), "The content of elements"},
		"many":          {strings.Replace(good, "QUJD", strings.Repeat("<a/>", 2000), 1), "The content of elements"},
		"another root":  {"<a/>", "org.xml.sax.SAXException: Bad envelope tag:  a"},
		"another SOAP":  {strings.Replace(good, "schemas.xmlsoap.org", "example.com", 1), "Bad envelope tag:  Envelope"},
		"no body":       {`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>`, "javax.ejb.EJBException: java.lang.NullPointerException"},
		"empty body":    {`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>`, "javax.ejb.EJBException: java.lang.NullPointerException"},
		"no argument":   {strings.Replace(good, "<w:in0>QUJD</w:in0>", "", 1), "javax.ejb.EJBException: java.lang.NullPointerException"},
		"UTF-16":        {strings.Replace(good, "UTF-8", "UTF-16", 1), "The content of elements"},
	} {
		_, _, fault := wsaa.ReadEnvelope([]byte(test.message))
		if fault == nil || fault.Code != "Server.userException" || !strings.Contains(fault.Text, test.want) || fault.Reason == nil {
			t.Errorf("%s: %v", name, fault)
		}
	}
}

const (
	head11 = `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>`
	head12 = `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://www.w3.org/2003/05/soap-envelope" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>`
	tail   = `</soapenv:Body></soapenv:Envelope>`
	class  = `<ns2:exceptionName xmlns:ns2="http://xml.apache.org/axis/">gov.afip.desein.dvadac.sua.view.wsaa.LoginFault</ns2:exceptionName><ns3:hostname xmlns:ns3="http://xml.apache.org/axis/">fielato</ns3:hostname>`
)

// TestFaultsAreWrittenAsTheServiceDoes, byte for byte.
func TestFaultsAreWrittenAsTheServiceDoes(t *testing.T) {
	_, _, exception := wsaa.ReadEnvelope([]byte(`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>`))
	for name, test := range map[string]struct {
		version wsaa.SOAP
		fault   *wsaa.Fault
		want    string
	}{
		"of login": {
			wsaa.SOAP11, wsaa.NewFault("cms.sign.invalid", nil),
			head11 + `<soapenv:Fault><faultcode xmlns:ns1="http://xml.apache.org/axis/">ns1:cms.sign.invalid</faultcode><faultstring>Firma inv&#xE1;lida o algoritmo no soportado</faultstring><detail>` + class + `</detail></soapenv:Fault>` + tail,
		},
		"of login in SOAP 1.2": {
			wsaa.SOAP12, wsaa.NewFault("cms.bad", nil),
			head12 + `<soapenv:Fault><soapenv:Code xmlns:ns1="http://xml.apache.org/axis/"><soapenv:Value>ns1:cms.bad</soapenv:Value></soapenv:Code><soapenv:Reason><soapenv:Text xml:lang="en">El CMS no es valido</soapenv:Text></soapenv:Reason><soapenv:Detail>` + class + `</soapenv:Detail></soapenv:Fault>` + tail,
		},
		"of the framework": {
			wsaa.SOAP11, exception,
			head11 + `<soapenv:Fault><faultcode>soapenv:Server.userException</faultcode><faultstring>javax.ejb.EJBException: java.lang.NullPointerException</faultstring><detail><ns1:hostname xmlns:ns1="http://xml.apache.org/axis/">fielato</ns1:hostname></detail></soapenv:Fault>` + tail,
		},
	} {
		if got := string(test.version.Fault(test.fault)); got != test.want {
			t.Errorf("%s:\n%s\n%s", name, got, test.want)
		}
	}
	missing := string(wsaa.SOAP11.Fault(wsaa.NoSOAPActionFault()))
	if !strings.Contains(missing, `<faultcode xmlns:ns1="http://xml.apache.org/axis/">ns1:Client.NoSOAPAction</faultcode>`) ||
		!strings.Contains(missing, "<faultstring>no SOAPAction header!</faultstring>") || !strings.Contains(missing, "\n <soapenv:Body>\n") {
		t.Error(missing)
	}
}

// TestEveryFaultHasItsText, and is a document in both versions.
func TestEveryFaultHasItsText(t *testing.T) {
	texts := map[string]string{
		"cms.bad.base64": "No se puede decodificar el BASE64", "cms.bad": "El CMS no es valido",
		"cms.cert.notFound": "No se ha encontrado certificado de firmador", "cms.sign.invalid": "Firma inválida o algoritmo no soportado",
		"cms.cert.invalid": "Certificado con fecha de generacion posterior a la actual", "cms.cert.expired": "Certificado expirado",
		"cms.cert.untrusted": "Certificado no emitido por AC de confianza", "xml.bad": "No se ha podido interpretar el XML contra el SCHEMA",
		"xml.version.notSupported": "La versión del documento no es soportada", "xml.source.invalid": "El atributo 'source' no se corresponde con el DN del Certificado",
		"xml.destination.invalid":    "El atributo 'destination' no se corresponde con el DN del WSAA",
		"xml.generationTime.invalid": "generationTime posee formato o dato inválido (ej: en el futuro o más de 24 horas de antigüedad)",
		"xml.expirationTime.expired": "El tiempo de expiración es inferior a la hora actual", "xml.expirationTime.invalid": "El tiempo de expiración del documento es superior a 24 horas",
		"wsn.notFound": "Servicio informado inexistente", "coe.notAuthorized": "Computador no autorizado a acceder al servicio",
		"coe.alreadyAuthenticated": "El CEE ya posee un TA valido para el acceso al WSN solicitado",
		"wsn.unavailable":          "El servicio al que se desea acceder se encuentra momentáneamente fuera de servicio",
		"wsaa.unavailable":         "El servicio de autenticación/autorización se encuentra momentáneamente fuera de servicio",
		"wsaa.internalError":       "No se ha podido procesar el requerimiento",
	}
	if codes := wsaa.FaultCodes(); len(codes) != len(texts) {
		t.Errorf("%d codes: %v", len(codes), codes)
	}
	for code, want := range texts {
		var eleven struct {
			Code string `xml:"Body>Fault>faultcode"`
			Text string `xml:"Body>Fault>faultstring"`
		}
		var twelve struct {
			Code string `xml:"Body>Fault>Code>Value"`
			Text string `xml:"Body>Fault>Reason>Text"`
		}
		fault := wsaa.NewFault(code, errors.New("a reason that the client does not get"))
		err := errors.Join(xml.Unmarshal(wsaa.SOAP11.Fault(fault), &eleven), xml.Unmarshal(wsaa.SOAP12.Fault(fault), &twelve))
		if err != nil || eleven.Code != "ns1:"+code || twelve.Code != "ns1:"+code || eleven.Text != want || twelve.Text != want {
			t.Errorf("%s: %v, %+v, %+v", code, err, eleven, twelve)
		}
	}
	if wsaa.NewFault("cms.good", nil) != nil {
		t.Error("a code that there is not has a fault")
	}
}

// TestTheTicketIsTextInTheAnswer, and comes out as it went in.
func TestTheTicketIsTextInTheAnswer(t *testing.T) {
	ticket := wsfev1.Secret("<?xml version=\"1.0\"?>\n<a b='é &amp; ñ'>\U0001f512</a>\n")
	want := `<loginCmsResponse xmlns="http://wsaa.view.sua.dvadac.desein.afip.gov"><loginCmsReturn>&lt;?xml version=&quot;1.0&quot;?&gt;` + "\n" +
		`&lt;a b='&#xE9; &amp;amp; &#xF1;'&gt;&#x1F512;&lt;/a&gt;` + "\n" + `</loginCmsReturn></loginCmsResponse>`
	if got := string(wsaa.SOAP11.Answer(ticket)); got != head11+want+tail {
		t.Error(got)
	}
	if got := string(wsaa.SOAP12.Answer(ticket)); got != head12+want+tail {
		t.Error(got)
	}
	var read struct {
		Return string `xml:"Body>loginCmsResponse>loginCmsReturn"`
	}
	if err := xml.Unmarshal(wsaa.SOAP11.Answer(ticket), &read); err != nil || read.Return != ticket.Reveal() {
		t.Errorf("%v: %q", err, read.Return)
	}
}

// TestTheDescriptionChangesItsAddressAlone: a namespace in it names the service.
func TestTheDescriptionChangesItsAddressAlone(t *testing.T) {
	here := string(wsaa.Description("localhost:8080", "http://localhost:8080/ws/services/LoginCms?a=1&b"))
	there := string(wsaa.Description("wsaahomo.afip.gov.ar", "https://wsaahomo.afip.gov.ar/ws/services/LoginCms"))
	if strings.Replace(here, "http://localhost:8080/ws/services/LoginCms?a=1&amp;b", "https://wsaahomo.afip.gov.ar/ws/services/LoginCms", 1) != there {
		t.Errorf("%s\n%s", here, there)
	}
	for _, part := range []string{
		`targetNamespace="https://wsaahomo.afip.gov.ar/ws/services/LoginCms"`, `name="LoginCMSService"`, `<wsdl:port name="LoginCms"`, `soapAction=""`,
	} {
		if !strings.Contains(here, part) {
			t.Errorf("%s is not in it", part)
		}
	}
	if production := string(wsaa.Description("WSAA.afip.gov.ar", "https://x/")); !strings.Contains(production, `targetNamespace="https://wsaa.afip.gov.ar/ws/services/LoginCms"`) ||
		strings.Contains(production, "wsaahomo") {
		t.Error(production)
	}
	if err := xml.Unmarshal([]byte(here), new(struct{})); err != nil || strings.Contains(here, "{") {
		t.Errorf("%v: %s", err, here)
	}
}
