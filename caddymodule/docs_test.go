package caddymodule_test

import (
	"crypto/x509/pkix"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// page is a Markdown file of the repository.
type page struct{ file, text string }

// pages are all there are.
func pages(t *testing.T) (all []page) {
	t.Helper()
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || file != ".." && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".md":
			return nil
		}
		text, err := os.ReadFile(file)
		all = append(all, page{file, string(text)})
		return err
	})
	if err != nil || len(all) < 5 {
		t.Fatalf("%d pages: %v", len(all), err)
	}
	return all
}

var caddyfileBlock = regexp.MustCompile("(?ms)^( *)```caddyfile\n(.*?)^ *```$")

// TestCaddyfilesInTheDocsAreValid: all of them, a part of one in its place.
func TestCaddyfilesInTheDocsAreValid(t *testing.T) {
	ca := caddytest.NewEdgeAuthority(t)
	certificate, key := ca.Certify(t, pkix.Name{CommonName: "invoices"}, "invoices.example.com").Files(t)
	login := caddytest.NewLogin(t, "20111111112")
	receivers := filepath.Join(t.TempDir(), "receptores.csv")
	if err := os.WriteFile(receivers, []byte("80,30500010912,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"SHOP_PASSWORD_HASH": hashOfExampleOnly, "ERP_PASSWORD_HASH": hashOfExampleOnly, "REPORTS_PASSWORD_HASH": hashOfExampleOnly, "CHIEF_PASSWORD_HASH": hashOfExampleOnly,
		"OFFICE_PASSWORD_HASH": hashOfExampleOnly, "PANADERIA_PASSWORD_HASH": hashOfExampleOnly, "LIBRERIA_PASSWORD_HASH": hashOfExampleOnly,
		"FIELATO_NODE": "node-1", "FIELATO_DB_PASSWORD": "of-the-test", "FIELATO_COLLECTOR": "https://collector.example.com/", "FIELATO_TSA": "https://tsa.example.com/tsr",
	} {
		t.Setenv(name, value)
	}
	all, lines := pages(t), written(t, "customers", customers(t))
	caddytest.InEmptyFolder(t)
	seen := 0
	for _, p := range all {
		for _, block := range caddyfileBlock.FindAllStringSubmatch(p.text, -1) {
			seen++
			text := strings.ReplaceAll("\n"+block[2], "\n"+block[1], "\n")
			if strings.HasPrefix(text, "\naudit ") {
				text = "wsfev1 {" + text + "}\n"
			}
			if strings.HasPrefix(strings.TrimSpace(text), "wsfev1") {
				if !strings.Contains(text, "wsfev1_backend") {
					text += "\nwsfev1_backend\n" // a part of a site: the service behind it
				}
				text = "http://localhost:8080 {\n" + text + "}\n"
			}
			for from, to := range map[string]string{
				"/etc/fielato/clients-ca.pem": ca.File(t), "/etc/fielato/tsa-root.pem": ca.File(t), "/etc/fielato/site.pem": certificate, "/etc/fielato/site-key.pem": key,
				"/etc/fielato/homo.crt": login.Certificate, "/etc/fielato/homo.key": login.Key, "/etc/fielato/receptores.csv": receivers,
				"/etc/fielato/customers": lines,
				"/etc/fielato/norte.crt": login.Certificate, "/etc/fielato/norte.key": login.Key,
				"/etc/fielato/sur.crt": login.Certificate, "/etc/fielato/sur.key": login.Key,
			} {
				text = strings.ReplaceAll(text, from, to)
			}
			if err := caddytest.Provision(t, []byte(text)); err != nil {
				t.Errorf("%s: %v\n%s", p.file, err, text)
			}
		}
	}
	if seen < 12 {
		t.Errorf("only %d Caddyfiles", seen)
	}
}

// firstInvoice is the body that the README sends by curl.
var firstInvoice = regexp.MustCompile(`(?s)INVOICE='(.*?)'`)

// TestTheFirstInvoiceOfTheReadme: what README and docs/getting-started.md say of it comes true.
func TestTheFirstInvoiceOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	found := firstInvoice.FindSubmatch(readme)
	if found == nil {
		t.Fatal("the README sends no invoice")
	}
	body := string(found[1])
	s := caddytest.Start(t, "respond ok")
	t.Setenv("FIELATO_SITE", s.URL)
	t.Setenv("FIELATO_OTHER_HOSTS", "http://:"+caddytest.PortOf(s.URL))
	t.Setenv("FIELATO_AUDIT", filepath.Join(t.TempDir(), "audit.db"))
	t.Setenv("FIELATO_LEDGER", filepath.Join(t.TempDir(), "ledger.db"))
	t.Setenv("FIELATO_METRICS", s.Metrics)
	s.Load(strings.Replace(string(example), "{\n", "{\n\tadmin off\n\tpersist_config off\n\tdefault_bind "+caddytest.Loopback+"\n", 1))
	first := s.Post("FECAESolicitar", body)
	wantAnswer(t, first, 200, "approved")
	if cae := first.At(t, "/FeDetResp/FECAEDetResponse/0/CAE"); !strings.HasPrefix(cae, `"9`) {
		t.Errorf("CAE %s", cae)
	}
	wantAnswer(t, s.Post("FECAESolicitar", body), 200, "replayed")
	other := strings.NewReplacer("121.00", "242.00", "100.00", "200.00", "21.00", "42.00").Replace(body)
	for _, test := range []struct{ body, outcome, code string }{
		{other, "rejected", "10016"},
		{strings.Replace(body, "121.00", "121.02", 1), "refused", "10048"},
	} {
		got := s.Post("FECAESolicitar", test.body)
		wantAnswer(t, got, 200, test.outcome)
		if !strings.Contains(string(got.Body), `"Code":`+test.code) {
			t.Errorf("%s: %s", test.code, got.Body)
		}
	}
}
