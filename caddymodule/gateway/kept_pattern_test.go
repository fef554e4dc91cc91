package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsfev1"
)

// customers is a folder with one for each customer, and a gateway that has a pattern for their certificates.
type customers struct {
	*caddytest.Site
	login            *caddytest.Login
	folder, log      string
	service, options string
	loads            int
}

func newCustomers(t *testing.T) *customers {
	t.Helper()
	c := &customers{login: caddytest.NewLogin(t, keptCuit), folder: t.TempDir(), log: filepath.Join(t.TempDir(), "log"), service: caddytest.NewStub(t, believing).URL}
	c.login.Mark(caddytest.NewMarkers())
	t.Setenv("CUSTOMERS", c.folder)
	c.options = "certificate {env.CUSTOMERS}/*/arca.crt\n key {env.CUSTOMERS}/*/arca.key"
	c.Site = caddytest.NewSite(t)
	return c
}

// write gives a customer a certificate, which expires some days from now.
func (c *customers) write(t *testing.T, customer string, series, days int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(c.folder, customer), 0o700); err != nil {
		t.Fatal(err)
	}
	until := time.Now().AddDate(0, 0, days)
	certificate, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject(caddytest.IssuerOf(series).String(), "pos-"+customer), From: until.AddDate(-2, 0, 0), Until: until,
	}))
	for from, to := range map[string]string{certificate: "arca.crt", key: "arca.key"} {
		if err := os.Rename(from, c.file(customer, to)); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *customers) file(customer, name string) string {
	return filepath.Join(c.folder, customer, name)
}

// load loads the configuration, always another one.
func (c *customers) load() {
	c.loads++
	block := "wsaa " + c.login.URL + " {\n" + c.options + "\n}"
	text := c.Config(c.WithAudit(block, "ticket off", fmt.Sprintf("max_body %dKiB", 100+c.loads)), caddytest.ProxyTo(c.service))
	c.Load(strings.Replace(text, "{\n", "{\n log {\n"+caddytest.LogTo(c.log)+"}\n", 1))
}

// last asks for the last number of an issuer, without a ticket.
func (c *customers) last(series int) caddytest.Response {
	return c.Post("FECompUltimoAutorizado", without(caddytest.LastText(series)))
}

func (c *customers) wants(t *testing.T, statuses ...int) {
	t.Helper()
	for i, want := range statuses {
		if got := c.last(2 * i); got.Status != want || want == http.StatusServiceUnavailable && !strings.Contains(string(got.Body), "wsaa.no_ticket") {
			t.Errorf("issuer %d: %d, want %d\n%s", i, got.Status, want, got.Body)
		}
	}
}

func (c *customers) logged(t *testing.T, want string) {
	t.Helper()
	if text, _ := os.ReadFile(c.log); !strings.Contains(string(text), want) {
		t.Errorf("no %q in the log:\n%s", want, text)
	}
}

// identity is how a certificate is named everywhere.
func identity(customer string, series, days int) string {
	return fmt.Sprintf("pos-%s, CUIT %s, until %s", customer, caddytest.IssuerOf(series), time.Now().AddDate(0, 0, days).UTC().Add(-3*time.Hour).Format(time.DateOnly))
}

const (
	issues    = http.StatusOK
	noTicket  = http.StatusServiceUnavailable
	itsOwn    = http.StatusBadRequest // a client of a CUIT without certificate lacks its own ticket
	yearAhead = 365
)

// TestAFolderOfCustomers: each certificate that a pattern matches is for the CUIT in its name, and a bad one
// concerns its customer alone, at the start, at a reload and until its file is mended.
func TestAFolderOfCustomers(t *testing.T) {
	c := newCustomers(t)
	c.write(t, "norte", 0, yearAhead)
	c.write(t, "sur", 2, -3)
	c.write(t, "este", 4, yearAhead)
	for range 2 {
		c.load()
		c.wants(t, issues, noTicket, issues, itsOwn)
	}
	if n := c.login.Granted(); n != 2 {
		t.Errorf("%d logins for two certificates and a reload", n)
	}
	has := identity("sur", 2, -3)
	if detail := c.Last().Detail; !strings.Contains(c.Records()[1].Detail, has) {
		t.Errorf("the record of the request without a ticket does not have %q: %q", has, detail)
	}
	used := map[wsfev1.CUIT]string{caddytest.IssuerOf(0): identity("norte", 0, yearAhead), caddytest.IssuerOf(4): identity("este", 4, yearAhead)}
	for _, r := range c.Records() {
		if want := used[r.Cuit]; r.Certificate != want {
			t.Errorf("a record of %s names the certificate %q, want %q", r.Cuit, r.Certificate, want)
		}
	}
	c.logged(t, fmt.Sprintf(`certificate %s (%s): the certificate has expired`, c.file("sur", "arca.crt"), has))
	c.logged(t, `"alias":"pos-norte","certificate_until":`)
	host := strings.TrimPrefix(c.login.URL, "http://")
	labels := func(customer string, series int) string {
		return fmt.Sprintf(`{certificate="pos-%s",cuit="%s",login="%s"`, customer, caddytest.IssuerOf(series), host)
	}
	c.WantMetrics(t, "one has expired", map[string]string{
		"wsfev1_kept_ticket_ready" + labels("norte", 0) + "}":                                             "1",
		"wsfev1_kept_ticket_ready" + labels("este", 4) + "}":                                              "1",
		"wsfev1_kept_ticket_logins_total" + labels("este", 4) + `,result="granted"}`:                      "1",
		"wsfev1_kept_ticket_logins_total" + labels("este", 4) + `,result="failed"}`:                       "0",
		fmt.Sprintf(`wsfev1_certificate_unusable{file="%s",login="%s"}`, c.file("sur", "arca.crt"), host): "1",
	})
	c.write(t, "sur", 2, yearAhead)
	caddytest.Eventually(t, "the file was mended", func() bool { return c.last(2).Status == issues })
	c.write(t, "oeste", 6, yearAhead) // is there at the next reload
	c.wants(t, issues, issues, issues, itsOwn)
	c.load()
	c.wants(t, issues, issues, issues, issues)
	if n := c.login.Granted(); n != 4 {
		t.Errorf("%d logins for four certificates and three reloads", n)
	}
}

