package wsaa

import (
	"slices"
	"strings"
)

// refusals are parts of the texts with which a service refuses a ticket itself, in lower case: the
// authority's texts (docs/sources.md#credentials), and the texts of this package.
var refusals = []string{
	"fechas del token", "verificar hash", "no valido token",
	strings.ToLower(expired), strings.ToLower(notYet), strings.ToLower(NotSigned), strings.ToLower(NoTicket),
}

// RefusesTicket reports whether the Msg of an error 600 means the ticket itself: it cannot be read, is not in
// force, or is not the authority's. The code is the same for a CUIT or a service for which it is not.
func RefusesTicket(msg string) bool {
	msg = strings.ToLower(msg)
	return slices.ContainsFunc(refusals, func(part string) bool { return strings.Contains(msg, part) })
}
