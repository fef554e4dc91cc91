package soap_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1/soap"
)

const soap11, soap12 = "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"

func envelope(namespace, inner string) []byte {
	return []byte(`<s:Envelope xmlns:s="` + namespace + `" xmlns:f="` + soap.Namespace + `">` + inner + `</s:Envelope>`)
}

func TestTheActionNamesTheOperationOrTheElement(t *testing.T) {
	const dummy, ultimo = `<s:Body><f:FEDummy/></s:Body>`, `<s:Body><f:FECompUltimoAutorizado/></s:Body>`
	for name, c := range map[string]struct {
		body, action, want string
		problem            soap.Problem
	}{
		"quotes":                            {dummy, `"http://ar.gov.afip.dif.FEV1/FEDummy"`, "FEDummy", 0},
		"no quotes":                         {dummy, `http://ar.gov.afip.dif.FEV1/FEDummy`, "FEDummy", 0},
		"no action":                         {ultimo, ``, "FECompUltimoAutorizado", 0},
		"an empty action":                   {ultimo, `""`, "", soap.UnknownAction},
		"an action of blanks":               {ultimo, ` `, "FECompUltimoAutorizado", 0},
		"an empty body":                     {`<s:Header/><s:Body> </s:Body>`, `"http://ar.gov.afip.dif.FEV1/FEDummy"`, "FEDummy", 0},
		"neither":                           {`<s:Body/>`, ``, "", soap.NoOperation},
		"another one":                       {dummy, `"http://ar.gov.afip.dif.FEV1/FECompUltimoAutorizado"`, "", soap.Mismatch},
		"an unknown action":                 {dummy, `"http://ar.gov.afip.dif.FEV1/FEXXX"`, "", soap.UnknownAction},
		"a foreign action":                  {dummy, `"urn:FEDummy"`, "", soap.UnknownAction},
		"an unknown element":                {`<s:Body><f:FEXXX/></s:Body>`, ``, "", soap.UnknownElement},
		"a foreign element":                 {`<s:Body><FEDummy/></s:Body>`, ``, "", soap.NoOperation},
		"a foreign element, with an action": {`<s:Body><FEDummy/></s:Body>`, `"http://ar.gov.afip.dif.FEV1/FEDummy"`, "FEDummy", 0},
		"another name, with an action":      {`<s:Body><f:FEXXX/></s:Body>`, `"http://ar.gov.afip.dif.FEV1/FEDummy"`, "FEDummy", 0},
		"a fault, with an action":           {`<s:Body><s:Fault/></s:Body>`, `"http://ar.gov.afip.dif.FEV1/FEDummy"`, "", soap.Mismatch},
	} {
		e, err := soap.Open(envelope(soap11, c.body), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		op, err := e.Route(c.action)
		if c.want != "" && (err != nil || op.Name != c.want) {
			t.Errorf("%s: %v, %v", name, op, err)
		}
		if c.want != "" {
			continue
		}
		refused, ok := errors.AsType[*soap.Error](err)
		if !ok || refused.Problem != c.problem {
			t.Errorf("%s: %v, %v", name, op, err)
			continue
		}
		if fault, status, ok := refused.Fault(); !ok || status != 500 || fault.Code != soap.Client || fault.Text == "" {
			t.Errorf("%s: %+v, %d", name, fault, status)
		}
	}
}

func TestAnUnknownActionHasTheFaultOfTheService(t *testing.T) {
	e, err := soap.Open(envelope(soap11, `<s:Body/>`), "")
	if err != nil {
		t.Fatal(err)
	}
	for action, want := range map[string]string{
		`""`:                                  "System.Web.Services.Protocols.SoapException: Server did not recognize the value of HTTP Header SOAPAction: .",
		`"http://ar.gov.afip.dif.FEV1/FEXXX"`: "System.Web.Services.Protocols.SoapException: Server did not recognize the value of HTTP Header SOAPAction: http://ar.gov.afip.dif.FEV1/FEXXX.",
		strings.Repeat("ñ\xFF", 5000):         "",
	} {
		_, err := e.Route(action)
		refused, ok := errors.AsType[*soap.Error](err)
		if !ok {
			t.Errorf("%.60s: %v", action, err)
			continue
		}
		if fault, _, _ := refused.Fault(); want != "" && fault.Text != want || len(fault.Text) > 500 || !utf8.ValidString(fault.Text) {
			t.Errorf("%.60s: %s", action, fault.Text)
		}
	}
}

func TestTheEnvelopeDecidesTheVersion(t *testing.T) {
	for namespace, want := range map[string]soap.Version{soap11: soap.V11, soap12: soap.V12} {
		e, err := soap.Open(envelope(namespace, `<s:Body><f:FEDummy/></s:Body>`), "")
		if err != nil || e.Version != want {
			t.Errorf("%s: %v, %v", namespace, e, err)
		}
	}
}

func TestHeadersAreIgnoredUnlessTheyMustBeUnderstood(t *testing.T) {
	const body = `<s:Body><f:FEDummy/></s:Body>`
	for header, want := range map[string]bool{
		`<s:Header/>`: true, `<s:Header><x xmlns="urn:x"><s:Body/></x><y/></s:Header>`: true, `<s:Header><x s:mustUnderstand="0"/></s:Header>`: true,
		`<s:Header><x mustUnderstand="1"/></s:Header>`: true, `<s:Header><x s:mustUnderstand="1"/></s:Header>`: false, `<s:Header><x/><y s:mustUnderstand=" true "/></s:Header>`: false,
	} {
		_, err := soap.Open(envelope(soap12, header+body), "")
		refused := new(soap.Error)
		if errors.As(err, &refused) == want || !want && refused.Problem != soap.NotUnderstood {
			t.Errorf("%s: %v", header, err)
		}
	}
}

func TestWhatIsNoEnvelopeIsRefused(t *testing.T) {
	for body, want := range map[string]struct {
		problem soap.Problem
		code    soap.FaultCode
		status  int
	}{
		``: {soap.NotXML, "", 400}, `hello`: {soap.NotXML, "", 400}, `{"Auth":{}}`: {soap.NotXML, "", 400},
		`<!DOCTYPE a [<!ENTITY b "c">]><a/>`:             {soap.NotXML, "", 400},
		"<a>\xFF</a>":                                    {soap.NotXML, "", 400},
		`<?xml version="1.0" encoding="shift_jis"?><a/>`: {soap.OtherCharset, soap.Client, 415},
		`<html/>`:                     {soap.NoEnvelope, soap.Client, 500},
		`<Envelope xmlns="urn:x"/>`:   {soap.OtherVersion, soap.VersionMismatch, 500},
		`<Envelope/>`:                 {soap.OtherVersion, soap.VersionMismatch, 500},
		string(envelope(soap11, ``)):  {soap.NoBody, soap.Client, 500},
		string(envelope(soap11, `x`)): {soap.NoBody, soap.Client, 500},
		string(envelope(soap11, `<s:Header/><s:Header/><s:Body/>`)):                {soap.NoBody, soap.Client, 500},
		string(envelope(soap11, `<Body/>`)):                                        {soap.NoBody, soap.Client, 500},
		string(envelope(soap11, `<b:Body xmlns:b="`+soap12+`"/>`)):                 {soap.NoBody, soap.Client, 500},
		string(envelope(soap11, `<s:Body>x<f:FEDummy/></s:Body>`)):                 {soap.NoBody, soap.Client, 500},
		string(envelope(soap11, `<s:Header><x s:mustUnderstand="1"/></s:Header>`)): {soap.NotUnderstood, soap.MustUnderstand, 500},
	} {
		_, err := soap.Open([]byte(body), "")
		refused := new(soap.Error)
		if !errors.As(err, &refused) || refused.Problem != want.problem {
			t.Errorf("%q: %v", body, err)
			continue
		}
		fault, status, ok := refused.Fault()
		if status != want.status || ok != (status != 400) || ok && (fault.Code != want.code || fault.Text == "") {
			t.Errorf("%q: %+v, %d, %v", body, fault, status, ok)
		}
	}
}

func TestAMessageIsReadAgainFromItsBeginning(t *testing.T) {
	body := files(t, "requests")["utf-16"]
	e, err := soap.Open(body, "")
	if err != nil {
		t.Fatal(err)
	}
	op := operation(t, "FECAESolicitar")
	if first, second := meaning(t, e.Decode(op).Body), meaning(t, e.Decode(op).Body); first != second || !strings.Contains(first, "20267565393") {
		t.Errorf("%s\n%s", first, second)
	}
}

func TestNothingFollowsTheBody(t *testing.T) {
	for inner, want := range map[string]string{
		`<s:Body><f:FEDummy/></s:Body>`: "", `<s:Body><f:FEDummy/></s:Body><x/>`: "shape.trailing", `<s:Body><f:FEDummy/><f:FEDummy/></s:Body>`: "shape.trailing",
		`<s:Body><f:FEDummy/>x</s:Body>`: "shape.trailing", `<s:Body><f:FEDummy/></s:Body></s:Envelope><s:Envelope xmlns:s="urn:x">`: "shape.trailing",
	} {
		if got := strings.Join(brief(read(t, envelope(soap11, inner)).Findings), ","); got != want {
			t.Errorf("%s: %q, want %q", inner, got, want)
		}
	}
}
