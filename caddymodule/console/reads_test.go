package console_test

import (
	"crypto/tls"
	"crypto/x509/pkix"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// guarded is a console behind a password.
const guarded = "basic_auth {\n contadora " + hash + "\n }\n wsfev1_console"

var contadora = as("contadora", "example-only")

// recordOf returns the address of the record that an answer of the gateway names.
func recordOf(got caddytest.Response) string { return got.Header.Get("Wsfev1-Record") }

// TestEachPageWithContentIsRecorded before it is shown, with its reader, and no other page is.
func TestEachPageWithContentIsRecorded(t *testing.T) {
	p := serve(t, siteOf(guarded), caddytest.LogReads)
	record := recordOf(p.gateway.Post("FECAESolicitar", caddytest.Invoice(1)))
	seen := 0
	for _, test := range []struct {
		address, want string
		status        int
	}{
		{"/search?q=20111111112", `console search "20111111112"`, 200},
		{"/search?q=%22%0A%3Cb%3E", "", 200},
		{"/exchange/" + record, "console show " + record, 200},
		{"/proof/" + record, "console ", 200},
		{"/month?month=2026-10&cuit=20111111112", "console totals --month 2026-10 --cuit 20111111112", 200},
		{"/month.csv?month=2026-10", "console totals --month 2026-10 --invoices", 200},
		{"/month?month=2026", "", 400},
		{"/comprobante/20111111112/6/1/1", "console invoice --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 1", 200},
		{"/comprobante/20111111112/6/1/1/constancia.html", "console invoice --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 1 constancia", 200},
		{"/comprobante/20111111112/6/1/0", "", 404},
		{"/exchange/elsewhere/0", "", 404},
		{"/nothing", "", 404},
		{"", "", 308},
	} {
		got := p.open(http.MethodGet, "/consola"+test.address, contadora)
		if got.Status != test.status {
			t.Errorf("%s: %d %s", test.address, got.Status, got.Body)
		}
		all := p.gateway.Accesses()
		if test.want == "" {
			if len(all) != seen {
				t.Errorf("%s is recorded: %+v", test.address, all[len(all)-1])
			}
			seen = len(all)
			continue
		}
		if len(all) != seen+1 {
			t.Fatalf("%s: %d records of access, want %d", test.address, len(all), seen+1)
		}
		seen++
		r := all[seen-1]
		if !strings.HasPrefix(r.Detail, test.want) || r.ClientIdentity != "contadora" || r.Way != audit.WayConsole || r.ClientAddress != caddytest.Loopback && r.ClientAddress != "127.0.0.1" {
			t.Errorf("%s: recorded %q by %q at %q", test.address, r.Detail, r.ClientIdentity, r.ClientAddress)
		}
	}
	for _, asset := range assetsOf(t, p) {
		if got := p.open(http.MethodGet, asset, contadora); got.Status != http.StatusOK {
			t.Errorf("%s: %d", asset, got.Status)
		}
	}
	if got := p.open(http.MethodGet, "/consola/exchange/"+record); got.Status != http.StatusUnauthorized || len(p.gateway.Accesses()) != seen+1 {
		t.Errorf("without a password: %d, %d records", got.Status, len(p.gateway.Accesses()))
	}
}

// TestWhatIsRevealedIsRecordedAsThat, page and file. The record of a masked page is a plain read.
func TestWhatIsRevealedIsRecordedAsThat(t *testing.T) {
	p := serve(t, siteOf(guarded+" {\n mask\n }"), caddytest.LogReads)
	record := recordOf(p.gateway.Post("FECAESolicitar", caddytest.Invoice(1)))
	for i, test := range []struct{ method, address, want string }{
		{http.MethodGet, "/proof/" + record, "prove " + record},
		{http.MethodGet, "/proof/" + record + "/proof", "prove " + record + " --output"},
		{http.MethodPost, "/proof/" + record + "/reveal", "reveal " + record + " proof"},
		{http.MethodPost, "/proof/" + record + "/reveal/proof", "reveal " + record + " proof --output"},
		{http.MethodPost, "/proof/" + record + "/reveal/evidence?nro=1", "reveal " + record + " evidence --nro 1"},
		{http.MethodPost, "/exchange/" + record + "/reveal", "reveal " + record},
	} {
		got := p.open(test.method, "/consola"+test.address, contadora)
		all := p.gateway.Accesses()
		if got.Status != http.StatusOK || len(all) != i+1 || all[i].Detail != "console "+test.want {
			t.Errorf("%s %s: %d, %d records, want %q: %+v", test.method, test.address, got.Status, len(all), test.want, all)
		}
	}
}

// TestACertificateNamesTheReader: who has none that the authority has issued, sees nothing, and the subject
// of the one that was shown stands in the record of the read.
func TestACertificateNamesTheReader(t *testing.T) {
	ca := caddytest.NewEdgeAuthority(t)
	certificate, key := ca.Certify(t, pkix.Name{CommonName: "consola"}, "consola.example.com").Files(t)
	s := caddytest.NewSite(t)
	address := caddytest.FreeAddress(t)
	site := "https://consola.example.com:" + caddytest.PortOf(address) + " {\n" + bound + caddytest.Loopback + "\n tls " + certificate + " " + key +
		" {\n client_auth {\n mode require_and_verify\n trust_pool file " + ca.File(t) + "\n }\n }\n wsfev1_console\n}\n"
	s.Load(s.Config(s.WithAudit(caddytest.LogReads), caddytest.WithBackend(t)) + site)
	record := recordOf(s.Post("FECAESolicitar", caddytest.Invoice(1)))
	read := func(pairs ...tls.Certificate) (caddytest.Response, error) {
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: ca.Pool(), ServerName: "consola.example.com", Certificates: pairs}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/consola/exchange/"+record, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "consola.example.com"
		return caddytest.TryWith(&http.Client{Transport: transport}, r)
	}
	subject := pkix.Name{CommonName: "ana", Organization: []string{"Example"}}
	if got, err := read(); err == nil {
		t.Errorf("without a certificate: %d %s", got.Status, got.Body)
	}
	if got, err := read(caddytest.NewEdgeAuthority(t).Certify(t, subject).Pair); err == nil {
		t.Errorf("with another authority's certificate: %d %s", got.Status, got.Body)
	}
	if n := len(s.Accesses()); n != 0 {
		t.Errorf("%d records of reads that were not", n)
	}
	got, err := read(ca.Certify(t, subject).Pair)
	if err != nil || got.Status != http.StatusOK || !strings.Contains(string(got.Body), "CN=ana,O=Example") {
		t.Fatalf("%d %v %s", got.Status, err, got.Body)
	}
	if all := s.Accesses(); len(all) != 1 || all[0].ClientIdentity != "CN=ana,O=Example" {
		t.Errorf("recorded: %+v", all)
	}
}

