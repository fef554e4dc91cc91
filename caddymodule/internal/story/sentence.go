package story

import (
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// The sentences about an invoice are for readers who know invoices and not the gateway. They stand in a
// printed document, in Spanish.

// printed tells in a printed document.
var printed = Voice{Lang: Printed}

// Result words what an exchange has shown about the invoice, without the reasons.
func (i *Invoice) Result(s *Entry) string {
	switch {
	case s.Kind == audit.KindIntent:
		return "La pasarela registró el pedido para enviarlo y no consta ningún resultado: no se sabe si el servicio lo atendió."
	case s.Kind == audit.KindSettlement, s.Outcome == outcome.Different:
		return i.settlement(s)
	case s.IsQuestion():
		return i.question(s)
	}
	switch s.Outcome {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRejected:
		return i.answered(s)
	case audit.OutcomeRecovered:
		return lostHow(s) + "; la pasarela consultó y " + i.found(s)
	case audit.OutcomeNotIssued:
		return "No llegó la respuesta; la pasarela consultó y el servicio informó que el comprobante no existe: no fue " + s.issued() + "."
	case audit.OutcomeUnknown:
		if s.Disputed {
			return lostHow(s) + ": no se sabe si lo atendió."
		}
		return "El pedido salió y no llegó ninguna respuesta: no se sabe si el servicio lo atendió."
	case audit.OutcomeUpstreamError:
		return "El servicio respondió otra cosa, o que falló: no se sabe si atendió el pedido."
	case audit.OutcomeReplayed:
		return "Llegó otra vez el mismo pedido y la pasarela dio la respuesta ya registrada, sin enviarlo" + i.withCode(s) + "."
	case audit.OutcomeRefused:
		return "La pasarela rechazó el pedido según una regla del servicio, sin enviarlo" + codesText(s) + "."
	case audit.OutcomeMalformed:
		return "La pasarela rechazó el pedido porque estaba mal formado, sin enviarlo."
	}
	if why := Printed.T("why." + string(s.Outcome)); why != "" && s.Certainty == audit.NotSent {
		return "La pasarela no envió el pedido al servicio, porque " + why + "."
	}
	return "La pasarela no dio curso al pedido (" + printed.OutcomeWord(s.Outcome) + ")."
}

// lostHow words why the gateway had to ask.
func lostHow(s *Entry) string {
	if s.Disputed {
		return "El servicio rechazó el pedido, que pudo haber atendido antes"
	}
	return "No llegó la respuesta"
}

func (i *Invoice) answered(s *Entry) string {
	switch {
	case s.Voucher.Resultado == wsfev1.Rechazado || !s.IsAuthorised():
		return "El servicio rechazó el comprobante" + codesText(s) + "."
	case s.isInformed():
		return "El servicio aceptó la información del comprobante" + i.withCode(s) + "."
	}
	return "El servicio aprobó el comprobante" + i.withCode(s) + "."
}

// found words what a query after a lost answer has shown.
func (i *Invoice) found(s *Entry) string {
	if !s.IsAuthorised() {
		return "el servicio no tiene este comprobante: no fue " + s.issued() + "."
	}
	return "el servicio informó que el comprobante está autorizado" + i.withCode(s) + "."
}

func (i *Invoice) settlement(s *Entry) string {
	later := lostHow(s) + "; más tarde la pasarela consultó y "
	switch {
	case s.Outcome == audit.OutcomeNotIssued:
		return later + "el servicio informó que el comprobante no existe: no fue " + s.issued() + "."
	case s.Outcome == outcome.Different && !s.IsAuthorised():
		return later + "el servicio informó que el número pertenece a otro comprobante: el pedido no fue atendido."
	}
	return later + i.found(s)
}

// question words a query for the invoice: the gateway's own, or a client's.
func (i *Invoice) question(s *Entry) string {
	who := "Un cliente consultó"
	if s.IsOwn() {
		who = "La pasarela consultó"
	}
	return who + " al servicio si el comprobante existía: " + i.reply(s)
}

// reply words what a query has shown: yes, no, or nothing.
func (i *Invoice) reply(s *Entry) string {
	switch {
	case s.Outcome != audit.OutcomeAnswered && s.Outcome != audit.OutcomeCached:
		return "no se pudo saber (" + printed.OutcomeWord(s.Outcome) + ")."
	case s.IsAuthorised():
		return "sí" + i.withCode(s) + "."
	}
	return "no."
}

// codesText says why one invoice was rejected. The codes of a lot may be about others.
func codesText(s *Entry) string {
	switch n := len(s.Codes); {
	case n == 0 || s.Lot != 1:
		return ""
	case n == 1 && s.Reason != "":
		return ": «" + s.Reason + "» (código " + s.Codes[0] + ")"
	case n == 1:
		return " (código " + s.Codes[0] + ")"
	case n > maxCodes:
		return " (códigos " + strings.Join(s.Codes[:maxCodes], ", ") + "…)"
	}
	return " (códigos " + strings.Join(s.Codes, ", ") + ")"
}

// maxCodes is how many codes a sentence names.
const maxCodes = 3

// withCode adds the code that authorises the invoice, and until when.
func (i *Invoice) withCode(s *Entry) string {
	if s.Voucher.Code == "" || s.Voucher.Resultado == wsfev1.Rechazado {
		return ""
	}
	text := ", con el " + i.CodeName() + " " + s.Voucher.Code
	if s.Voucher.Expires != "" {
		text += ", que vence el " + spanish.Day(wsfev1.Date(s.Voucher.Expires))
	}
	if note := i.TestNote(s); note != "" {
		text += " (" + note + ")"
	}
	return text
}
