package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestATicketProvesItsHolder, if the authority signed it and it is in force; anything else is nobody's.
func TestATicketProvesItsHolder(t *testing.T) {
	stub := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	own, other := newAuthority(t), newAuthority(t)
	s := caddytest.Start(t, caddytest.ProxyTo(stub.URL), "ticket check "+own.file, "mode observe",
		"client erp {\n ticket \"SERIALNUMBER=CUIT 20111111112, CN=erp\"\n cuits 20-11111111-2\n may issue\n}")
	document := func(uid string, expires time.Duration) string {
		return strings.Replace(caddytest.SSOTicket("wsfe", time.Now().Add(expires), 20111111112), `uid="u"`, uid, 1)
	}
	const erp = `uid="SERIALNUMBER=CUIT 20111111112, CN=erp"`
	genuine := document(erp, time.Hour)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"genuine":            {caddytest.WithTicket(caddytest.Invoice(1), genuine, own.sign(t, genuine)), 200},
		"signed by another":  {caddytest.WithTicket(caddytest.Invoice(1), genuine, other.sign(t, genuine)), 403},
		"not signed":         {caddytest.WithTicket(caddytest.Invoice(1), genuine, caddytest.Sign), 403},
		"no ticket":          {caddytest.Invoice(1), 403},
		"another's":          {ofDocument(t, own, document(`uid="SERIALNUMBER=CUIT 20111111112,CN=shop"`, time.Hour)), 403},
		"expired":            {ofDocument(t, own, document(erp, -time.Hour)), 403},
		"two holders":        {ofDocument(t, own, document(`uid="x" `+erp, time.Hour)), 403},
		"in other letters":   {ofDocument(t, own, document("uid="+strings.ToUpper(erp[4:]), time.Hour)), 403},
		"an escaped comma":   {ofDocument(t, own, document(`uid="SERIALNUMBER=CUIT 20111111112\, CN=erp"`, time.Hour)), 403},
		"in a namespace":     {ofDocument(t, own, document(`xmlns:a="b" a:`+erp, time.Hour)), 403},
		"written otherwise":  {ofDocument(t, own, document(`uid="SERIALNUMBER=CUIT 20111111112,&#67;N=erp"`, time.Hour)), 200},
		"for another issuer": {strings.Replace(ofDocument(t, own, genuine), `"Cuit":20111111112`, `"Cuit":30500010912`, 1), 403},
	} {
		before := stub.Hits.Load()
		got := s.Post("FECAESolicitar", c.body)
		if sent := stub.Hits.Load() > before; got.Status != c.status || sent != (c.status == 200) {
			t.Errorf("%s: %d, sent: %v: %s", name, got.Status, sent, got.Body)
		}
	}
}

func ofDocument(t *testing.T, by authority, document string) string {
	t.Helper()
	return caddytest.WithTicket(caddytest.Invoice(1), document, by.sign(t, document))
}

// TestAFileCannotAskForTicketsThatNobodyChecks: its row would never be the client, and every stranger's body
// would be read for it.
func TestAFileCannotAskForTicketsThatNobodyChecks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shop user shop cuits 20-11111111-2 may query\n")
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "shop"), "clients "+file)
	write("shop user shop cuits 20-11111111-2 may query\nerp ticket CN=erp cuits 20-11111111-2 may *\n")
	caddytest.Eventually(t, "the row is refused", func() bool { return s.Metric(`wsfev1_clients_file_failed`) == "1" })
	got := as(t, s, "shop", 0, "FECompUltimoAutorizado", `{"Auth":`+credentialsIn(caddytest.Invoice(1))+`,"PtoVta":1,"CbteTipo":6}`)
	if got.Status != http.StatusOK {
		t.Errorf("the clients as they were: %d %s", got.Status, got.Body)
	}
}