// assetsOf returns the addresses of the files that a page needs. It is read once more for that.
func assetsOf(t *testing.T, p *edge) (all []string) {
	t.Helper()
	text := string(p.open(http.MethodGet, "/consola/search", contadora).Body)
	for part := range strings.SplitSeq(text, `"`) {
		if strings.HasPrefix(part, "/consola/assets/") {
			all = append(all, part)
		}
	}
	if len(all) < 3 {
		t.Fatalf("the page has the files %q", all)
	}
	return all
}

// TestAReadThatCannotBeRecordedShowsNothing: the trail no longer takes records.
func TestAReadThatCannotBeRecordedShowsNothing(t *testing.T) {
	p := serve(t, siteOf(guarded), caddytest.LogReads)
	record := recordOf(p.gateway.Post("FECAESolicitar", caddytest.Invoice(1)))
	caddytest.Tamper(t, p.gateway.Store, "CREATE TRIGGER full BEFORE INSERT ON segments BEGIN SELECT RAISE(FAIL, 'the disk is full'); END; UPDATE settings SET value = value")
	for _, address := range []string{"/exchange/" + record, "/search?q=20111111112", "/proof/" + record, "/month", "/month.csv"} {
		got := p.open(http.MethodGet, "/consola"+address, contadora)
		if got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), "log_reads") || strings.Contains(string(got.Body), "121") {
			t.Errorf("%s: %d %s", address, got.Status, got.Body)
		}
	}
}

// own is the site of a console with a store of its own.
func own(options string) string { return siteOf("wsfev1_console {\n " + options + "\n }") }

