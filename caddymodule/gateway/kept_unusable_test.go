package gateway_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/wsaatest"
)

// fleetOfCertificates writes a certificate for each of some issuers, and returns their blocks. The files
// of block i are i.crt and i.key in the folder.
func fleetOfCertificates(t *testing.T, folder, login string, n int) string {
	t.Helper()
	var blocks strings.Builder
	for i := range n {
		writeCertificate(t, folder, i, caddytest.IssuerOf(2*i).String(), time.Now().AddDate(1, 0, 0))
		fmt.Fprintf(&blocks, "wsaa %s {\n certificate %[2]s/%[3]d.crt\n key %[2]s/%[3]d.key\n cuits %[4]s\n }\n", login, folder, i, caddytest.IssuerOf(2*i))
	}
	return blocks.String()
}

func writeCertificate(t *testing.T, folder string, i int, cuit string, until time.Time) {
	t.Helper()
	certificate, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject(cuit, fmt.Sprint("erp", i)), From: until.AddDate(-2, 0, 0), Until: until,
	}))
	for from, to := range map[string]string{certificate: ".crt", key: ".key"} {
		if err := os.Rename(from, filepath.Join(folder, fmt.Sprint(i, to))); err != nil {
			t.Fatal(err)
		}
	}
}

// lastOf asks for the last number of the issuer of a block, without a ticket.
func lastOf(s *caddytest.Site, block int) caddytest.Response {
	return s.Post("FECompUltimoAutorizado", without(caddytest.LastText(2*block)))
}

// TestOneBadCertificateOfMany concerns its own CUITs alone: at the start, and at a reload.
func TestOneBadCertificateOfMany(t *testing.T) {
	const bad = 1
	all := testrun.Size(t, 3, 50)
	for _, c := range testrun.Some(t, 2, []struct {
		cause string
		spoil func(crt, key string) error
	}{
		{"has expired", func(string, string) error { return nil }}, // below
		{"no such file", func(crt, _ string) error { return os.Remove(crt) }},
		{"private key", func(_, key string) error { return os.Remove(key) }},
		{"neither PEM", func(crt, _ string) error { return os.WriteFile(crt, []byte("nothing"), 0o600) }},
		{"chmod 600", func(_, key string) error { return os.Chmod(key, 0o644) }},
		{"is not that of", func(_, key string) error { return os.Rename(otherKey(t), key) }},
	}) {
		t.Run(c.cause, func(t *testing.T) {
			service, login, folder := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit), t.TempDir()
			login.Mark(caddytest.NewMarkers())
			blocks := fleetOfCertificates(t, folder, login.URL, all)
			if c.cause == "has expired" {
				writeCertificate(t, folder, bad, caddytest.IssuerOf(2*bad).String(), time.Now().Add(-time.Hour))
			}
			crt, key := filepath.Join(folder, fmt.Sprint(bad, ".crt")), filepath.Join(folder, fmt.Sprint(bad, ".key"))
			if err := c.spoil(crt, key); err != nil {
				t.Fatal(err)
			}
			log := filepath.Join(t.TempDir(), "log")
			s := caddytest.NewSite(t)
			config := func(i int) string {
				text := s.Config(s.WithAudit(blocks, "ticket off", fmt.Sprintf("max_body %dKiB", 100+i)), caddytest.ProxyTo(service.URL))
				return strings.Replace(text, "{\n", "{\n log {\n"+caddytest.LogTo(log)+"}\n", 1)
			}
			for load := range 2 {
				s.Load(config(load))
				for i := range all {
					want := http.StatusOK
					if i == bad {
						want = http.StatusServiceUnavailable
					}
					if got := lastOf(s, i); got.Status != want || want != http.StatusOK && !strings.Contains(string(got.Body), "wsaa.no_ticket") {
						t.Errorf("block %d: %d %s", i, got.Status, got.Body)
					}
				}
			}
			host := strings.TrimPrefix(login.URL, "http://")
			series := fmt.Sprintf(`wsfev1_certificate_unusable{file="%s",login="%s"}`, crt, host)
			s.WantMetrics(t, c.cause, map[string]string{series: "1", strings.Replace(series, "/1.crt", "/0.crt", 1): "0"})
			if text, _ := os.ReadFile(log); strings.Count(string(text), "it looks at the files again") != 2 || !strings.Contains(string(text), `"msg":"Caddyfile:`) || !strings.Contains(string(text), c.cause) {
				t.Errorf("the log:\n%s", text)
			}
			_ = os.Remove(key) // a file of another mode would stay in the way
			writeCertificate(t, folder, bad, caddytest.IssuerOf(2*bad).String(), time.Now().AddDate(1, 0, 0))
			caddytest.Eventually(t, "the file was mended", func() bool { return lastOf(s, bad).Status == http.StatusOK })
			s.WantMetrics(t, "mended", map[string]string{series: "0"})
		})
	}
}

// otherKey returns the file of a key that no certificate has.
func otherKey(t *testing.T) string {
	t.Helper()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{Key: other}))
	return key
}

// TestACertificateThatIsReplacedByABadOne: the one before stays in use, until there is a good one.
func TestACertificateThatIsReplacedByABadOne(t *testing.T) {
	service, login, folder := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit), t.TempDir()
	login.Mark(caddytest.NewMarkers())
	blocks := fleetOfCertificates(t, folder, login.URL, 2)
	s, log := caddytest.NewSite(t), filepath.Join(t.TempDir(), "log")
	load := func() {
		text := s.Config(s.WithAudit(blocks, "ticket off"), caddytest.ProxyTo(service.URL))
		s.Load(strings.Replace(text, "{\n", "{\n log {\n"+caddytest.LogTo(log)+"}\n", 1))
	}
	works := func() bool { return lastOf(s, 0).Status == http.StatusOK && lastOf(s, 1).Status == http.StatusOK }
	load()
	if !works() {
		t.Fatal("it does not work")
	}
	if err := os.WriteFile(filepath.Join(folder, "1.crt"), []byte("half of"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		load()
		if !works() {
			t.Fatal("the certificate before is not used")
		}
	}
	if text, _ := os.ReadFile(log); !strings.Contains(string(text), "stays in use (") || strings.Contains(string(text), "wsaa.no_ticket") {
		t.Errorf("it does not say which certificate is used:\n%s", text)
	}
	writeCertificate(t, folder, 1, caddytest.IssuerOf(2).String(), time.Now().AddDate(1, 0, 1))
	series := fmt.Sprintf(`wsfev1_certificate_unusable{file="%s",login="%s"}`, filepath.Join(folder, "1.crt"), strings.TrimPrefix(login.URL, "http://"))
	s.WantMetrics(t, "mended", map[string]string{series: "0"})
	if !works() {
		t.Error("the new certificate is not used")
	}
}
