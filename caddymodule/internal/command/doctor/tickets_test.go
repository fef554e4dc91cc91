package doctor_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/wsaatest"
	keeperpostgres "github.com/fielato/fielato/wsaa/keeper/postgres"
)

var quiet = log.New(io.Discard, "", 0)

// certificate writes a certificate that ends some days from now, and returns the lines that name it.
func certificate(t *testing.T, days int) string {
	t.Helper()
	file, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject("20111111112", "erp"), From: time.Now().AddDate(-1, 0, 0), Until: time.Now().Add(time.Duration(days)*24*time.Hour + time.Hour),
	}))
	return "certificate " + file + "\nkey " + key
}

// description serves the description of a login service, and nothing else: a login would be one too many.
func description(t *testing.T, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.RawQuery != "wsdl" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// keeping is a site at an address that keeps tickets, with lines in front of the gateway.
func keeping(site, front, login, lines string) string {
	return fmt.Sprintf("{\n admin off\n persist_config off\n local_certs\n skip_install_trust\n storage file_system .\n}\n%s {\n%s\n wsfev1 {\n audit sqlite audit.db\n wsaa %s {\n%s\ncuits 20111111112\n}\n}\n wsfev1_backend {\n ledger sqlite ledger.db\n }\n}\n",
		site, front, login, lines)
}

func local(t *testing.T) string { return "http://" + freeAddress(t) }

const bound = "bind 127.0.0.1"

// TestCertificatesOfTickets: one that is good, ends soon, has ended or cannot be read.
func TestCertificatesOfTickets(t *testing.T) {
	t.Chdir(t.TempDir())
	login := description(t, http.StatusOK)
	_, otherKey, _ := strings.Cut(certificate(t, 365), "\nkey ")
	file, _, _ := strings.Cut(certificate(t, 365), "\n")
	for name, test := range map[string]struct{ lines, status, found string }{
		"good":        {certificate(t, 365), "ok", "expires in 365 days"},
		"ends soon":   {certificate(t, 20), "warning", "expires in 20 days"},
		"has ended":   {certificate(t, -3), "problem", "has expired"},
		"not there":   {"certificate nowhere.crt", "problem", "nowhere.crt"},
		"no key":      {file, "problem", "name its file with key"},
		"another key": {file + "\nkey " + weaker(t, otherKey), "problem", "private key"},
	} {
		r, err := examine(t, keeping(local(t), bound, login, test.lines))
		t.Log(name)
		r.want(t, "certificate", test.status, test.found)
		if (test.status == "problem") != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, _ := examine(t, keeping(local(t), bound, "prod", certificate(t, 365)))
	if len(r["certificate"]) != 1 || r["certificate"][0].Status == "ok" {
		t.Errorf("one that no authority of production has issued: %+v", r["certificate"])
	}
}

// weaker lets others read a key, which is then refused.
func weaker(t *testing.T, key string) string {
	t.Helper()
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	return key
}

// TestLoginServices are reached, or it is said why not. Nothing logs in.
func TestLoginServices(t *testing.T) {
	t.Chdir(t.TempDir())
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	t.Cleanup(secure.Close)
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256}}
	old.Config.ErrorLog = quiet
	old.StartTLS()
	t.Cleanup(old.Close)
	for name, test := range map[string]struct{ front, login, status, found string }{
		"answers":           {bound, description(t, http.StatusOK), "ok", "`fielato wsfev1 login` shows"},
		"something else":    {bound, description(t, http.StatusNotFound), "warning", "status 404"},
		"nobody":            {bound, "http://" + freeAddress(t), "problem", "nothing listens there"},
		"its own":           {bound + "\n wsfev1_wsaa {\n key wsaa.key\n }", "http://" + freeAddress(t), "ok", "this configuration has a login service"},
		"another authority": {bound, secure.URL, "problem", "unknown authority"},
	} {
		r, err := examine(t, keeping(local(t), test.front, test.login, certificate(t, 365)))
		t.Log(name)
		r.want(t, "login service", test.status, test.found)
		if (test.status == "problem") != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, _ := examine(t, keeping(local(t), bound, secure.URL, certificate(t, 365)))
	if !strings.Contains(r["login service"][0].Cure, "tls_ca") {
		t.Errorf("%+v", r["login service"])
	}
	r, _ = examine(t, keeping(local(t), bound, old.URL, certificate(t, 365)))
	if !strings.Contains(r["login service"][0].Cure, "try legacy_tls on") {
		t.Errorf("%+v", r["login service"])
	}
	r, _ = examine(t, keeping(local(t), bound, old.URL, certificate(t, 365)+"\nlegacy_tls on"))
	if !strings.Contains(r["login service"][0].Found, "unknown authority") { // the handshake goes on
		t.Errorf("%+v", r["login service"])
	}
	r, _ = examine(t, keeping(local(t), bound, description(t, http.StatusOK), certificate(t, 365)))
	r.want(t, "clock", "ok", "as that of")
	r.want(t, "ticket store", "ok", "audit.db.tickets")
	r, _ = examine(t, keeping(local(t), bound, description(t, http.StatusOK), certificate(t, 365)+"\nstore memory"))
	r.want(t, "ticket store", "ok", "memory")
}

// TestWhoMayUseTickets: whoever reaches the gateway from elsewhere must show who it is.
func TestWhoMayUseTickets(t *testing.T) {
	t.Chdir(t.TempDir())
	const basic = "basic_auth %s {\n erp $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG\n }"
	login, lines := description(t, http.StatusOK), certificate(t, 365)
	for name, test := range map[string]struct{ front, status, found string }{
		"nobody asks":         {"", "warning", "whoever reaches"},
		"basic_auth":          {fmt.Sprintf(basic, "*"), "ok", "stands in front"},
		"behind, in route":    {"route {\n" + fmt.Sprintf(basic, "") + "\n}", "warning", "whoever reaches"},
		"on another path":     {fmt.Sprintf(basic, "/admin/*"), "warning", "matchers decide"},
		"forward_auth":        {"forward_auth localhost:9091 {\n uri /check\n }", "ok", "stands in front"},
		"client certificates": {"tls {\n client_auth {\n mode require_and_verify\n trust_pool file " + authorityFile(t) + "\n }\n }", "ok", "stands in front"},
		"only asked for":      {"tls {\n client_auth {\n mode request\n }\n }", "warning", "whoever reaches"},
		"this machine alone":  {bound, "ok", "this machine alone"},
	} {
		_, port, _ := strings.Cut(freeAddress(t), ":")
		scheme := "http"
		if strings.HasPrefix(test.front, "tls") {
			scheme = "https"
		}
		r, err := examine(t, keeping(scheme+"://localhost:"+port, test.front, login, lines))
		t.Log(name)
		r.want(t, "authentication", test.status, test.found)
		if err != nil || len(r["authentication"]) != 1 {
			t.Errorf("%s: %v %+v", name, err, r["authentication"])
		}
	}
}

// authorityFile returns the file of a certificate with which others may be verified.
func authorityFile(t *testing.T) string {
	t.Helper()
	line, _, _ := strings.Cut(certificate(t, 365), "\n")
	return strings.TrimPrefix(line, "certificate ")
}

// TestTicketsInPostgreSQL: the table is there, and the role may use it.
func TestTicketsInPostgreSQL(t *testing.T) {
	t.Chdir(t.TempDir())
	dsn := postgrestest.Shared(t).Database(t)
	database(t, dsn)
	login := description(t, http.StatusOK)
	site := func(lines ...string) string {
		block := "wsaa " + login + " {\n" + certificate(t, 365) + "\ncuits 20111111112\n}\n"
		return strings.Replace(shared(t, t.TempDir()+"/north.key", lines...), "audit postgres ", block+"audit postgres ", 1)
	}
	r, err := examine(t, site())
	r.want(t, "ticket store", "problem", "needs a migration")
	if err == nil {
		t.Error("no table is no problem")
	}
	r, _ = examine(t, site("migrate auto"))
	r.want(t, "ticket store", "ok", "the start makes it")
	store, err := keeperpostgres.Open(t.Context(), dsn, keeperpostgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	r, _ = examine(t, site())
	r.want(t, "ticket store", "ok", "the role its rights")
	database(t, postgrestest.Granted(t, dsn, "fielato_without", "GRANT SELECT ON fielato_migrations TO fielato_without; GRANT SELECT ON wsaa_tickets TO fielato_without"))
	r, err = examine(t, site())
	r.want(t, "ticket store", "problem", "has no INSERT, UPDATE on wsaa_tickets")
	if err == nil {
		t.Error("a role without rights is no problem")
	}
}
