package validate

import "github.com/fielato/fielato/wsfev1"

// TicketCode is the code of credentials that are refused (docs/sources.md#credentials).
const TicketCode = "600"

// TicketFinding returns the finding about credentials that are refused, with the
// text of Ticket.Refusal.
func TicketFinding(text string) Finding {
	return Finding{
		Code: TicketCode, Severity: ERR, Action: ActionRefuse, Pointer: "/Auth", Invoice: Header,
		Text: text, Source: "docs/sources.md#credentials",
	}
}

// IssuerFinding returns the finding about an issuer's CUIT that nobody can have: no ticket is
// valid for it. It reports false for any other.
func IssuerFinding(cuit wsfev1.CUIT) (Finding, bool) {
	if cuit.Possible() {
		return Finding{}, false
	}
	return TicketFinding("La CUIT " + cuit.String() + " no puede ser de nadie: una CUIT tiene once dígitos."), true
}

// Unauthenticated writes the service's answer to credentials that it refuses: nothing but Errors,
// and the point of sale where it is echoed all the same (docs/sources.md#answers). It returns nil
// for a request that is not Typed.
func Unauthenticated(req *Request, f Finding) any {
	if !req.Typed() {
		return nil
	}
	answer := req.Operation.NewAnswer()
	if informed, ok := answer.(*wsfev1.FECAEASinMovimientoInformarAnswer); ok {
		informed.PtoVta = req.Body.(*wsfev1.FECAEASinMovimientoRequest).PtoVta
	}
	if envelope, ok := answer.(interface{ Fail(code int32, msg string) }); ok {
		envelope.Fail(f.Number(), f.Message())
	}
	return answer
}

// LacksTicket reports whether a finding is that a credential is missing, which somebody else may add.
func LacksTicket(f Finding) bool {
	return f.Code == shapeMissing.code && (f.Pointer == "/Auth/Token" || f.Pointer == "/Auth/Sign")
}
