package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestAnElementThatIsNotSeenHasNoMembers: the service takes FEDummy with an element of any namespace, and
// of other operations says what it misses. So does the gateway, and sends what it has read.
func TestAnElementThatIsNotSeenHasNoMembers(t *testing.T) {
	service := newSOAPService(t)
	s := caddytest.Start(t, toSOAP(service.URL), caddytest.Exactly...)
	for _, version := range soapVersions {
		for _, space := range []string{"", "urn:x", "http://ar.gov.afip.dif.fev1/"} {
			element := func(operation, content string) string {
				return `<s:Envelope xmlns:s="` + version.Namespace() + `"><s:Body><` + operation + ` xmlns="` + space + `">` + content + `</` + operation + `></s:Body></s:Envelope>`
			}
			got := s.Send(version, "FEDummy", element("FEDummy", "<Auth/>"))
			if body := parsed(t, "FEDummy", got).Body.(*wsfev1.FEDummyAnswer); got.Status != 200 || body.AppServer != "OK" {
				t.Errorf("FEDummy of %q: %d\n%s", space, got.Status, got.Body)
			}
			if sent, _ := service.Last(); !strings.Contains(string(sent), `<FEDummy xmlns="`+soap.Namespace+`" />`) {
				t.Errorf("FEDummy of %q went as\n%s", space, sent)
			}
			before := service.Hits.Load()
			for _, op := range wsfev1.Operations {
				if len(op.Request.Members) == 0 {
					continue
				}
				got := s.Send(version, op.Name, element(op.Name, `<Auth xmlns="`+soap.Namespace+`"><Cuit>20111111112</Cuit></Auth>`))
				answer := parsed(t, op.Name, got)
				failed, ok := answer.Body.(interface{ Failures() []wsfev1.Err })
				if got.Status != 200 || !ok || len(failed.Failures()) != 1 || failed.Failures()[0].Code != 500 {
					t.Errorf("%s of %q: %d\n%s", op.Name, space, got.Status, got.Body)
				}
			}
			if service.Hits.Load() != before {
				t.Error("the service was asked")
			}
		}
	}
}

// TestAnEmptyActionIsOneThatIsNotKnown in SOAP 1.1 alone, where nothing else names an action; none at all
// leaves it to the element.
func TestAnEmptyActionIsOneThatIsNotKnown(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	const unknown = "Server did not recognize the value of HTTP Header SOAPAction: ."
	for name, c := range map[string]struct {
		version soap.Version
		header  http.Header
		status  int
	}{
		"none":                        {soap.V11, http.Header{"Content-Type": {"text/xml"}}, 200},
		"nothing":                     {soap.V11, http.Header{"Content-Type": {"text/xml"}, "Soapaction": {""}}, 200},
		"quotes":                      {soap.V11, http.Header{"Content-Type": {"text/xml; charset=utf-8"}, "Soapaction": {`""`}}, 500},
		"quotes and blanks":           {soap.V11, http.Header{"Content-Type": {"text/xml"}, "Soapaction": {` " " `}}, 500},
		"twice":                       {soap.V11, http.Header{"Content-Type": {"text/xml"}, "Soapaction": {`""`, `""`}}, 500},
		"beside one":                  {soap.V11, http.Header{"Content-Type": {`text/xml; action="` + soap.ActionPrefix + `FEDummy"`}, "Soapaction": {`""`}}, 200},
		"quotes in SOAP 1.2":          {soap.V12, http.Header{"Content-Type": {"application/soap+xml"}, "Soapaction": {`""`}}, 200},
		"a parameter without a value": {soap.V12, http.Header{"Content-Type": {`application/soap+xml; action=""`}}, 200},
	} {
		got := s.Send(c.version, "FEDummy", s.Message(c.version, "FEDummy", "{}"), func(r *http.Request) { r.Header = c.header })
		if got.Status != c.status || strings.Contains(string(got.Body), unknown) != (c.status == 500) {
			t.Errorf("%s: %d\n%s", name, got.Status, got.Body)
		}
	}
}
