package gateway_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// TestATicketThatIsRefusedIsNotUsedAgain: the login service of the built-in service has got another
// key, and the service refuses the tickets of the old one. Until the login service may be asked for
// another one nothing is sent.
func TestATicketThatIsRefusedIsNotUsedAgain(t *testing.T) {
	folder := t.TempDir()
	login := &caddytest.Login{}
	login.Certificate, login.Key = caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject(keptCuit, "fielato"), From: time.Now().Add(-time.Hour), Until: time.Now().AddDate(1, 0, 0),
	}))
	far := caddytest.FreeAddress(t)
	login.URL = "http://" + far
	start := func(key string) *caddytest.ServiceProcess {
		return caddytest.StartReady(t, caddytest.Quietly+fmt.Sprintf("http://%s {\n bind %s\n wsfev1_wsaa {\n key %s\n }\n wsfev1_backend {\n ledger sqlite %s\n tickets strict\n }\n}\n",
			far, caddytest.Loopback, filepath.Join(folder, key), filepath.Join(folder, "ledger.db")))
	}
	service := start("first.key")
	s := caddytest.Start(t, caddytest.ProxyTo(far), "ticket off", login.Block("cuits "+keptCuit))
	issue := func(number int) caddytest.Response {
		return s.Post("FECAESolicitar", without(caddytest.Invoice(number)))
	}
	if got := issue(1); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
	service.End()
	start("second.key")
	if got := issue(2); caddytest.FirstError(t, got) != "600" || !strings.Contains(string(got.Body), "no es la firma") {
		t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
	got := issue(2)
	if got.Status != http.StatusServiceUnavailable || got.Codes(t)[0] != "wsaa.no_ticket" || got.Header.Get("Wsfev1-Outcome") != "not_sent" {
		t.Errorf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
}
