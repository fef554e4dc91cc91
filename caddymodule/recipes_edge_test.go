package caddymodule_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509/pkix"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// otherIssuer is another of those that the recipes name.
const otherIssuer = "30500010912"

func TestRecipeOfHTTPS(t *testing.T) {
	r := prepareRecipe(t)
	r.cook("HTTPS with a certificate of its own")
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
	plain := r.Request(t.Context(), "FEDummy", "{}")
	plain.URL.Scheme = "http"
	if got, err := caddytest.TryWith(r.client, plain); err == nil && got.Status != http.StatusBadRequest {
		t.Errorf("without TLS: %d %s", got.Status, got.Body)
	}
}

func TestRecipeOfOwnCertificates(t *testing.T) {
	r := prepareRecipe(t)
	ca := caddytest.NewEdgeAuthority(t)
	site := ca.Certify(t, pkix.Name{CommonName: "invoices"}, "localhost")
	certificate, key := site.Files(t)
	r.cook("Certificates of an authority of your own", "/etc/fielato/site.pem", certificate, "/etc/fielato/site-key.pem", key)
	r.tls().InsecureSkipVerify, r.tls().RootCAs = false, ca.Pool()
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
}

func TestRecipeOfBasicAuth(t *testing.T) {
	r := prepareRecipe(t)
	r.cook("User and password")
	wantAnswer(t, r.issue(caddytest.Invoice(1), guesser), 401, "")
	if wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 401, ""); len(r.Records()) != 0 {
		t.Errorf("%d records of strangers", len(r.Records()))
	}
	wantAnswer(t, r.issue(caddytest.Invoice(1), "shop"), 200, "approved")
	if got := r.Records()[0].ClientIdentity; got != "shop" {
		t.Errorf("identity %q", got)
	}
}

// TestRecipeOfBasicAuthKeepsThePassword from the service.
func TestRecipeOfBasicAuthKeepsThePassword(t *testing.T) {
	r := prepareRecipe(t)
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	r.service, r.inner = upstream.URL, true
	r.cook("User and password")
	wantAnswer(t, r.issue(caddytest.Invoice(1), "erp"), 200, "approved")
	if _, header := upstream.Last(); header.Get("Authorization") != "" {
		t.Errorf("the service got %v", header)
	}
}

func TestRecipeOfClientCertificates(t *testing.T) {
	r := prepareRecipe(t)
	ca := caddytest.NewEdgeAuthority(t)
	r.cook("Client certificates", "/etc/fielato/clients-ca.pem", ca.File(t))
	if got, err := caddytest.TryWith(r.client, r.Request(t.Context(), "FEDummy", "{}")); err == nil {
		t.Errorf("without a certificate: %d %s", got.Status, got.Body)
	}
	r.tls().Certificates = []tls.Certificate{caddytest.NewEdgeAuthority(t).Certify(t, pkix.Name{CommonName: "shop"}).Pair}
	if got, err := caddytest.TryWith(r.client, r.Request(t.Context(), "FEDummy", "{}")); err == nil {
		t.Errorf("with another authority's certificate: %d %s", got.Status, got.Body)
	}
	r.tls().Certificates = []tls.Certificate{ca.Certify(t, pkix.Name{CommonName: "shop", Organization: []string{"Example"}}).Pair}
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
	if got := r.Records()[0].ClientIdentity; got != "CN=shop,O=Example" {
		t.Errorf("identity %q", got)
	}
}

// customers are the lines for each customer in the recipe of a software house.
func customers(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(caddytest.Root(t), "docs/recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n```\npanaderia ")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("the recipe has no lines for customers")
	}
	return "panaderia " + text
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRecipeOfManyCustomers(t *testing.T) {
	r := prepareRecipe(t)
	for _, user := range []string{"OFFICE", "PANADERIA", "LIBRERIA"} {
		t.Setenv(user+"_PASSWORD_HASH", hashOfExampleOnly)
	}
	r.cook("A software house with fifty customers", "\t\toffice {env", "\t\tmallory "+hashOfExampleOnly+"\n\t\toffice {env", "/etc/fielato/customers", written(t, "customers", customers(t)))
	other := func(number int) string {
		return strings.Replace(caddytest.Invoice(number), "20111111112", otherIssuer, 1)
	}
	wantAnswer(t, r.issue(caddytest.Invoice(1), "panaderia"), 200, "approved")
	wantAnswer(t, r.issue(other(1), "libreria"), 200, "approved")
	for user, code := range map[string]string{"panaderia": "http.cuit", "office": "http.right", "mallory": "http.client"} {
		refused := r.issue(other(2), user)
		if wantAnswer(t, refused, 403, "inadmissible"); refused.Codes(t)[0] != code {
			t.Errorf("%s: %s", user, refused.Body)
		}
	}
	records := r.Records()
	if last := records[len(records)-1]; last.ClientTable != records[0].Address() || last.ClientRow == "libreria" {
		t.Errorf("the last record is %+v", last)
	}
	wantAnswer(t, r.issue(other(3), guesser), 401, "")
}

