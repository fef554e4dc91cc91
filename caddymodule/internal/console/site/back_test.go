package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// TestTheWayBackStaysInTheConsole, whatever an address says.
func TestTheWayBackStaysInTheConsole(t *testing.T) {
	for given, want := range map[string]string{
		"":                                "/consola/search",
		"q=hoy&cuit=20111111112":          "/consola/search?cuit=20111111112&q=hoy#row-a/4",
		"https://example.com":             "/consola/search?https%3A%2F%2Fexample.com=#row-a/4",
		"//example.com/?q=1":              "/consola/search?%2F%2Fexample.com%2F%3Fq=1#row-a/4",
		"q=\"><script>":                   "/consola/search?q=%22%3E%3Cscript%3E#row-a/4",
		"q=%zz":                           "/consola/search",
		"from=25":                         "/consola/search",
		"from=25&q=hoy":                   "/consola/search?q=hoy#row-a/4",
		"q=" + strings.Repeat("x", 10000): "/consola/search",
	} {
		frame := &site.Frame{Base: "/consola"}
		r := httptest.NewRequest(http.MethodGet, "/consola/exchange/a/4", nil)
		r.URL.RawQuery = given
		if got, _ := frame.Back(r); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/consola/comprobante/20111111112/6/1/7?q=hoy", nil)
	if got, _ := (&site.Frame{Base: "/consola"}).Back(r); got != "/consola/search?q=hoy#row-20111111112/6/1/7" {
		t.Errorf("from an invoice: %s", got)
	}
}
