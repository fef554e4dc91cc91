package grafana_test

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// startLogin starts a login service, and writes a certificate of the plain issuer and its key into a
// folder. It returns the address of the service.
func startLogin(t *testing.T, folder string) string {
	t.Helper()
	service := wsaatest.NewService(t, time.Now)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		reply, err := service.Post(r.Context(), client.Message{Body: body})
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", wsaa.SOAP11.ContentType())
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body) // a client that has left gets nothing
	}))
	t.Cleanup(server.Close)
	of := wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject(issuerPlain, "fielato"), From: time.Now().Add(-time.Hour), Until: time.Now().AddDate(1, 0, 0),
	})
	key, err := x509.MarshalPKCS8PrivateKey(of.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"erp.crt": {Type: "CERTIFICATE", Bytes: of.Certificate.Raw}, "erp.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return server.URL
}
