package backend

import (
	"fmt"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// refuseTicket returns why the credentials are refused, empty if they are not:
// in the order of the service (docs/sources.md#credentials).
func (b *Backend) refuseTicket(auth wsfev1.Auth, now time.Time) string {
	switch {
	case auth.Token.Reveal() == "":
		return "Credenciales inválidas: el Token está vacío"
	case auth.Sign.Reveal() == "":
		return "Credenciales inválidas: el Sign está vacío"
	}
	if b.tickets != nil {
		if text := b.tickets(auth, now); text != "" {
			return text
		}
	}
	if !auth.Cuit.Possible() {
		return "Credenciales inválidas: la CUIT no figura entre las representadas"
	}
	return ""
}

// refusedTicket is the Msg of code 600. ARCA's own sentence (docs/sources.md#literals) depends on
// why the credentials are refused, which is looked for in the order of the service.
func (b *Backend) refusedTicket(text string, auth wsfev1.Auth, now time.Time) string {
	const begins = "ValidacionDeToken: "
	switch {
	case b.texts != TextsARCA, auth.Token.Reveal() != "" && auth.Sign.Reveal() == "":
		return text
	case auth.Token.Reveal() == "":
		return begins + "Parametro nulo o vacio (token)"
	case text == wsaa.NotSigned:
		return begins + "Error al verificar hash: "
	}
	ticket, ok := wsaa.ReadTicket(auth.Token)
	switch {
	case text == wsaa.NoTicket:
		return begins + "No valido token. Excepcion: CargarStringBase64Token: Excepción: CargarNodos: Error al cargar token XML. " +
			"Excepcion: Data at the root level is invalid. Line 1, position 1."
	case ok && !ticket.InForce(now):
		return begins + fmt.Sprintf("No validaron las fechas del token. GenTime=%d, ExpTime=%d, NowUTC=%d",
			ticket.Generation.Unix(), ticket.Expiration.Unix(), now.Unix())
	case ok && ticket.Service != wsaa.TicketService:
		return begins + fmt.Sprintf("No valido Id Sistema: %s(Id Sistema de token es: %s)", wsaa.TicketService, validate.Printable(ticket.Service))
	}
	return begins + "No apareció CUIT en lista de relaciones: " + auth.Cuit.String()
}
