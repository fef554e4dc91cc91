package legacytls_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/legacytls"
)

// TestARefusedCertificateOfOursHasACure: the alert reads as if it were about the server's.
func TestARefusedCertificateOfOursHasACure(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{MinVersion: version, MaxVersion: version, ClientAuth: tls.RequireAndVerifyClientCert}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		_, err := server.Client().Get(server.URL) //nolint:noctx // it fails at once
		if err == nil {
			t.Fatal("a server that wants a certificate has taken none")
		}
		by := legacytls.Options{Legacy: "legacy_tls on", Trust: "tls_ca"}
		if cure := legacytls.Cure(err, false, by); strings.Contains(cure, "certificate") {
			t.Errorf("%v: where there can be no certificate the cure is %q", err, cure)
		}
		by.Client = "tls_client_auth"
		if cure := legacytls.Cure(err, false, by); !strings.Contains(cure, "with tls_client_auth") {
			t.Errorf("%v: the cure is %q", err, cure)
		}
	}
}
