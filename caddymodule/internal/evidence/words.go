package evidence

import (
	"cmp"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// The words of a record, which are for programs, in the reader's language.
var (
	spanishCertainty = map[audit.Certainty]string{
		audit.Answered: "el servicio respondió",
		audit.NotSent:  "no se envió nada al servicio",
		audit.Unknown:  "el pedido salió y no se conoce respuesta: no se sabe si el servicio lo atendió",
	}
	spanishOutcome = map[audit.Outcome]string{
		audit.OutcomeApproved: "aprobado", audit.OutcomeObserved: "aprobado con observaciones", audit.OutcomePartial: "aprobado en parte",
		audit.OutcomeRejected: "rechazado por el servicio", audit.OutcomeAnswered: "respondido",
		audit.OutcomeUpstreamError: "el servicio respondió otra cosa, o que falló", audit.OutcomeInadmissible: "no admitido por la pasarela",
		audit.OutcomeMalformed: "rechazado por la pasarela: mal formado", audit.OutcomeRefused: "rechazado por la pasarela según una regla",
		audit.OutcomeUnrecorded: "rechazado: no se podía registrar", audit.OutcomeNotSent: "no enviado", audit.OutcomeUnknown: "sin respuesta",
		outcome.Open:           "sin resultado registrado",
		audit.OutcomeRecovered: "aprobado: no llegó la respuesta y se obtuvo consultando al servicio",
		audit.OutcomeNotIssued: "no emitido, según el servicio", audit.OutcomeReplayed: "respondido otra vez con la respuesta registrada",
		audit.OutcomeCached:   "respondido con una respuesta reciente del servicio, ya registrada",
		audit.OutcomeConflict: "rechazado: otro pedido igual estaba en curso", audit.OutcomeBusy: "rechazado: había otros pedidos de la serie en curso",
		audit.OutcomeUnsettled: "rechazado: el resultado de uno anterior era desconocido", audit.OutcomeOutage: "rechazado: el servicio no respondía",
		outcomeDifferent: "el número pertenece a otro comprobante",
	}
	spanishAction   = map[string]string{"refuse": "rechazó", "observe": "observó"}
	spanishSeverity = map[string]string{
		"SHAPE": "el pedido está mal formado", "ERR": "rechaza el pedido entero", "SEQ": "rompe la numeración",
		"EXC": "rechaza el comprobante", "OBS": "se observa, no rechaza",
	}
	spanishOperation = map[string]string{
		"FECAESolicitar": "Pedido de CAE", "FECAEARegInformativo": "Informe de comprobantes emitidos con CAEA",
		"FECompConsultar": "Consulta del comprobante",
	}
	// spanishHindrance completes a sentence about a request that was right and was not sent.
	spanishHindrance = map[audit.Outcome]string{
		audit.OutcomeConflict: "otro pedido igual estaba en curso", audit.OutcomeBusy: "había otros pedidos de la serie en curso",
		audit.OutcomeUnsettled: "no se sabía el resultado de un pedido anterior", audit.OutcomeOutage: "el servicio no respondía",
		audit.OutcomeUnrecorded: "no podía registrarlo", audit.OutcomeNotSent: "no pudo comunicarse con él",
		audit.OutcomeInadmissible: "no lo admitió",
	}
	// spanishText has the texts of findings that a record keeps in English. Records whose outcome
	// is outcomeDifferent need it not.
	spanishText = map[string]string{"the number belongs to another invoice": textDifferent}
)

// outcomeDifferent is the outcome of a settlement that found another invoice under the number.
// Its findings of the severity SEQ name the members that differ, with textDifferent.
const (
	outcomeDifferent = audit.Outcome(once.Different)
	textDifferent    = "El número pertenece a otro comprobante."
)

// findingText returns the text of a finding in Spanish. It goes by the record's words for programs, else by
// the text itself.
func findingText(r *audit.Record, f *audit.Finding) string {
	if r.Outcome == outcomeDifferent && f.Severity == "SEQ" {
		return textDifferent
	}
	return cmp.Or(spanishText[f.Text], f.Text)
}

// spanishContent explains why the content of a record is missing.
var spanishContent = map[audit.Presence]string{
	audit.Purged: "eliminado según la política de conservación; el registro se prueba sin él",
	audit.Sealed: "cifrado: no se dio la clave",
}

// spanishMissing completes a sentence about content that the page cannot show.
var spanishMissing = map[audit.Presence]string{
	audit.Purged: "el contenido fue eliminado según la política de conservación",
	audit.Sealed: "el contenido está cifrado y no se dio la clave",
}

// teller words events, for readers who know invoices and not the gateway.
type teller struct {
	// code is what authorises the invoice: CAE or CAEA.
	code string
	// isTest reports whether the built-in service has answered.
	isTest func(*summary) bool
}

// testNote marks a code of the built-in service.
func (t *teller) testNote() string { return t.code + " de prueba, sin validez fiscal" }

// intentText is the event of a record that stands before the request leaves.
const intentText = "La pasarela registró el pedido antes de enviarlo al servicio."

// testText warns that the built-in service is not the tax authority.
func (t *teller) testText(s *summary) string {
	if s.isAuthorised() {
		return t.testNote() + ": lo dio el servicio de prueba incorporado en la pasarela, no ARCA."
	}
	return "Sin validez fiscal: no es ARCA, es el servicio de prueba incorporado en la pasarela."
}

// result words what an exchange has shown about the invoice, without the reasons.
func (t *teller) result(s *summary) string {
	switch {
	case s.kind == audit.KindIntent:
		return "La pasarela registró el pedido para enviarlo y no consta ningún resultado: no se sabe si el servicio lo atendió."
	case s.kind == audit.KindSettlement, s.outcome == outcomeDifferent:
		return t.settlement(s)
	case s.isQuestion():
		return t.question(s)
	}
	switch s.outcome {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRejected:
		return t.answered(s)
	case audit.OutcomeRecovered:
		return "No llegó la respuesta; la pasarela consultó y " + t.found(s)
	case audit.OutcomeNotIssued:
		return "No llegó la respuesta; la pasarela consultó y el servicio informó que el comprobante no existe: no fue emitido."
	case audit.OutcomeUnknown:
		return "El pedido salió y no llegó ninguna respuesta: no se sabe si el servicio lo atendió."
	case audit.OutcomeUpstreamError:
		return "El servicio respondió otra cosa, o que falló: no se sabe si atendió el pedido."
	case audit.OutcomeReplayed:
		return "Llegó otra vez el mismo pedido y la pasarela dio la respuesta ya registrada, sin enviarlo" + t.withCode(s) + "."
	case audit.OutcomeRefused:
		return "La pasarela rechazó el pedido según una regla del servicio, sin enviarlo" + codesText(s) + "."
	case audit.OutcomeMalformed:
		return "La pasarela rechazó el pedido porque estaba mal formado, sin enviarlo."
	}
	if why, ok := spanishHindrance[s.outcome]; ok && s.certainty == audit.NotSent {
		return "La pasarela no envió el pedido al servicio, porque " + why + "."
	}
	return "La pasarela no dio curso al pedido (" + cmp.Or(spanishOutcome[s.outcome], string(s.outcome)) + ")."
}

func (t *teller) answered(s *summary) string {
	switch {
	case s.voucher.Resultado == wsfev1.Rechazado || !s.isAuthorised():
		return "El servicio rechazó el comprobante" + codesText(s) + "."
	case s.operation.Name == "FECAEARegInformativo":
		return "El servicio aceptó la información del comprobante" + t.withCode(s) + "."
	}
	return "El servicio aprobó el comprobante" + t.withCode(s) + "."
}

// found words what a query after a lost answer has shown.
func (t *teller) found(s *summary) string {
	if !s.isAuthorised() {
		return "el servicio no tiene este comprobante: no fue emitido."
	}
	return "el servicio informó que el comprobante está autorizado" + t.withCode(s) + "."
}

func (t *teller) settlement(s *summary) string {
	const later = "No llegó la respuesta al pedido; más tarde la pasarela consultó y "
	switch {
	case s.outcome == audit.OutcomeNotIssued:
		return later + "el servicio informó que el comprobante no existe: no fue emitido."
	case s.outcome == outcomeDifferent && !s.isAuthorised():
		return later + "el servicio informó que el número pertenece a otro comprobante: el pedido no fue atendido."
	}
	return later + t.found(s)
}

// question words a query for the invoice: the gateway's own, or a client's.
func (t *teller) question(s *summary) string {
	who := "Un cliente consultó"
	if s.isOwn() {
		who = "La pasarela consultó"
	}
	return who + " al servicio si el comprobante existía: " + t.reply(s)
}

// reply words what a query has shown: yes, no, or nothing.
func (t *teller) reply(s *summary) string {
	switch {
	case s.outcome != audit.OutcomeAnswered && s.outcome != audit.OutcomeCached:
		return "no se pudo saber (" + cmp.Or(spanishOutcome[s.outcome], string(s.outcome)) + ")."
	case s.isAuthorised():
		return "sí" + t.withCode(s) + "."
	}
	return "no."
}

// codesText says why one invoice was rejected. The codes of a lot may be about others.
func codesText(s *summary) string {
	switch n := len(s.codes); {
	case n == 0 || s.lot != 1:
		return ""
	case n == 1 && s.reason != "":
		return ": «" + s.reason + "» (código " + s.codes[0] + ")"
	case n == 1:
		return " (código " + s.codes[0] + ")"
	case n > maxCodes:
		return " (códigos " + strings.Join(s.codes[:maxCodes], ", ") + "…)"
	}
	return " (códigos " + strings.Join(s.codes, ", ") + ")"
}

// maxCodes is how many codes an event names.
const maxCodes = 3

// withCode adds the code that authorises the invoice, and until when.
func (t *teller) withCode(s *summary) string {
	if s.voucher.Code == "" || s.voucher.Resultado == wsfev1.Rechazado {
		return ""
	}
	text := ", con el " + t.code + " " + s.voucher.Code
	if s.voucher.Expires != "" {
		text += ", que vence el " + spanish.Day(wsfev1.Date(s.voucher.Expires))
	}
	if t.isTest(s) {
		text += " (" + t.testNote() + ")"
	}
	return text
}
