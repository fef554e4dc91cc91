package caddytest

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// Login is a login service over HTTP, and a certificate with which to log in there.
type Login struct {
	*wsaatest.Service
	// URL is its address; Certificate and Key are the files of the certificate.
	URL, Certificate, Key string
}

// NewLogin starts a login service, with a certificate of a CUIT. It is closed at the end of the test.
func NewLogin(t testing.TB, cuit string) *Login {
	t.Helper()
	l := &Login{Service: wsaatest.NewService(t, time.Now)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.RawQuery == "wsdl" { // doctor does
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("SOAPAction") != `""` || r.URL.Path != wsaa.Path {
			t.Errorf("the login service got %s with action %q: %v", r.URL, r.Header.Get("SOAPAction"), err)
		}
		reply, err := l.Post(r.Context(), client.Message{Body: body})
		if err != nil {
			panic(http.ErrAbortHandler) // it does not answer
		}
		w.Header().Set("Content-Type", wsaa.SOAP11.ContentType())
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body) // a client that has left gets nothing
	}))
	t.Cleanup(server.Close)
	l.URL = server.URL
	l.Certificate, l.Key = WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject(cuit, "fielato"), From: time.Now().Add(-time.Hour), Until: time.Now().AddDate(1, 0, 0),
	}))
	return l
}

// WriteCredential writes a certificate and its key to files, as openssl would.
func WriteCredential(t testing.TB, of *wsaatest.Client) (certificate, key string) {
	t.Helper()
	folder := t.TempDir()
	certificate, key = filepath.Join(folder, "fielato.crt"), filepath.Join(folder, "fielato.key")
	private, err := x509.MarshalPKCS8PrivateKey(of.Key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: of.Certificate.Raw}, key: {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

// Block is the option wsaa for this service, with more lines of its block.
func (l *Login) Block(lines ...string) string {
	all := append([]string{"wsaa " + l.URL + " {", "certificate " + l.Certificate, "key " + l.Key}, lines...)
	return strings.Join(append(all, "}"), "\n\t\t\t")
}

var inTicket = regexp.MustCompile(`(token|sign)(&gt;|>)[^<&]*(&lt;|<)`)

// Mark lets the service give tickets with these markers for Token and Sign.
func (l *Login) Mark(m Markers) {
	l.Change(func(s *wsaatest.Service) {
		s.Reply = func(reply client.Reply) client.Reply {
			reply.Body = inTicket.ReplaceAllFunc(reply.Body, func(element []byte) []byte {
				found := inTicket.FindSubmatch(element)
				value := m.Token
				if string(found[1]) == "sign" {
					value = m.Sign
				}
				return slices.Concat(found[1], found[2], []byte(value), found[3])
			})
			return reply
		}
	})
}
