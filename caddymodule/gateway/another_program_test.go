package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAWrongAddressIsTold: the client of an invoice learns what answered in place of the service. Once the address is right, the same request is issued.
func TestAWrongAddressIsTold(t *testing.T) {
	for name, page := range map[string]http.HandlerFunc{
		"no such page": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "404 page not found", http.StatusNotFound)
		},
		"a login page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Ingrese su clave</html>")
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example.com/", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mended atomic.Bool
			behind := caddytest.FreeAddress(t)
			service := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind})
			upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
				if mended.Load() {
					r.Host = behind
					service.ServeHTTP(w, r)
					return
				}
				page(w, r)
			})
			s := caddytest.NewSite(t)
			s.Load(s.Config(strings.Join(append(caddytest.Exactly, s.Audit()), "\n"), caddytest.ProxyTo(upstream.URL)) +
				caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""))
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Status != 504 || !strings.Contains(string(got.Body), "otro programa") || strings.Contains(string(got.Body), "clave") {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			if got.Header.Get("Wsfev1-Outcome") != "unknown" {
				t.Errorf("outcome %s", got.Header.Get("Wsfev1-Outcome"))
			}
			mended.Store(true)
			caddytest.Eventually(t, "the invoice", func() bool {
				again := s.Post("FECAESolicitar", caddytest.Invoice(1))
				return again.Status == 200 && again.At(t, "/FeCabResp/Resultado") == `"A"`
			})
			last := s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
			if n := last.At(t, "/CbteNro"); n != "1" {
				t.Errorf("%s invoices were issued", n)
			}
		})
	}
}

// TestOneStrayOfAClientIsRecorded: a scanner's requests are all answered and counted, and the trail
// gets one. A request meant for the interface is always recorded.
func TestOneStrayOfAClientIsRecorded(t *testing.T) {
	s := caddytest.Start(t, "respond 503")
	series := `wsfev1_exchanges_total{operation="unknown",outcome="inadmissible"}`
	before := s.Metric(series)
	for i := range 100 {
		response, err := http.Get(s.URL + "/wp-login.php?" + fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		recorded := response.Header.Get("Wsfev1-Record") != ""
		if response.StatusCode < 400 || recorded != (i == 0) {
			t.Fatalf("request %d: status %d, %v", i, response.StatusCode, response.Header)
		}
	}
	if got := s.Metric(series); got != caddytest.Plus(t, before, 100) {
		t.Errorf("%s went from %s to %s", series, before, got)
	}
	for range 3 {
		if got := s.Post("FENada", "{}"); got.Header.Get("Wsfev1-Record") == "" {
			t.Errorf("%d %v", got.Status, got.Header)
		}
	}
	if n := len(s.Records()); n != 4 {
		t.Errorf("%d records", n)
	}
}
