package doctor_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// TestCertificatesOfAPattern: each has a line of its own, with its alias, CUIT and expiry.
func TestCertificatesOfAPattern(t *testing.T) {
	t.Chdir(t.TempDir())
	pattern := strings.Replace(keeping(local(t), bound, description(t, http.StatusOK), "certificate customers/*/arca.crt\nkey customers/*/arca.key"), "\ncuits 20111111112", "", 1)
	r, err := examine(t, pattern)
	r.want(t, "certificate", "warning", "certificate customers/*/arca.crt matches no file")
	r.want(t, "login service", "ok", "answers")
	if err != nil {
		t.Error(err)
	}
	until := func(days int) string {
		return time.Now().Add(time.Duration(days)*24*time.Hour - 2*time.Hour).UTC().Format(time.DateOnly) // by the authority's clock, and an hour later
	}
	for customer, c := range map[string]struct {
		cuit string
		days int
	}{"norte": {"20111111112", 365}, "norte-old": {"20111111112", 100}, "sur": {"30500010912", -3}, "este": {"30000000007", 20}, "oeste": {"27300000008", 365}} {
		folder := "customers/" + customer
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		file, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
			Subject: wsaatest.Subject(c.cuit, "pos-"+customer), From: time.Now().AddDate(-1, 0, 0), Until: time.Now().Add(time.Duration(c.days)*24*time.Hour + time.Hour),
		}))
		for from, to := range map[string]string{file: "/arca.crt", key: "/arca.key"} {
			if err := os.Rename(from, folder+to); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Remove("customers/oeste/arca.key"); err != nil {
		t.Fatal(err)
	}
	r, err = examine(t, pattern)
	if err == nil {
		t.Error("a certificate that has expired is no problem")
	}
	for _, want := range []struct{ status, found string }{
		{"ok", "customers/norte/arca.crt (pos-norte, CUIT 20111111112, until " + until(365) + "), with its key, expires in 365 days"},
		{"problem", "customers/sur/arca.crt (pos-sur, CUIT 30500010912, until " + until(-3) + "): the certificate has expired"},
		{"warning", "customers/este/arca.crt (pos-este, CUIT 30000000007, until " + until(20) + "), with its key, expires in 20 days"},
		{"problem", "customers/oeste/arca.crt (pos-oeste, CUIT 27300000008, until " + until(365) + "): reading the private key"},
		{"warning", "has another one, customers/norte/arca.crt (pos-norte, CUIT 20111111112, until " + until(365) + "), which is used"},
	} {
		if !slices.ContainsFunc(r["certificate"], func(f line) bool { return f.Status == want.status && strings.Contains(f.Found, want.found) }) {
			t.Errorf("no %s %q in %+v", want.status, want.found, r["certificate"])
		}
	}
	if n := len(r["certificate"]); n != 5 {
		t.Errorf("%d lines for five certificates: %+v", n, r["certificate"])
	}
}
