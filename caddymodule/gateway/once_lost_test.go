package gateway_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestALostAnswerIsKept: the client gets the service's later answer. The record has the unusable
// answer that came before it, without credentials and without a body that is no JSON.
func TestALostAnswerIsKept(t *testing.T) {
	const firewall = "<html>blocked " + caddytest.Token + "</html>"
	for name, test := range map[string]struct {
		status      int
		media, body string
		want        string
		not         string
	}{
		"a page": {403, "text/html; charset=utf-8", firewall, "status 403, text/html, " + strconv.Itoa(len(firewall)) + " bytes, no JSON", "blocked"},
		"a foreign object": {
			401, "application/json", `{"error":"no seat for ` + caddytest.Token + `","request":"r-17"}`,
			`status 401, application/json, ` + strconv.Itoa(len(`{"error":"no seat for `+caddytest.Token+`","request":"r-17"}`)) + ` bytes, JSON: {"error":"hmac-sha256:`, caddytest.Token,
		},
		"nothing":                  {200, "", "", "status 200, empty", "{"},
		"an approval of another's": {200, "application/json", strings.Replace(caddytest.Approval, "20111111112", "30500010912", 1), `JSON: {"FeCabResp":{"Cuit":30500010912`, "\n"},
		"far too much":             {500, "application/json", `{"error":"` + strings.Repeat("x", 70_000) + `"}`, "status 500, application/json, 70012 bytes, JSON", "xx"},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
					caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
					return
				}
				w.Header()["Content-Type"] = nil
				if test.media != "" {
					w.Header().Set("Content-Type", test.media)
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			})
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "recover within 200ms")
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Status != 502 || got.Codes(t)[0] != "once.not_issued" || strings.Contains(string(got.Body), "No hubo respuesta") {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			detail := s.Last().Detail
			if !strings.Contains(detail, test.want) || strings.Contains(detail, test.not) || strings.Contains(detail, caddytest.Sign) {
				t.Errorf("kept: %s\nwant %s", detail, test.want)
			}
		})
	}
}
