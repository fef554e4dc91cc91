package backend

import (
	"time"

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

// StrictTickets is an Options.Tickets that accepts only readable WSAA access tickets that are
// in force, are for this service and act for the issuer. It does not verify Sign, as a
// simulator has no key of the authority.
func StrictTickets(auth wsfev1.Auth, now time.Time) string {
	ticket, ok := wsaa.ReadTicket(auth.Token)
	if !ok {
		return wsaa.NoTicket
	}
	return ticket.Refusal(auth.Cuit, now)
}
