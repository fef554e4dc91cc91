package backend_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// strictTickets takes any Sign, as there is no key of the authority.
var strictTickets = wsaa.NewChecker(nil).StrictRefusal

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
		refused := strictTickets(wsfev1.Auth{Token: test.token, Sign: "x", Cuit: test.cuit}, test.now)
		if (refused == "") != test.taken {
			t.Errorf("%s: %q", test.name, refused)
		}
	}
}

func TestATestTicketIsGoodForItsCuitsAndItsTimeAlone(t *testing.T) {
	at := func(cuit wsfev1.CUIT, later time.Duration) string {
		t.Helper()
		token, sign, err := wsaa.NewTicket(processed, time.Hour, "wsfe", 30500010912, issuer)
		if err != nil {
			t.Fatal(err)
		}
		return strictTickets(wsfev1.Auth{Token: token, Sign: sign, Cuit: cuit}, processed.Add(later))
	}
	for _, later := range []time.Duration{-time.Minute, 0, time.Hour} {
		if got := at(issuer, later); got != "" {
			t.Errorf("%v later it is refused: %s", later, got)
		}
	}
	for name, got := range map[string]string{
		"before": at(issuer, -2*time.Minute), "after": at(issuer, time.Hour+time.Second), "another issuer": at(20111111112, 0),
	} {
		if got == "" {
			t.Errorf("%s: it is not refused", name)
		}
	}
	token, _, _ := wsaa.NewTicket(processed, time.Hour, "wsfex", issuer)
	if got := strictTickets(wsfev1.Auth{Token: token, Sign: "s", Cuit: issuer}, processed); got == "" {
		t.Error("one of another service is not refused")
	}
	most := slices.Repeat([]wsfev1.CUIT{issuer}, 10_000)
	if token, _, err := wsaa.NewTicket(processed, time.Hour, "wsfe", most...); err != nil {
		t.Error(err)
	} else if _, ok := wsaa.ReadTicket(token); !ok {
		t.Error("one of 10,000 CUITs is not read")
	}
}
