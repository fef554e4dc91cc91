package caddymodule_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestRecipeOfTheAuthoritysNames: invoices go through the gateway. The other services of the host get the
// program's request, without a word about where it comes from.
func TestRecipeOfTheAuthoritysNames(t *testing.T) {
	r := prepareRecipe(t)
	var got []*http.Request
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		got = append(got, request)
		_, _ = w.Write([]byte("exports got " + string(body)))
	}))
	defer other.Close()
	r.cook("Programs with the authority's addresses",
		"servicios1.afip.gov.ar {\n\ttls", strings.TrimPrefix(r.URL, "https://")+" {\n\tbind "+caddytest.Loopback+"\n\ttls",
		"/var/lib/fielato/audit.db", r.Store,
		"wsfev1_arca prod", "wsfev1_backend {\n\tledger sqlite "+filepath.Join(r.folder, "invoices.db")+"\n}",
		"reverse_proxy https://servicios1.afip.gov.ar {", "reverse_proxy "+other.URL+" {")
	ask := func(path, action, body string) caddytest.Response {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "text/xml; charset=utf-8")
		request.Header.Set("SOAPAction", action)
		answer, err := caddytest.TryWith(r.client, request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	const dummy = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><FEDummy xmlns="http://ar.gov.afip.dif.FEV1/"/></soap:Body></soap:Envelope>`
	for _, path := range []string{"/wsfev1/service.asmx", "/WSFEv1/Service.asmx"} {
		if answer := ask(path, `"http://ar.gov.afip.dif.FEV1/FEDummy"`, dummy); answer.Status != http.StatusOK || answer.Header.Get("Wsfev1-Record") == "" {
			t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
		}
	}
	if len(got) != 0 {
		t.Errorf("the other services got %s", got[0].URL)
	}
	for _, path := range []string{"/wsfexv1/service.asmx", "/wsfexv1/service.asmx?WSDL", "/wsbfev1/service.asmx", "/"} {
		answer := ask(path, `"http://ar.gov.afip.dif.fexv1/FEXDummy"`, "<x/>")
		if answer.Status != http.StatusOK || string(answer.Body) != "exports got <x/>" {
			t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			continue
		}
		request := got[len(got)-1]
		if request.Host != "servicios1.afip.gov.ar" || request.URL.String() != path || request.Header.Get("SOAPAction") != `"http://ar.gov.afip.dif.fexv1/FEXDummy"` {
			t.Errorf("%s: %s %s %v", path, request.Host, request.URL, request.Header)
		}
		for name := range request.Header {
			if strings.HasPrefix(name, "X-Forwarded") || name == "Via" {
				t.Errorf("%s: it got %s: %v", path, name, request.Header[name])
			}
		}
	}
	if n := len(r.Records()); n != 2 {
		t.Errorf("%d records", n)
	}
}

// TestASiteRefusesOldTLS, and suites without forward secrecy.
func TestASiteRefusesOldTLS(t *testing.T) {
	r := prepareRecipe(t)
	r.cook("HTTPS with a certificate of its own")
	for name, c := range map[string]struct {
		config *tls.Config
		taken  bool
	}{
		"TLS 1.0":          {&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10}, false},
		"TLS 1.1":          {&tls.Config{MinVersion: tls.VersionTLS11, MaxVersion: tls.VersionTLS11}, false},
		"RSA key exchange": {&tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_CBC_SHA}}, false},
		"TLS 1.2":          {&tls.Config{MaxVersion: tls.VersionTLS12}, true},
		"TLS 1.3":          {&tls.Config{MinVersion: tls.VersionTLS13}, true},
	} {
		c.config.InsecureSkipVerify, c.config.ServerName = true, "localhost"
		connection, err := tls.Dial("tcp", caddytest.Loopback+strings.TrimPrefix(r.URL, "https://localhost"), c.config)
		if (err == nil) != c.taken {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = connection.Close()
		}
	}
}