// TestRecipeOfCustomersByCertificate follows the text below that recipe.
func TestRecipeOfCustomersByCertificate(t *testing.T) {
	r := prepareRecipe(t)
	ca := caddytest.NewEdgeAuthority(t)
	r.tls().Certificates = []tls.Certificate{ca.Certify(t, pkix.Name{CommonName: "panaderia", Organization: []string{"Example"}}).Pair}
	text := caddytest.RecipeText(t, "A software house with fifty customers")
	accounts := text[strings.Index(text, "\tbasic_auth"):strings.Index(text, "\twsfev1")]
	lines := strings.Replace(customers(t), "user panaderia", `certificate "CN=panaderia,O=Example"`, 1)
	r.cook("A software house with fifty customers", accounts, "\ttls {\n\t\tclient_auth {\n\t\t\tmode require_and_verify\n\t\t\ttrust_pool file "+
		ca.File(t)+"\n\t\t}\n\t}\n", "/etc/fielato/customers", written(t, "customers", lines))
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
	wantAnswer(t, r.issue(strings.Replace(caddytest.Invoice(1), "20111111112", otherIssuer, 1), ""), 403, "inadmissible")
	r.tls().Certificates = []tls.Certificate{ca.Certify(t, pkix.Name{CommonName: "mallory"}).Pair}
	r.client.CloseIdleConnections()
	wantAnswer(t, r.issue(caddytest.Invoice(2), ""), 403, "inadmissible")
}

func TestRecipeOfNetworks(t *testing.T) {
	r := prepareRecipe(t)
	r.cook("Only from some networks", "10.0.0.0/8 192.0.2.10", "127.0.0.0/8")
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
	r.cook("Only from some networks", "10.0.0.0/8 192.0.2.10", "192.0.2.10")
	if wantAnswer(t, r.issue(caddytest.Invoice(2), ""), 403, ""); len(r.Records()) != 2 {
		t.Errorf("%d records", len(r.Records()))
	}
}

func TestRecipeOfLimits(t *testing.T) {
	r := prepareRecipe(t)
	upstream := caddytest.NewIssuing(t)
	release := upstream.Hold(t, 1)
	r.service, r.inner = upstream.URL, true
	r.cook("Limits on how much", "issuing 32", "issuing 1", "wait 2s", "wait 20ms")
	first := make(chan caddytest.Response)
	go func() { first <- r.issue(caddytest.Invoice(1), "") }()
	<-upstream.Arrived
	busy := r.issue(strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1), "")
	if wantAnswer(t, busy, 503, "busy"); busy.Codes(t)[0] != "gateway.in_flight" || busy.Header.Get("Retry-After") == "" {
		t.Errorf("%v %s", busy.Header, busy.Body)
	}
	release()
	wantAnswer(t, (<-first), 200, "approved")
}

func TestRecipeOfSeveralAddresses(t *testing.T) {
	r := prepareRecipe(t)
	r.cook("Several addresses of the service", "https://a.invoicing.example.com", "http://"+caddytest.FreeAddress(t), "https://b.invoicing.example.com", r.service)
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 502, "not_sent")
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "replayed")
}

// TestRecipeOfAccessLog: what a client has put into the address or a header is in no line.
func TestRecipeOfAccessLog(t *testing.T) {
	r := prepareRecipe(t)
	file := filepath.Join(t.TempDir(), "access.log")
	r.cook("An access log without credentials", "output file /var/log/fielato/access.log", caddytest.LogTo(file))
	request := r.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
	request.URL.RawQuery = "Token=secretQ&sign=secretS&broken=%zz;"
	request.Header.Set("X-Token", "secretH")
	got, err := caddytest.TryWith(r.client, request)
	if err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, got, 400, "inadmissible")
	wantAnswer(t, r.issue(caddytest.Invoice(1), ""), 200, "approved")
	var log []byte
	caddytest.Eventually(t, "both are in the log", func() bool {
		log, err = os.ReadFile(file)
		return err == nil && bytes.Count(log, []byte(`"uri":"/api/wsfev1/FECAESolicitar"`)) == 2
	})
	if bytes.Contains(log, []byte("secret")) || !bytes.Contains(log, []byte(`"wsfev1_outcome":"inadmissible"`)) {
		t.Errorf("the log:\n%s", log)
	}
	if shown, _, err := caddytest.AuditCommand("show", "--store", "sqlite:"+r.Store, "0"); err != nil || strings.Contains(shown, "secret") {
		t.Errorf("the record: %v\n%s", err, shown)
	}
}

func TestRecipeOfMetricsAndHealth(t *testing.T) {
	r := prepareRecipe(t)
	r.admin = caddytest.FreeAddress(t)
	t.Cleanup(func() { r.Load("{\n admin off\n persist_config off\n}\n") }) // or its admin API would stay
	r.URL = "http://" + caddytest.FreeAddress(t)
	r.cook("Metrics and health for others", "http://10.0.0.5:9180 {", r.URL+" {\n\tbind "+caddytest.Loopback, "10.0.0.0/24", "127.0.0.0/8", "localhost:2019", r.admin)
	for path, status := range map[string]int{"/metrics": 200, "/wsfev1/live": 200, "/wsfev1/ready": 503, "/config/": 404, "/": 404} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := caddytest.TryWith(r.client, request)
		if err != nil || got.Status != status {
			t.Errorf("%s: %d %v %s, want %d", path, got.Status, err, got.Body, status)
		}
	}
}

// tls is the TLS configuration of the recipe's client.
func (r *recipe) tls() *tls.Config { return r.client.Transport.(*http.Transport).TLSClientConfig }
