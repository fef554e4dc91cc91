package doctor_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// dummySOAP is the authority's answer to FEDummy.
const dummySOAP = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` +
	`<FEDummyResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FEDummyResult><AppServer>OK</AppServer><DbServer>OK</DbServer><AuthServer>OK</AuthServer>` +
	`</FEDummyResult></FEDummyResponse></soap:Body></soap:Envelope>`

// authority answers FEDummy in SOAP with a body, at the path of the authority's service.
func authority(t *testing.T, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(message), "FEDummy") || r.Header.Get("Content-Type") == "application/json" {
			t.Errorf("%v %v\n%s", err, r.Header, message)
		}
		if r.URL.Path != "/wsfev1/service.asmx" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		_, _ = w.Write([]byte(body))
	})
}

// TestServicesThatSpeakSOAP are asked as the gateway asks them, and TLS that fails has a cure.
func TestServicesThatSpeakSOAP(t *testing.T) {
	t.Chdir(t.TempDir())
	plain := httptest.NewServer(authority(t, dummySOAP))
	t.Cleanup(plain.Close)
	ill := httptest.NewServer(authority(t, strings.Replace(dummySOAP, "<DbServer>OK", "<DbServer>NO", 1)))
	t.Cleanup(ill.Close)
	page := httptest.NewServer(authority(t, "<html>"))
	t.Cleanup(page.Close)
	old := httptest.NewUnstartedServer(authority(t, dummySOAP))
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256}}
	old.Config.ErrorLog = quiet
	old.StartTLS()
	t.Cleanup(old.Close)
	unknown := httptest.NewUnstartedServer(authority(t, dummySOAP))
	unknown.Config.ErrorLog = quiet
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	for name, test := range map[string]struct{ next, status, found, cure string }{
		"the service":       {"wsfev1_arca " + plain.URL, "ok", "the service, with AppServer OK", ""},
		"SOAP 1.2":          {"wsfev1_arca " + plain.URL + " {\n soap 1.2\n }", "ok", "the service, with AppServer OK", ""},
		"by the transport":  {"reverse_proxy " + plain.URL + " {\n transport wsfev1_soap\n }", "ok", "the service, with AppServer OK", ""},
		"not well":          {"wsfev1_arca " + ill.URL, "warning", "DbServer NO", ""},
		"another path":      {"wsfev1_arca " + plain.URL + "/other", "problem", "status 404", "it is /other"},
		"a page":            {"wsfev1_arca " + page.URL, "problem", "no answer to FEDummy in SOAP", ""},
		"nobody":            {"wsfev1_arca http://" + freeAddress(t), "problem", "nothing listens there", ""},
		"old suites":        {"wsfev1_arca " + old.URL + " {\n tls_insecure_skip_verify\n }", "problem", "handshake failure", "try legacy_tls on"},
		"legacy_tls":        {"wsfev1_arca " + old.URL + " {\n tls_insecure_skip_verify\n legacy_tls on\n }", "ok", "the service, with AppServer OK", ""},
		"another authority": {"wsfev1_arca " + unknown.URL, "problem", "unknown authority", "tls_trust_pool in wsfev1_arca"},
	} {
		r, err := examine(t, config(freeAddress(t), "audit.db", test.next))
		t.Log(name)
		r.want(t, "upstream", test.status, test.found)
		if len(r["upstream"]) != 1 || !strings.Contains(r["upstream"][0].Cure, test.cure) || (test.status == "problem") != (err != nil) {
			t.Errorf("%s: %v %+v", name, err, r["upstream"])
		}
	}
}
