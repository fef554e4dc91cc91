package wsaa_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

func TestATicketIsRefusedInTheOrderOfTheService(t *testing.T) {
	const stranger wsfev1.CUIT = 30333333313
	for _, c := range []struct {
		name, service string
		cuit          wsfev1.CUIT
		relations     []wsfev1.CUIT
		after         time.Duration // since birth
		want          string
	}{
		{"at birth", "wsfe", ticketHolder, []wsfev1.CUIT{ticketHolder}, 0, ""},
		{
			"a second before birth", "wsfe", ticketHolder,
			[]wsfev1.CUIT{ticketHolder},
			-time.Second,
			"El ticket de acceso vale desde 2026-11-20T09:00:00-03:00 y ahora es 2026-11-20T08:59:59-03:00.",
		},
		{
			"a moment before birth", "wsfe", ticketHolder,
			[]wsfev1.CUIT{ticketHolder},
			-time.Nanosecond,
			"El ticket de acceso vale desde 2026-11-20T09:00:00-03:00 y ahora es 2026-11-20T08:59:59-03:00.",
		},
		{"at death", "wsfe", ticketHolder, []wsfev1.CUIT{ticketHolder}, 43_260 * time.Second, ""},
		{"in the second of death", "wsfe", ticketHolder, []wsfev1.CUIT{ticketHolder}, 43_261*time.Second - 1, ""},
		{
			"a second after death", "wsfe", ticketHolder,
			[]wsfev1.CUIT{ticketHolder},
			43_261 * time.Second,
			"El ticket de acceso venció: valía hasta 2026-11-20T21:01:00-03:00 y ahora es 2026-11-20T21:01:01-03:00.",
		},
		{
			"of another service", "wsfex", ticketHolder,
			[]wsfev1.CUIT{ticketHolder},
			0,
			`El ticket de acceso es del servicio "wsfex" y no de "wsfe".`,
		},
		{
			"of the service in capitals", "WSFE", ticketHolder,
			[]wsfev1.CUIT{ticketHolder},
			0,
			`El ticket de acceso es del servicio "WSFE" y no de "wsfe".`,
		},
		{
			"of no service", "", ticketHolder,
			[]wsfev1.CUIT{ticketHolder},
			0,
			`El ticket de acceso es del servicio "" y no de "wsfe".`,
		},
		{"the last of several", "wsfe", stranger, []wsfev1.CUIT{ticketHolder, 27000000006, stranger}, 0, ""},
		{
			"none of several", "wsfe", stranger,
			[]wsfev1.CUIT{ticketHolder, 27000000006},
			0,
			"La CUIT 30333333313 no está en la lista de relaciones del ticket de acceso.",
		},
		{
			"for nobody", "wsfe", ticketHolder, nil, 0,
			"La CUIT 20111111112 no está en la lista de relaciones del ticket de acceso.",
		},
		{
			"old, of another service and for another", "wsfex", stranger, nil, 20 * time.Hour,
			"El ticket de acceso venció: valía hasta 2026-11-20T21:01:00-03:00 y ahora es 2026-11-21T05:00:00-03:00.",
		},
		{
			"of another service and for another", "wsfex", stranger, nil, 0,
			`El ticket de acceso es del servicio "wsfex" y no de "wsfe".`,
		},
	} {
		ticket, ok := wsaa.ReadTicket(tokenOf(ssoDocument(c.service, ticketBorn, ticketDies, c.relations...)))
		if !ok {
			t.Errorf("%s: not readable", c.name)
			continue
		}
		// The clock of the machine may be anywhere: Argentina's is three hours back.
		now := ticketBorn.Add(c.after).In(time.FixedZone("", -3*3600))
		if got := ticket.Refusal(c.cuit, now); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestTheServiceOfATicketIsShownShortAndClean(t *testing.T) {
	for service, shown := range map[string]string{
		"ws&#10;x&#9;&#x85;&#x202e;ñ": `"ws\nx\t\u0085\u202eñ"`,
		"&quot;&lt;":                  `"\"<"`,
		strings.Repeat("ñ", 40):       `"` + strings.Repeat("ñ", 40) + `"`,
		strings.Repeat("ñ", 41):       `"` + strings.Repeat("ñ", 40) + `…"`,
		strings.Repeat("x", 500_000):  `"` + strings.Repeat("x", 40) + `…"`,
	} {
		ticket, ok := wsaa.ReadTicket(tokenOf(ssoDocument(service, ticketBorn, ticketDies, ticketHolder)))
		if !ok {
			t.Errorf("%.50s: not readable", service)
			continue
		}
		want := "El ticket de acceso es del servicio " + shown + ` y no de "wsfe".`
		if got := ticket.Refusal(ticketHolder, ticketBorn); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
