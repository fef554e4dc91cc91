package caddymodule_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAKeyIsNotHeldToRefusedCredentials: the client renews its ticket and sends the same again,
// under the same Idempotency-Key.
func TestAKeyIsNotHeldToRefusedCredentials(t *testing.T) {
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), token):
			answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`)(w, r)
		case strings.HasSuffix(r.URL.Path, "/FECAESolicitar"):
			answering(200, approval)(w, r)
		default:
			answering(200, `{"RegXReq":250}`)(w, r)
		}
	})
	s := start(t, proxyTo(upstream.URL), exactly...)
	if got := keyed(s, "one", invoice(1)); firstError(t, got) != "600" {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	renewed := strings.Replace(invoice(1), token, "b3RoZXI=", 1)
	if got := keyed(s, "one", renewed); got.header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("with a new ticket: %d %v %s", got.status, got.header, got.body)
	}
	if got := keyed(s, "one", strings.Replace(renewed, `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":30111222`, 1)); got.status != 422 {
		t.Errorf("another request under the key: %d %s", got.status, got.body)
	}
}
