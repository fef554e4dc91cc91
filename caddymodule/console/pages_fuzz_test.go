package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// pages are addresses below the console's path, with LOG for the log.
var pages = []string{
	"/", "/causes", "/search", "/search.csv", "/exchange/LOG/1", "/exchange/LOG/0/request", "/exchange/LOG/1/reveal", "/comprobante/20111111112/6/1/1", "/proof/LOG/1",
	"/try", "/try/LOG/1", "/try/judge", "/try/judge-lines", "/rules", "/rules/10048", "/month", "/month.csv", "/outages", "/outages/LOG/1", "/readings",
}

// FuzzPages asks for any page with any query, language, cookie and body, as a link in a mail may: each gets a page or a
// refusal, no failure, and nothing that an address says becomes markup.
func FuzzPages(f *testing.F) {
	for i := range pages {
		for _, query := range []string{
			"", "q=6-1-1", "q=rechazados+ayer&list=invoices", "at=LOG/1%2B3&top=LOG/1", "until=2026-11-22&days=7", "day=2026-11-22", "month=2026-10&cuit=20-11111111-2&by=authorised",
			"example=a&gateway=0&date=2026-11-20", "first=1&kind=sheet", "who=x&before=2026-11-22T10:00:00Z", "from=LOG/1&window=3", "as=csv&q=<b>'\"", "of=q%3D1&of=q%3D2",
			"cbte-tipo=6&pto-vta=1&nro=1&cuit=20111111112&since=2026-11-01&until=2026-11-30&status=200&kind=exchange&outcome=approved&operation=FEDummy",
		} {
			f.Add(byte(i), query, "es-AR", "", "", []byte(nil))
		}
		f.Add(byte(i), "", "en;q=0.5,*", "x=<b>", "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{}\r\n--x--\r\n"))
		f.Add(byte(i), "first=1&kind=sheet", "", "", "text/csv", []byte("CbteTipo;PtoVta;CbteDesde;ImpTotal\n6;1;1;\"1.000,00\"\n"))
	}
	s := caddytest.Start(f, caddytest.WithBackend(f)+"\nwsfev1_console")
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "122.00", 1))
	log := s.Records()[0].Log
	server, before := s.Server(), s.Metric("wsfev1_panics_total")
	f.Cleanup(func() {
		if after := s.Metric("wsfev1_panics_total"); after != before {
			f.Errorf("panics: %s, then %s", before, after)
		}
	})
	f.Fuzz(func(t *testing.T, index byte, query, language, cookie, media string, body []byte) {
		path := pages[int(index)%len(pages)]
		method := http.MethodGet
		if len(body) > 0 {
			method = http.MethodPost
		}
		r := httptest.NewRequestWithContext(t.Context(), method, s.URL+"/consola"+strings.ReplaceAll(path, "LOG", log), strings.NewReader(string(body)))
		r.RemoteAddr, r.URL.RawQuery = "127.0.0.1:1", strings.ReplaceAll(query, "LOG", log)
		r.RequestURI = r.URL.RequestURI()
		for name, value := range map[string]string{"Accept-Language": language, "Cookie": cookie, "Content-Type": media, "Sec-Fetch-Site": "same-origin"} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if page := w.Body.String(); w.Code < 200 || w.Code >= 500 && w.Header().Get("Retry-After") == "" || !utf8.ValidString(page) || strings.Contains(page, "<b>") && w.Header().Get("Content-Type") == "text/html; charset=utf-8" {
			t.Fatalf("%s?%s: %d %s", path, query, w.Code, page)
		}
	})
}
