package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestRequestsGoToAServiceThatSpeaksSOAP from clients of each form, in the version that is set or
// that the client has.
func TestRequestsGoToAServiceThatSpeaksSOAP(t *testing.T) {
	for _, version := range soapVersions {
		t.Run(version.String(), func(t *testing.T) {
			service := newSOAPService(t)
			s := caddytest.Start(t, toSOAP(service.URL, "soap "+version.String()), "replay on", "recover within 5s")
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" || got.Header.Get("Content-Type") != "application/json" {
				t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
			}
			message, header := service.Last()
			if media := header.Get("Content-Type"); !strings.HasPrefix(media, strings.TrimSuffix(version.MediaType(), "; charset=utf-8")) {
				t.Errorf("it went as %s\n%s", media, message)
			}
			for i, own := range soapVersions {
				message := s.Message(own, "FECAESolicitar", caddytest.Invoice(2+i))
				got := s.Send(own, "FECAESolicitar", message)
				if issued(t, got) == "" || got.Header.Get("Content-Type") != own.MediaType() {
					t.Errorf("%d %v\n%s", got.Status, got.Header, got.Body)
				}
				if sent, _ := service.Last(); string(sent) != message {
					t.Errorf("the client sent\n%s\nand the service got\n%s", message, sent)
				}
				if !strings.Contains(string(got.Body), "<ambiente>Prueba</ambiente>") {
					t.Errorf("the client did not get the service's own answer:\n%s", got.Body)
				}
			}
			before := service.Hits.Load()
			for i := 1; i <= 3; i++ {
				for _, own := range soapVersions {
					if again := s.Call(own, "FECAESolicitar", caddytest.Invoice(i)); again.Header.Get("Wsfev1-Outcome") != "replayed" || issued(t, again) == "" {
						t.Errorf("%v\n%s", again.Header, again.Body)
					}
				}
			}
			if service.Hits.Load() != before {
				t.Errorf("a repeat was sent again")
			}
		})
	}
}

// TestCertaintyOfAnswersInSOAP: what an answer means for the request, with and without the invoice
// being issued.
func TestCertaintyOfAnswersInSOAP(t *testing.T) {
	envelope := func(body string) string {
		return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` +
			body + `</soap:Body></soap:Envelope>`
	}
	fault := func(code string) string {
		return envelope(`<soap:Fault><faultcode>soap:` + code + `</faultcode><faultstring>no</faultstring><detail /></soap:Fault>`)
	}
	errors := func(code int) string {
		return envelope(fmt.Sprintf(`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult>`+
			`<Errors><Err><Code>%d</Code><Msg>no</Msg></Err></Errors></FECAESolicitarResult></FECAESolicitarResponse>`, code))
	}
	const unknown, refused = "unknown", "rejected"
	for name, c := range map[string]struct {
		status      int
		media, body string
		want        string // unknown: the gateway asks; refused: nothing was issued, and nothing is asked
	}{
		"600":                 {200, "text/xml", errors(600), refused},
		"601":                 {200, "text/xml", errors(601), refused},
		"10000":               {200, "text/xml", errors(10000), refused},
		"500":                 {200, "text/xml", errors(500), unknown},
		"501":                 {200, "text/xml", errors(501), unknown},
		"502":                 {200, "text/xml", errors(502), unknown},
		"Client":              {500, "text/xml", fault("Client"), refused},
		"Client, as 400":      {400, "text/xml", fault("Client"), refused},
		"MustUnderstand":      {500, "text/xml", fault("MustUnderstand"), refused},
		"Server":              {500, "text/xml", fault("Server"), unknown},
		"no known code":       {500, "text/xml", fault("Strange"), unknown},
		"Client, as 200":      {200, "text/xml", fault("Client"), unknown},
		"Client, as 503":      {503, "text/xml", fault("Client"), unknown},
		"400, empty":          {400, "", "", refused},
		"400, with a page":    {400, "text/html", "<html>bad request</html>", unknown},
		"200, empty":          {200, "", "", unknown},
		"500, empty":          {500, "", "", unknown},
		"HTML":                {200, "text/html", "<html>mantenimiento</html>", unknown},
		"a page, as 502":      {502, "text/html", "<html>bad gateway</html>", unknown},
		"a redirect":          {302, "text/html", "", unknown},
		"JSON":                {200, "application/json", caddytest.Approval, unknown},
		"another operation's": {200, "text/xml", envelope(`<FEDummyResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FEDummyResult><AppServer>OK</AppServer></FEDummyResult></FEDummyResponse>`), unknown},
		"no result":           {200, "text/xml", envelope(`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/" />`), unknown},
		"an empty result":     {200, "text/xml", envelope(`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult /></FECAESolicitarResponse>`), unknown},
		"a DOCTYPE":           {200, "text/xml", `<!DOCTYPE a>` + errors(600), unknown},
		"an answer, as 500":   {500, "text/xml", errors(600), unknown},
		"text behind it":      {200, "text/xml", errors(600) + "x", unknown},
	} {
		for _, commits := range []bool{true, false} {
			if commits && c.want == refused {
				continue // it would be a lie of the service
			}
			if short := testrun.Factor(t) < 2; short && c.want == unknown && commits != (len(name)%2 == 0) {
				continue // each of them waits
			}
			t.Run(fmt.Sprintf("%s/%v", name, commits), func(t *testing.T) {
				service := newSOAPService(t)
				s := caddytest.Start(t, toSOAP(service.URL), caddytest.Exactly...)
				service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
					if commits {
						carryOut()
					}
					if c.media != "" {
						w.Header().Set("Content-Type", c.media)
					}
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(c.status)
					_, _ = w.Write([]byte(c.body))
				})
				want := c.want
				if want == unknown {
					want = map[bool]string{true: "recovered", false: "not_issued"}[commits]
				}
				got := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(1))
				if got.Header.Get("Wsfev1-Outcome") != want {
					t.Errorf("%s, want %s: %d\n%s", got.Header.Get("Wsfev1-Outcome"), want, got.Status, got.Body)
				}
				if hits := service.Hits.Load(); (hits > 1) != (c.want == unknown) {
					t.Errorf("%d requests", hits)
				}
				again := s.Call(soap.V12, "FECAESolicitar", caddytest.Invoice(1))
				code := issued(t, again)
				if commits && code != issued(t, got) {
					t.Errorf("the invoice has two codes:\n%s\n%s", got.Body, again.Body)
				}
			})
		}
	}
}
