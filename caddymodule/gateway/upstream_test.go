package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
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
	eachEnding(t, endingsInSOAP, func(s *caddytest.Site, e *trial) {
		service := newSOAPService(t)
		service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
			if e.commits {
				carryOut()
			}
			e.write(w)
		})
		versions := []soap.Version{soap.V11, soap.V12}
		e.next, e.hits, e.codeOf = toSOAP(service.URL), service.Hits.Load, issued
		e.call = func() caddytest.Response {
			version := versions[0]
			versions = versions[1:]
			return s.Call(version, "FECAESolicitar", caddytest.Invoice(1))
		}
	})
}
