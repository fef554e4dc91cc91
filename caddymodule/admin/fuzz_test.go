package admin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/admin"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// FuzzRequests sends anything to each path of the admin API: it is carried out or refused, and never fails.
func FuzzRequests(f *testing.F) {
	routes := new(admin.Admin).Routes()
	for i := range routes {
		for _, body := range []string{
			"", "{}", "[]", "null", `{"mode":"offset","offset":"11d"}`, `{"mode":"fixed","time":"2026-11-26T09:00:00-03:00"}`, `{"mode":"system"}`,
			`{"cuit":20111111112,"certificate":"x","login":"x","service":"wsfe"}`, `{"log":"gw","public_key":"key","who":"ana@host","what":"audit search"}`,
			`[{"kind":"drop","operation":"FECAESolicitar","probability":0.1,"delay":"1s"}]`, `{"faults":[{"kind":"delay","delay":"normal 1s 2s"}],"seed":1}`, `{"fail":"expired"}`,
		} {
			f.Add(byte(i), byte(1), body)
		}
	}
	caddytest.Start(f, caddytest.WithBackend(f))
	methods := []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodHead}
	f.Fuzz(func(t *testing.T, index, method byte, body string) {
		route := routes[int(index)%len(routes)]
		r := httptest.NewRequestWithContext(t.Context(), methods[int(method)%len(methods)], route.Pattern, strings.NewReader(body))
		w := httptest.NewRecorder()
		if err := route.Handler.ServeHTTP(w, r); err == nil && w.Code >= 500 {
			t.Fatalf("%s %s %q: %d %s", r.Method, route.Pattern, body, w.Code, w.Body)
		}
	})
}
