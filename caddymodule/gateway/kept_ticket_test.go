package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

const keptCuit = "20111111112"

// keptCases are the two kinds of service, from the side of which a request is seen.
func keptServices(t *testing.T) map[string]struct {
	next string
	last func() []byte
} {
	speaking, json := newSOAPService(t), caddytest.NewIssuing(t)
	return map[string]struct {
		next string
		last func() []byte
	}{
		"SOAP": {toSOAP(speaking.URL), func() []byte { message, _ := speaking.Last(); return message }},
		"JSON": {caddytest.ProxyTo(strings.TrimPrefix(json.URL, "http://")), func() []byte { message, _ := json.Last(); return message }},
	}
}

// without takes Token and Sign out of a request in JSON.
func without(request string) string {
	return strings.Replace(request, `"Token":"`+caddytest.Token+`","Sign":"`+caddytest.Sign+`",`, "", 1)
}

// authOf returns the credentials of a request, whatever it is written in.
func authOf(t *testing.T, op *wsfev1.Operation, body []byte) wsfev1.Auth {
	t.Helper()
	if strings.HasPrefix(string(body), "{") {
		request, _ := validate.Decode(op, body, validate.ARCA)
		return wsfev1.AuthOf(request.Body)
	}
	e, err := soap.Open(body, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return wsfev1.AuthOf(e.Decode(op).Body)
}

// TestRequestsWithoutATicketGetTheKeepers, in each form, towards each kind of service. The rest
// of a request stays byte for byte.
func TestRequestsWithoutATicketGetTheKeepers(t *testing.T) {
	op := wsfev1.OperationByName("FECAESolicitar")
	for name, service := range keptServices(t) {
		t.Run(name, func(t *testing.T) {
			login := caddytest.NewLogin(t, keptCuit)
			s := caddytest.Start(t, service.next, login.Block("cuits "+keptCuit), "ticket off")
			body := without(caddytest.Invoice(1))
			got := s.Post("FECAESolicitar", body)
			if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" {
				t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
			}
			sent := service.last()
			auth := authOf(t, op, sent)
			if !strings.HasPrefix(auth.Token.Reveal(), "PD94") || auth.Cuit != 20111111112 {
				t.Fatalf("the service got the token %.20q of %d", auth.Token.Reveal(), auth.Cuit)
			}
			if name == "JSON" {
				_, tail, _ := strings.Cut(body, `"Cuit":20111111112}`)
				if !strings.HasSuffix(string(sent), tail) {
					t.Errorf("the client sent\n%s\nand the service got\n%s", body, sent)
				}
			}
			for i, version := range soapVersions {
				message := strings.NewReplacer("<Token>"+caddytest.Token+"</Token>", "<Token/>\n \n", "<Sign>"+caddytest.Sign+"</Sign>", "").
					Replace(s.Message(version, "FECAESolicitar", caddytest.Invoice(2+i)))
				if got := s.Send(version, "FECAESolicitar", message); issued(t, got) == "" {
					t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
				}
				sent := service.last()
				if authOf(t, op, sent) != auth || name == "SOAP" && !strings.Contains(string(sent), "\n \n") {
					t.Errorf("the service got\n%s", sent)
				}
			}
			if login.Granted() != 1 {
				t.Errorf("%d logins", login.Granted())
			}
			for _, r := range s.Records() {
				if named := strings.Contains(r.Certificate, "CUIT "+keptCuit+", until "); named != (r.Kind == audit.KindIntent) {
					t.Errorf("the %s of an invoice with the keeper's ticket names the certificate %q", r.Kind, r.Certificate)
				}
			}
		})
	}
}

// TestOwnTicketsStay, unless the keeper's are for all requests.
func TestOwnTicketsStay(t *testing.T) {
	service, login := newSOAPService(t), caddytest.NewLogin(t, keptCuit)
	op := wsfev1.OperationByName("FECAESolicitar")
	for mode, keeps := range map[string]bool{"missing": false, "always": true} {
		s := caddytest.Start(t, toSOAP(service.URL), login.Block("cuits "+keptCuit, "tickets "+mode, "store memory"), "ticket off")
		for i, version := range soapVersions {
			if got := s.Call(version, "FECAESolicitar", caddytest.Invoice(10*len(mode)+i)); got.Header.Get("Wsfev1-Outcome") != "rejected" && issued(t, got) == "" {
				t.Fatalf("%v\n%s", got.Header, got.Body)
			}
			message, _ := service.Last()
			if kept := authOf(t, op, message).Token != caddytest.Token; kept != keeps {
				t.Errorf("tickets %s: the keeper's ticket was used: %v", mode, kept)
			}
		}
		for _, r := range s.Records() {
			if named := r.Certificate != ""; r.Kind == audit.KindIntent && named != keeps {
				t.Errorf("tickets %s: an intent names the certificate %q", mode, r.Certificate)
			}
		}
	}
}

