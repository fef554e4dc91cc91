package wsaa

import (
	"testing"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

func TestRefusesTicket(t *testing.T) {
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	const cuit = wsfev1.CUIT(20111111112)
	ticket := Ticket{Service: TicketService, Generation: now.Add(-time.Hour), Expiration: now.Add(time.Hour), Relations: []wsfev1.CUIT{cuit}}
	another := ticket
	another.Service = "wsfex"
	for text, want := range map[string]bool{
		"ValidacionDeToken: No validaron las fechas del token. GenTime=1, ExpTime=2, NowUTC=3": true,
		"ValidacionDeToken: Error al verificar hash: ":                                         true,
		"ValidacionDeToken: No valido token. Excepcion: CargarStringBase64Token":               true,
		"ValidacionDeToken: No aparecio CUIT en lista de relaciones: 20111111112":              false,
		ticket.Refusal(cuit, now.Add(2*time.Hour)):                                             true,
		ticket.Refusal(cuit, now.Add(-2*time.Hour)):                                            true,
		ticket.Refusal(30500010912, now):                                                       false,
		another.Refusal(cuit, now):                                                             false,
		NotSigned:                                                                              true,
		NoTicket:                                                                               true,
		"":                                                                                     false,
	} {
		if RefusesTicket(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}
