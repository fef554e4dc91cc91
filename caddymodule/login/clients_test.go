package login_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestATicketProvesItsHolder: a client without password and certificate is known by a ticket that the authority has
// signed, in JSON and SOAP, and by no other.
func TestATicketProvesItsHolder(t *testing.T) {
	folder := t.TempDir()
	s := caddytest.NewSite(t)
	row := "client shop {\n ticket \"SERIALNUMBER=CUIT 20111111112, CN=prueba\"\n cuits 20111111112\n may issue\n}"
	s.Load(s.Config(s.WithAudit(row, "ticket check "+filepath.Join(folder, "login.crt")), services(folder, "represents 30-50001091-2 20111111112")))
	own := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{}))))
	represented := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("30500010912", "otra")}))))
	if refused := issue(t, s, 1, own); refused != "" || s.Last().ClientRow != "shop" {
		t.Fatalf("with its ticket: %s, recorded as of %q", refused, s.Last().ClientRow)
	}
	unsigned, sign, err := wsaa.NewTicket(now(t), time.Hour, "wsfe", 20111111112)
	if err != nil {
		t.Fatal(err)
	}
	for name, with := range map[string]ticket{
		"of another who represents the issuer": represented, "that nobody has signed": {unsigned, sign},
		"with the Sign of another": {own.Token, represented.Sign}, "that is none": {caddytest.Token, caddytest.Sign},
	} {
		if refused := issue(t, s, 2, with); !strings.Contains(refused, "http.client") {
			t.Errorf("a ticket %s: %s", name, refused)
		}
	}
	replace := strings.NewReplacer(caddytest.Token, own.Token.Reveal(), caddytest.Sign, own.Sign.Reveal())
	for _, version := range []soap.Version{soap.V11, soap.V12} {
		if got := s.Send(version, "FECAESolicitar", s.Message(version, "FECAESolicitar", replace.Replace(caddytest.Invoice(2)))); got.Status != 200 {
			t.Errorf("%v: %d %s", version, got.Status, got.Body)
		}
	}
	if got := s.Post("FECAESolicitar", replace.Replace(`{"Auth":{"Token":"`+caddytest.Token+`"}}`)); !strings.Contains(string(got.Body), "http.client") {
		t.Errorf("without a Sign: %s", got.Body)
	}
}
