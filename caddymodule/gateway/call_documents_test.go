package gateway_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// getDocument asks for a path.
func getDocument(t *testing.T, s *caddytest.Site, path string, change ...func(*http.Request)) caddytest.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range change {
		one(r)
	}
	return s.Do(r)
}

// TestDocumentsOfSOAPAreRevalidated: a client that has one is told that it still holds, and each
// address has its own.
func TestDocumentsOfSOAPAreRevalidated(t *testing.T) {
	s := caddytest.Start(t, "respond 418")
	tags := map[string]string{}
	for _, path := range []string{"/wsfev1/service.asmx?WSDL", "/a/wsfev1/service.asmx?wsdl", "/wsfev1/service.asmx", "/wsfev1/service.asmx?op=FEDummy"} {
		got := getDocument(t, s, path)
		tag := got.Header.Get("ETag")
		if got.Status != http.StatusOK || tag == "" || tags[tag] != "" || got.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v, as %s", path, got.Status, got.Header, tags[tag])
		}
		tags[tag] = path
		isWSDL := strings.Contains(path, "?W") || strings.Contains(path, "?w")
		if varies := strings.Contains(got.Header.Get("Vary"), "X-Forwarded-Host, X-Forwarded-Proto"); varies != isWSDL {
			t.Errorf("%s: %v", path, got.Header)
		}
		again := getDocument(t, s, path, withHeader("If-None-Match", `"x", `+tag))
		if again.Status != http.StatusNotModified || len(again.Body) > 0 || again.Header.Get("ETag") != tag || again.Header.Get("Vary") != got.Header.Get("Vary") {
			t.Errorf("%s again: %d %v", path, again.Status, again.Header)
		}
		head := getDocument(t, s, path, func(r *http.Request) { r.Method = http.MethodHead })
		if head.Status != http.StatusOK || len(head.Body) > 0 || head.Header.Get("ETag") != tag || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
			t.Errorf("%s, HEAD: %d %v", path, head.Status, head.Header)
		}
		if same := getDocument(t, s, path); !bytes.Equal(same.Body, got.Body) || same.Header.Get("ETag") != tag {
			t.Errorf("%s is another one", path)
		}
	}
	if n := len(s.Records()); n != 0 {
		t.Errorf("%d records", n)
	}
}

// TestAddressOfSOAP: clients post to it in any case and with the query of the WSDL.
func TestAddressOfSOAP(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	message := s.Message(soap.V11, "FEDummy", `{}`)
	at := func(path string) func(*http.Request) {
		return func(r *http.Request) {
			u, err := r.URL.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			r.URL = u
		}
	}
	for path, status := range map[string]int{
		"/wsfev1/service.asmx": 200, "/WSFEv1/Service.ASMX": 200, "/wsfev1/service.asmx?WSDL": 200, "/wsfev1/service.asmx?wsdl": 200,
		"/wsfev1/service.asmx?op=FEDummy": 200, "/prueba/wsfev1/service.asmx": 200,
		"/wsfev1/service.asmx?Token=x": 500, "/wsfev1/service.asmx?": 500, "/wsfev1//service.asmx": 404, "/wsfev1/service.asmx/FEDummy": 404,
	} {
		if got := s.Send(soap.V11, "FEDummy", message, at(path)); got.Status != status {
			t.Errorf("%s: %d, want %d\n%s", path, got.Status, status, got.Body)
		}
	}
}

// TestDocumentsOfSOAP are served to GET, without a record, and the WSDL names the address by which
// the client came.
func TestDocumentsOfSOAP(t *testing.T) {
	s := caddytest.NewSite(t)
	const next = "respond 418"
	get := func(path string, change ...func(*http.Request)) (caddytest.Response, string) {
		t.Helper()
		got := getDocument(t, s, path, change...)
		return got, string(got.Body)
	}
	forwarded := func(r *http.Request) {
		r.Header.Set("X-Forwarded-Proto", "HTTPS, http")
		r.Header.Set("X-Forwarded-Host", "proxy.example, inner:8080")
	}
	s.Load(s.Config(s.WithAudit(), next))
	for path, want := range map[string]string{
		"/wsfev1/service.asmx?WSDL":       `<soap:address location="` + s.URL + `/wsfev1/service.asmx" />`,
		"/wsfev1/service.asmx?wsdl":       `<soap12:address location="` + s.URL + `/wsfev1/service.asmx" />`,
		"/x/WSFEV1/service.asmx?WSDL":     `location="` + s.URL + `/x/wsfev1/service.asmx"`,
		"/wsfev1/service.asmx":            `<a href="?op=FECAESolicitar">`,
		"/wsfev1/service.asmx?op=FEDummy": `<a href="?op=FEDummy">`,
	} {
		got, body := get(path, forwarded)
		if got.Status != http.StatusOK || !strings.Contains(body, want) || strings.Contains(body, "proxy.example") {
			t.Errorf("%s: %d %v\n%.2000s", path, got.Status, got.Header, body)
		}
	}
	if got, _ := get("/wsfev1/service.asmx?Token=x"); got.Status != http.StatusMethodNotAllowed || got.Header.Get("Wsfev1-Record") == "" {
		t.Errorf("a query of another kind: %d %v", got.Status, got.Header)
	}
	if n := len(s.Records()); n != 1 {
		t.Errorf("%d records", n)
	}
	s.URL = "http://" + caddytest.FreeAddress(t)
	s.Load(s.Config(s.WithAudit("public_url https://facturas.example"), next))
	if _, body := get("/wsfev1/service.asmx?WSDL"); strings.Count(body, `location="https://facturas.example/wsfev1/service.asmx"`) != 2 {
		t.Errorf("%.2000s", body)
	}
	for _, wrong := range []string{"facturas.example", "https://facturas.example/", "ftp://x", "https://user@x"} {
		if err := caddytest.LoadCaddyfile(s.Config(s.WithAudit("public_url "+wrong), next)); err == nil || !strings.Contains(err.Error(), "public_url") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