// TestAFailedLoginNamesItsCertificate, in the log and in the record of the request that has no ticket.
func TestAFailedLoginNamesItsCertificate(t *testing.T) {
	c := newCustomers(t)
	c.write(t, "norte", 0, yearAhead)
	c.login.Change(func(s *wsaatest.Service) { s.Failure = "coe.notAuthorized" })
	c.load()
	c.wants(t, noTicket)
	has := identity("norte", 0, yearAhead)
	if detail := c.Last().Detail; !strings.Contains(detail, "for the certificate "+has) || !strings.Contains(detail, "coe.notAuthorized") {
		t.Errorf("the record: %q, want %q", detail, has)
	}
	c.logged(t, `"alias":"pos-norte","certificate_until":`)
	c.logged(t, fmt.Sprintf(`"certificate_cuit":"%s"`, caddytest.IssuerOf(0)))
	c.logged(t, "for the certificate "+has)
}

// TestACustomerThatCannotBeRead is known by the certificate before, or by the CUIT in the path. If it is
// neither, its requests are treated like any CUIT's without a certificate.
func TestACustomerThatCannotBeRead(t *testing.T) {
	c := newCustomers(t)
	named := caddytest.IssuerOf(2).String()
	c.write(t, "norte", 0, yearAhead)
	c.write(t, named, 2, yearAhead)
	c.write(t, "este", 4, yearAhead)
	for _, customer := range []string{named, "este"} {
		if err := os.WriteFile(c.file(customer, "arca.crt"), []byte("half of"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.load()
	c.wants(t, issues, noTicket, itsOwn)
	c.logged(t, "does not know for which CUIT it is")
	c.write(t, "este", 4, yearAhead)
	caddytest.Eventually(t, "the file was mended", func() bool { return c.last(4).Status == issues })
	if err := os.WriteFile(c.file("este", "arca.crt"), []byte("half of"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.load()
	c.wants(t, issues, noTicket, issues) // the one before stays in use
	if err := os.Remove(c.file("norte", "arca.key")); err != nil {
		t.Fatal(err)
	}
	c.load()
	c.wants(t, issues, noTicket, issues)
	c.logged(t, "(pos-norte, CUIT "+caddytest.IssuerOf(0).String())
}

// TestTwoCertificatesOfOneCustomer: the one that expires last is used, of those that can be.
func TestTwoCertificatesOfOneCustomer(t *testing.T) {
	c := newCustomers(t)
	c.write(t, "a-old", 0, 20)
	c.write(t, "b-new", 0, yearAhead)
	c.write(t, "c-ended", 0, -1)
	c.load()
	c.wants(t, issues)
	host := strings.TrimPrefix(c.login.URL, "http://")
	logins := func(customer, want string) map[string]string {
		return map[string]string{fmt.Sprintf(`wsfev1_kept_ticket_logins_total{certificate="pos-%s",cuit="%s",login="%s",result="granted"}`, customer, caddytest.IssuerOf(0), host): want}
	}
	c.WantMetrics(t, "two", logins("b-new", "1"))
	for _, customer := range []string{"a-old", "c-ended"} {
		c.logged(t, fmt.Sprintf("certificate %s (pos-%s, CUIT", c.file(customer, "arca.crt"), customer))
	}
	c.logged(t, fmt.Sprintf("has another one, %s (%s), which is used", c.file("b-new", "arca.crt"), identity("b-new", 0, yearAhead)))
	if err := os.Remove(c.file("b-new", "arca.key")); err != nil {
		t.Fatal(err)
	}
	c.load()
	c.wants(t, issues)
	c.WantMetrics(t, "the newer has no key", logins("a-old", "1"))
	c.write(t, "b-new", 0, yearAhead)
	c.load()
	c.wants(t, issues)
	c.WantMetrics(t, "the newer again, with the ticket that it had", logins("b-new", "0"))
}

// TestAFolderWithoutCustomers is a warning: the first may still come.
func TestAFolderWithoutCustomers(t *testing.T) {
	c := newCustomers(t)
	c.load()
	c.wants(t, itsOwn)
	c.logged(t, "wsaa "+c.login.URL+": certificate {env.CUSTOMERS}/*/arca.crt matches no file")
	c.write(t, "norte", 0, yearAhead)
	c.load()
	c.wants(t, issues)
	if err := os.RemoveAll(c.folder); err != nil {
		t.Fatal(err)
	}
	c.load()
	c.wants(t, itsOwn)
}

// TestManyCertificatesTakeTurnsToLogIn: no more than eight logins are under way at once at a login service that takes
// its time.
func TestManyCertificatesTakeTurnsToLogIn(t *testing.T) {
	c := newCustomers(t)
	c.login.Change(func(s *wsaatest.Service) { s.Took = time.Second / 2 })
	all := make([]int, 12)
	for i := range all {
		c.write(t, fmt.Sprintf("customer-%02d", i), 2*i, 30)
		all[i] = http.StatusOK
	}
	c.load()
	c.wants(t, all...)
	if most := c.login.Most(); most > 8 || c.login.Granted() != len(all) {
		t.Errorf("%d logins at once, %d tickets", most, c.login.Granted())
	}
}
