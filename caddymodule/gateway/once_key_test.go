package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAKeyIsNotHeldToRefusedCredentials: the client renews its ticket and sends the same again,
// under the same Idempotency-Key.
func TestAKeyIsNotHeldToRefusedCredentials(t *testing.T) {
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), caddytest.Token):
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`)(w, r)
		case strings.HasSuffix(r.URL.Path, "/FECAESolicitar"):
			caddytest.Answering(200, caddytest.Approval)(w, r)
		default:
			caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
		}
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	if got := keyed(s, "one", caddytest.Invoice(1)); caddytest.FirstError(t, got) != "600" {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	renewed := strings.Replace(caddytest.Invoice(1), caddytest.Token, "b3RoZXI=", 1)
	if got := keyed(s, "one", renewed); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("with a new ticket: %d %v %s", got.Status, got.Header, got.Body)
	}
	if got := keyed(s, "one", strings.Replace(renewed, `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":30111222`, 1)); got.Status != 422 {
		t.Errorf("another request under the key: %d %s", got.Status, got.Body)
	}
}
