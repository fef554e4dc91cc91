package gateway_test

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestAServiceThatCannotBeReachedHasNothing: a refused connection and a handshake that fails are
// certain, and the record names the cure.
func TestAServiceThatCannotBeReachedHasNothing(t *testing.T) {
	unknownAuthority := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknownAuthority.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknownAuthority.StartTLS()
	defer unknownAuthority.Close()
	oldSuites := startOldTLS(t, nil)
	for name, c := range map[string]struct {
		address       string
		detail, class string
		options       []string
	}{
		"refused":           {"http://127.0.0.1:1", "connection refused", "network", nil},
		"unknown authority": {unknownAuthority.URL, "tls_trust_pool file <pem>", "service", nil},
		"old suites":        {oldSuites.URL, "legacy_tls on", "service", []string{"tls_insecure_skip_verify"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, toSOAP(c.address, c.options...), caddytest.Exactly...)
			class := `wsfev1_failures_total{class="` + c.class + `"}`
			before := s.Metric(class)
			got := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(1))
			if got.Status != 500 || got.Header.Get("Wsfev1-Outcome") != "not_sent" || !strings.Contains(string(got.Body), "upstream.not_sent") {
				t.Errorf("%d %v\n%s", got.Status, got.Header, got.Body)
			}
			if r := s.Last(); r.Certainty != audit.NotSent || !strings.Contains(r.Detail, c.detail) {
				t.Errorf("%s: %s", r.Certainty, r.Detail)
			}
			s.WantMetrics(t, "after the refusal", map[string]string{class: caddytest.Plus(t, before, 1)})
		})
	}
}

// TestAServiceThatRefusesTheGatewaysCertificateHasNothing: with TLS 1.3 its alert comes after the handshake of this
// side, when the request may have left.
func TestAServiceThatRefusesTheGatewaysCertificateHasNothing(t *testing.T) {
	certificate := httptest.NewUnstartedServer(http.NotFoundHandler())
	certificate.StartTLS()
	certificate.Close()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for protocol, http := range map[string]string{"http/1.1": "1.1", "h2": "2"} {
			t.Run(fmt.Sprint(protocol, " ", tls.VersionName(version)), func(t *testing.T) {
				address := refuseCertificates(t, &tls.Config{
					Certificates: certificate.TLS.Certificates, MinVersion: version, MaxVersion: version, ClientAuth: tls.RequireAndVerifyClientCert, NextProtos: []string{protocol},
				})
				s := caddytest.Start(t, caddytest.ProxyTo("https://"+address, "transport http {\n tls_insecure_skip_verify\n versions "+http+"\n}"), caddytest.Exactly...)
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				if got.Status != 502 || got.Header.Get("Wsfev1-Outcome") != "not_sent" {
					t.Errorf("%d %v\n%s", got.Status, got.Header, got.Body)
				}
				if r := s.Last(); r.Certainty != audit.NotSent || r.Cause != audit.CauseTLS {
					t.Errorf("%s, %s: %s", r.Certainty, r.Cause, r.Detail)
				}
			})
		}
	}
}

// refuseCertificates listens for handshakes that fail, and reads on until the client has read the alert and left.
func refuseCertificates(t *testing.T, config *tls.Config) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		clients.Wait()
	})
	clients.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			clients.Go(func() {
				defer conn.Close()
				if tls.Server(conn, config).HandshakeContext(t.Context()) == nil {
					t.Error("the handshake has not failed")
				}
				_, _ = io.Copy(io.Discard, conn) // a close would break the connection before it has read the alert
			})
		}
	})
	return listener.Addr().String()
}

// startOldTLS starts a service of which Go's defaults have no suite: RSA key exchange alone.
func startOldTLS(t *testing.T, serve http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(serve)
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// TestLegacyTLSReachesAnOldService, with an authority that the configuration names.
func TestLegacyTLSReachesAnOldService(t *testing.T) {
	service := newSOAPService(t)
	old := startOldTLS(t, service.Config.Handler.ServeHTTP)
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: old.Certificate().Raw}
	if err := os.WriteFile(trusted, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	s := caddytest.Start(t, toSOAP(old.URL, "legacy_tls on", "tls_trust_pool file "+trusted), caddytest.Exactly...)
	const made, reused, read = `wsfev1_soap_connections_total{result="new"}`, `wsfev1_soap_connections_total{result="reused"}`, `wsfev1_soap_answers_total{read="answered"}`
	begun := map[string]string{made: s.Metric(made), reused: s.Metric(reused), read: s.Metric(read)}
	for i := range 3 {
		if got := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(i+1)); issued(t, got) == "" {
			t.Errorf("%d\n%s", got.Status, got.Body)
		}
	}
	s.WantMetrics(t, "after three invoices", map[string]string{
		made: caddytest.Plus(t, begun[made], 1), reused: caddytest.Plus(t, begun[reused], 2), read: caddytest.Plus(t, begun[read], 3),
	})
}

