package backend_test

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/wsfev1"
)

// TestStrictTicketsTakeReadableTicketsInForce and nothing else.
func TestStrictTicketsTakeReadableTicketsInForce(t *testing.T) {
	begins := time.Date(2026, 11, 2, 6, 0, 0, 0, time.UTC)
	ends := begins.Add(12 * time.Hour)
	ticket := wsfev1.Secret(base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `<sso version="2.0"><id gen_time="%d" exp_time="%d"/>`+
		`<operation type="login" value="granted"><login service="wsfe"><relations><relation key="20111111112"/></relations></login></operation></sso>`,
		begins.Unix(), ends.Unix())))
	for _, test := range []struct {
		name  string
		token wsfev1.Secret
		cuit  wsfev1.CUIT
		now   time.Time
		taken bool
	}{
		{"first second", ticket, 20111111112, begins, true},
		{"last second", ticket, 20111111112, ends, true},
		{"too early", ticket, 20111111112, begins.Add(-time.Second), false},
		{"too late", ticket, 20111111112, ends.Add(time.Second), false},
		{"another issuer", ticket, 30500010912, ends, false},
		{"no ticket", "dG9rZW4=", 20111111112, ends, false},
	} {
		refused := backend.StrictTickets(wsfev1.Auth{Token: test.token, Sign: "x", Cuit: test.cuit}, test.now)
		if (refused == "") != test.taken {
			t.Errorf("%s: %q", test.name, refused)
		}
	}
}