// TestAnIssuerWithoutACertificateBringsItsTicket: missing credentials are told as without a keeper.
func TestAnIssuerWithoutACertificateBringsItsTicket(t *testing.T) {
	service, login := newSOAPService(t), caddytest.NewLogin(t, keptCuit)
	s := caddytest.Start(t, toSOAP(service.URL), login.Block("cuits 30500010912"), "ticket off")
	got := s.Post("FECAESolicitar", without(caddytest.Invoice(1)))
	if got.Status != http.StatusBadRequest || !strings.Contains(string(got.Body), "shape.missing") || service.Hits.Load() > 0 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	represented := strings.Replace(without(caddytest.Invoice(1)), keptCuit, "30500010912", 1)
	if got := s.Post("FECAESolicitar", represented); caddytest.FirstError(t, got) != "600" || service.Hits.Load() > 0 {
		t.Errorf("a CUIT that the certificate does not represent: %d %s", got.Status, got.Body)
	}
	if detail := s.Last().Detail; !strings.Contains(detail, "the certificate fielato, CUIT "+keptCuit+", until 2") {
		t.Errorf("its record does not name the certificate: %q", detail)
	}
}

// TestWithoutATicketNothingIsSent, and what was answered before is answered again.
func TestWithoutATicketNothingIsSent(t *testing.T) {
	service, login := newSOAPService(t), caddytest.NewLogin(t, keptCuit)
	s := caddytest.NewSite(t)
	load := func(store string) {
		s.Load(s.Config(s.WithAudit()+"\n"+login.Block("cuits "+keptCuit, store)+"\nticket off\n"+strings.Join(caddytest.Exactly, "\n"), toSOAP(service.URL)))
	}
	load("store trail")
	first := s.Post("FECAESolicitar", without(caddytest.Invoice(1)))
	if first.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	login.Change(func(service *wsaatest.Service) { service.Down = http.ErrServerClosed })
	before := service.Hits.Load()
	again := caddytest.NewLogin(t, keptCuit) // another certificate: no ticket in any store
	again.Change(func(service *wsaatest.Service) { service.Down = http.ErrServerClosed })
	login = again
	load("store memory")
	got := s.Post("FECAESolicitar", without(caddytest.Invoice(2)))
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Wsfev1-Outcome") != "not_sent" || got.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
	if repeat := s.Post("FECAESolicitar", without(caddytest.Invoice(1))); repeat.Header.Get("Wsfev1-Outcome") != "replayed" || string(repeat.Body) != string(first.Body) {
		t.Errorf("%v\n%s", repeat.Header, repeat.Body)
	}
	if service.Hits.Load() != before {
		t.Error("something was sent")
	}
}

// TestEachIssuerHasItsCertificate: one issuer's ticket is not used for another, whatever the form; and
// one that is in no block gets none.
func TestEachIssuerHasItsCertificate(t *testing.T) {
	op := wsfev1.OperationByName("FECompTotXRequest")
	for name, service := range keptServices(t) {
		marks, blocks := map[wsfev1.CUIT]string{}, []string{"ticket off"}
		for series := range 2 {
			cuit := caddytest.IssuerOf(2 * series)
			login := caddytest.NewLogin(t, cuit.String())
			marks[cuit] = strings.Repeat("QUJD", 9+series) + "abcd"
			login.Mark(caddytest.Markers{Token: marks[cuit], Sign: "c2lnbg=="})
			blocks = append(blocks, login.Block("cuits "+cuit.String(), "store memory"))
		}
		s := caddytest.Start(t, service.next, blocks...)
		for _, face := range caddytest.Faces {
			for cuit, mark := range marks {
				body := strings.ReplaceAll("{"+caddytest.AuthText+"}", keptCuit, cuit.String())
				got := postBare(s, face, op.Name, body)
				if auth := authOf(t, op, service.last()); got.Status != 200 || auth.Token.Reveal() != mark || auth.Cuit != cuit {
					t.Errorf("%s, %s: %d, the service got the ticket %.40q for %s\n%s", name, face.Name, got.Status, auth.Token.Reveal(), auth.Cuit, got.Body)
				}
			}
			postBare(s, face, op.Name, "{"+caddytest.AuthText+"}")
			if auth := authOf(t, op, service.last()); auth.Cuit == 20111111112 && auth.Token != "" {
				t.Errorf("%s, %s: the service got a ticket for an issuer in no block", name, face.Name)
			}
		}
	}
}
