package console_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestThePathsOfTheConsole: it serves all paths below its own; all others go on to the next handler.
func TestThePathsOfTheConsole(t *testing.T) {
	p := serve(t, siteOf("wsfev1_console\n respond other"))
	for _, test := range []struct {
		method, address string
		want            int
		text            string
	}{
		{"GET", "/", 200, "other"},
		{"GET", "/consolation/", 200, "other"},
		{"GET", "/consola/nothing", 404, "No existe"},
		{"GET", "/consola/assets/..%2f..%2fsite.go", 404, "No existe"},
		{"GET", "/consola/assets/%2e%2e/site.go", 404, "No existe"},
		{"GET", "/consola/exchange/x%00/1", 404, "No existe"},
		{"GET", "/consola/search", 200, "<h1"},
		{"HEAD", "/consola/outages", 200, ""},
		{"POST", "/consola/search", 405, "No se puede"},
		{"PUT", "/consola/search", 405, "No se puede"},
		{"DELETE", "/consola/exchange/log/1", 405, "No se puede"},
		{"OPTIONS", "/consola/search", 405, "No se puede"},
		{"POST", "/consola/nothing", 404, "No existe"},
	} {
		got := p.open(test.method, test.address)
		if got.Status != test.want || !strings.Contains(string(got.Body), test.text) {
			t.Errorf("%s %s: %d, want %d with %q\n%s", test.method, test.address, got.Status, test.want, test.text, got.Body)
		}
		if allow := got.Header.Get("Allow"); test.want == http.StatusMethodNotAllowed && allow != "GET, HEAD" {
			t.Errorf("%s %s: Allow %q", test.method, test.address, allow)
		}
		if test.method == http.MethodHead && (len(got.Body) > 0 || got.Header.Get("Content-Length") == "") {
			t.Errorf("HEAD: %v %s", got.Header, got.Body)
		}
	}
	for from, to := range map[string]string{
		"/consola": "/consola/", "/consola?q=1%262&x": "/consola/?q=1%262&x",
	} {
		if got := p.open("GET", from); got.Status != http.StatusPermanentRedirect || got.Header.Get("Location") != to {
			t.Errorf("%s: %d to %q, want %q", from, got.Status, got.Header.Get("Location"), to)
		}
	}
}

// TestTheConsoleAnswersWithinOtherRoutes, and its links lead to where the browser is.
func TestTheConsoleAnswersWithinOtherRoutes(t *testing.T) {
	s := caddytest.NewSite(t)
	config := s.Config(s.WithAudit(), "respond ok")
	var checks []func()
	for name, test := range map[string]struct{ inside, at string }{
		"handle":              {"handle /consola/* {\n wsfev1_console\n }", "/consola"},
		"handle_path":         {"handle_path /consola/* {\n wsfev1_console\n }", "/consola"},
		"handle_path, deeper": {"handle_path /facturas/* {\n wsfev1_console {\n path /facturas/ver\n }\n }", "/facturas/ver"},
		"route":               {"route {\n wsfev1_console\n respond 404\n }", "/consola"},
		"a matcher":           {"wsfev1_console /consola/*", "/consola"},
		"a slash at the end":  {"wsfev1_console {\n path /ver/\n }", "/ver"},
		"the gateway behind":  {"wsfev1 {\n " + s.Audit() + "\n }\n respond 200\n wsfev1_console", "/consola"},
	} {
		p := &edge{t, "http://" + caddytest.FreeAddress(t), s}
		config += strings.ReplaceAll(siteOf(test.inside), "SITE", p.console)
		checks = append(checks, func() {
			got := p.open("GET", test.at+"/search")
			if got.Status != http.StatusOK || !strings.Contains(string(got.Body), `action="`+test.at+`/search"`) {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		})
	}
	s.Load(config)
	for _, check := range checks {
		check()
	}
}

// most is the largest size that the first page may have, with all its files: over the wire, as the site
// sends it.
const most = 150_000

// TestTheFirstPageIsLight, and lighter by far where the site says encode.
func TestTheFirstPageIsLight(t *testing.T) {
	for inside, limit := range map[string]int{"wsfev1_console": most, "encode\n wsfev1_console": most / 2} {
		p := serve(t, siteOf(inside))
		p.gateway.Post("FECAESolicitar", caddytest.Invoice(1))
		text, total := string(p.open("GET", "/consola/").Body), 0
		addresses := []string{"/consola/"}
		for part := range strings.SplitSeq(text, `"`) {
			if strings.HasPrefix(part, "/consola/assets/") {
				addresses = append(addresses, part)
			}
		}
		for _, address := range addresses {
			got := p.open("GET", address, header("Accept-Encoding", "gzip"))
			if got.Status != http.StatusOK {
				t.Errorf("%s: %d", address, got.Status)
			}
			total += len(got.Body)
		}
		t.Logf("%q: %d files, %d bytes", inside, len(addresses), total)
		if len(addresses) < 4 || total > limit {
			t.Errorf("%q: %d bytes in %v, want %d at most", inside, total, addresses, limit)
		}
	}
}

// TestTheLogNamesTheAddress to open in a browser, once for each configuration.
func TestTheLogNamesTheAddress(t *testing.T) {
	s := caddytest.NewSite(t)
	file := filepath.Join(t.TempDir(), "caddy.log")
	port := caddytest.PortOf("http://" + caddytest.FreeAddress(t))
	config := strings.Replace(s.Config(s.WithAudit(), "respond ok"), "{\n", "{\n\tlog {\n"+caddytest.LogTo(file)+"\t}\n", 1)
	lines := func() (found []string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "the console can be opened in a browser") {
				found = append(found, line)
			}
		}
		return found
	}
	s.Load(config + "http://localhost:" + port + " {\n bind " + caddytest.Loopback + "\n wsfev1_console\n}\n")
	if got := lines(); len(got) != 1 || !strings.Contains(got[0], `"url":"http://localhost:`+port+`/consola/"`) || !strings.Contains(got[0], `"level":"info"`) {
		t.Errorf("%q", got)
	}
	s.Load(config + "http://:" + port + " {\n bind " + caddytest.Loopback + "\n wsfev1_console {\n path /ver\n }\n}\n")
	if got := lines(); len(got) != 2 || !strings.Contains(got[1], `"url":"http://`+caddytest.Loopback+`:`+port+`/ver/"`) {
		t.Errorf("%q", got)
	}
}