// TestAConnectionThatBreaksIsUnknown, before the answer, within its head or its body.
func TestAConnectionThatBreaksIsUnknown(t *testing.T) {
	for name, answer := range map[string]string{
		"before": "", "in the head": "HTTP/1.1 200 OK\r\nContent-Le",
		"in the body": "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 1000\r\n\r\n<?xml",
	} {
		for _, commits := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				service := newSOAPService(t)
				s := caddytest.Start(t, toSOAP(service.URL), caddytest.Exactly...)
				service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
					if commits {
						carryOut()
					}
					conn, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Errorf("taking the connection: %v", err)
						return
					}
					_, _ = io.WriteString(conn, answer)
					_ = conn.(*net.TCPConn).SetLinger(0)
					_ = conn.Close()
				})
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				if want := map[bool]string{true: "recovered", false: "not_issued"}[commits]; got.Header.Get("Wsfev1-Outcome") != want {
					t.Errorf("%v, want %s\n%s", got.Header, want, got.Body)
				}
			})
		}
	}
}

// TestHealthOfASOAPServiceIsItsFEDummy: reverse_proxy takes a service out that does not answer it.
func TestHealthOfASOAPServiceIsItsFEDummy(t *testing.T) {
	service := newSOAPService(t)
	sick := caddytest.NewStub(t, caddytest.Answering(200, "OK"))
	s := caddytest.Start(t, toSOAP(service.URL, "to "+sick.URL, "health_uri /", "health_interval 20ms", "lb_policy first"), caddytest.Exactly...)
	caddytest.Eventually(t, "both were asked", func() bool { return service.Hits.Load() > 0 && sick.Hits.Load() > 1 })
	if message, header := sick.Last(); !strings.Contains(string(message), "<FEDummy ") || header.Get("SOAPAction") != `"http://ar.gov.afip.dif.FEV1/FEDummy"` {
		t.Errorf("%v %s", header, message)
	}
	if got := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(1)); issued(t, got) == "" {
		t.Errorf("%d\n%s", got.Status, got.Body)
	}
	if message, _ := sick.Last(); strings.Contains(string(message), "FECAESolicitar") {
		t.Errorf("the sick service got an invoice")
	}
}

// TestTheTransportNeedsAGateway in front of it.
func TestTheTransportNeedsAGateway(t *testing.T) {
	service := newSOAPService(t)
	address := caddytest.FreeAddress(t)
	s := caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(), caddytest.WithBackend(t)) + "http://" + address + " {\n bind " + caddytest.Loopback + "\n" + toSOAP(service.URL) + "\n}\n")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/api/wsfev1/FEDummy", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Do(r); got.Status != 502 || service.Hits.Load() != 0 {
		t.Errorf("%d %s, %d requests", got.Status, got.Body, service.Hits.Load())
	}
}

// TestHandlersInBetweenDoNotChangeTheMessage: the service gets the message that was judged.
func TestHandlersInBetweenDoNotChangeTheMessage(t *testing.T) {
	for name, next := range map[string]func(string) string{
		"a limit":   func(proxy string) string { return "route {\nrequest_body {\nmax_size 10MB\n}\n" + proxy + "\n}" },
		"a new one": func(proxy string) string { return "route {\nrequest_body {\nset nothing\n}\n" + proxy + "\n}" },
	} {
		t.Run(name, func(t *testing.T) {
			service := newSOAPService(t)
			s := caddytest.Start(t, next(toSOAP(service.URL, "request_buffers 1MB")), caddytest.Exactly...)
			if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" {
				t.Errorf("%d %v\n%s", got.Status, got.Header, got.Body)
			}
		})
	}
}