// TestAStoreOfItsOwn is read beside the gateway that writes it, and after a reload too.
func TestAStoreOfItsOwn(t *testing.T) {
	backend := caddytest.WithBackend(t)
	s := caddytest.Start(t, backend)
	record := recordOf(s.Post("FECAESolicitar", caddytest.Invoice(1)))
	p := &edge{t, "http://" + caddytest.FreeAddress(t), s}
	site := strings.ReplaceAll(own("audit sqlite "+s.Store), "SITE", p.console)
	gateway := s.Config(s.WithAudit(), backend)
	for _, config := range []string{gateway + site, gateway + site + "# again\n", "{\n admin off\n persist_config off\n}\n" + site} {
		s.Load(config)
		if got := p.open(http.MethodGet, "/consola/exchange/"+record); got.Status != http.StatusOK || !strings.Contains(string(got.Body), "0001-00000001") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
}

// TestAStoreThatIsMissingIsAnError at start, and makes no file; a console without any store says so.
func TestAStoreThatIsMissingIsAnError(t *testing.T) {
	s := caddytest.NewSite(t)
	p := &edge{t, "http://" + caddytest.FreeAddress(t), s}
	missing := filepath.Join(t.TempDir(), "audit.db")
	err := caddytest.LoadCaddyfile("{\n admin off\n persist_config off\n}\n" + strings.ReplaceAll(own("audit sqlite "+missing), "SITE", p.console))
	if err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "wsfev1_console") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a file was made")
	}
	s.Load("{\n admin off\n persist_config off\n}\n" + strings.ReplaceAll(siteOf("wsfev1_console"), "SITE", p.console))
	if got := p.open(http.MethodGet, "/consola/search"); got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), "wsfev1") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestAStoreOfItsOwnCannotRecordReads, so where they must be recorded no content is shown.
func TestAStoreOfItsOwnCannotRecordReads(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.LogReads)
	record := recordOf(s.Post("FECAESolicitar", caddytest.Invoice(1)))
	p := &edge{t, "http://" + caddytest.FreeAddress(t), s}
	s.Load("{\n admin off\n persist_config off\n}\n" + strings.ReplaceAll(own("audit sqlite "+s.Store), "SITE", p.console))
	for _, address := range []string{"/exchange/" + record, "/search?q=20111111112", "/proof/" + record, "/month", "/month.csv"} {
		got := p.open(http.MethodGet, "/consola"+address)
		if got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), "log_reads") || strings.Contains(string(got.Body), "0001-00000001") {
			t.Errorf("%s: %d %s", address, got.Status, got.Body)
		}
	}
	if got := len(s.Accesses()); got != 0 {
		t.Errorf("%d records of access", got)
	}
}

// TestAStoreOfItsOwnNeedsTheKey to show encrypted content.
func TestAStoreOfItsOwnNeedsTheKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "encryption.key")
	if _, _, err := caddytest.AuditCommand("new-key", file); err != nil {
		t.Fatal(err)
	}
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"encryption_key "+file)
	record := recordOf(s.Post("FECAESolicitar", caddytest.Invoice(1)))
	for option, want := range map[string]string{"": "cifrado", "encryption_key " + file: "CondicionIVAReceptorId"} {
		p := &edge{t, "http://" + caddytest.FreeAddress(t), s}
		s.Load("{\n admin off\n persist_config off\n}\n" + strings.ReplaceAll(own("audit sqlite "+s.Store+"\n "+option), "SITE", p.console))
		got := p.open(http.MethodGet, "/consola/exchange/"+record)
		if got.Status != http.StatusOK || !strings.Contains(string(got.Body), want) {
			t.Errorf("%q: %d %s", option, got.Status, got.Body)
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestARoleThatOnlyReadsIsEnough in PostgreSQL, and all logs are shown.
func TestARoleThatOnlyReadsIsEnough(t *testing.T) {
	s := caddytest.TwoNodes(t)
	t.Setenv("FIELATO_TEST_READER", postgrestest.Granted(t, s.DSN, "fielato_reader", auditpostgres.ReaderGrants))
	p := &edge{t, "http://" + caddytest.FreeAddress(t), caddytest.NewSite(t)}
	p.gateway.Load("{\n admin off\n persist_config off\n}\n" + strings.ReplaceAll(own("audit postgres {env.FIELATO_TEST_READER}"), "SITE", p.console))
	got := p.open(http.MethodGet, "/consola/search")
	for _, want := range []string{"north", "south"} {
		if got.Status != http.StatusOK || !strings.Contains(string(got.Body), want) {
			t.Errorf("%d without %s: %s", got.Status, want, got.Body)
		}
	}
	if got := p.open(http.MethodGet, "/consola/exchange/south/1"); got.Status != http.StatusOK {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
