package story

import (
	"maps"

	"github.com/fielato/fielato/audit"
)

func init() { maps.Copy(words, eventWords) }

// words are the texts of this package.
var words = Words{
	// What became of an exchange (audit.Outcome).
	"outcome." + string(audit.OutcomeApproved):      {"aprobado", "approved"},
	"outcome." + string(audit.OutcomeObserved):      {"aprobado con observaciones", "approved with observations"},
	"outcome." + string(audit.OutcomePartial):       {"aprobado en parte", "approved in part"},
	"outcome." + string(audit.OutcomeRejected):      {"rechazado por el servicio", "rejected by the service"},
	"outcome." + string(audit.OutcomeAnswered):      {"respondido", "answered"},
	"outcome." + string(audit.OutcomeUpstreamError): {"respuesta inservible", "unusable answer", "el servicio respondió otra cosa, o que falló"},
	"outcome." + string(audit.OutcomeInadmissible):  {"no admitido", "inadmissible", "no admitido por la pasarela"},
	"outcome." + string(audit.OutcomeMalformed):     {"mal formado", "malformed", "rechazado por la pasarela: mal formado"},
	"outcome." + string(audit.OutcomeRefused):       {"rechazado por una regla", "refused by a rule", "rechazado por la pasarela según una regla"},
	"outcome." + string(audit.OutcomeUnrecorded):    {"no se pudo registrar", "could not be recorded", "rechazado: no se podía registrar"},
	"outcome." + string(audit.OutcomeNotSent):       {"no enviado", "not sent"},
	"outcome." + string(audit.OutcomeUnknown):       {"sin respuesta", "no answer"},
	"outcome." + string(audit.OutcomeRecovered):     {"recuperado", "recovered", "aprobado: se supo consultando al servicio"},
	"outcome." + string(audit.OutcomeNotIssued):     {"no emitido", "not issued", "no emitido, según el servicio"},
	"outcome." + string(audit.OutcomeReplayed):      {"repetido", "replayed", "respondido otra vez con la respuesta registrada"},
	"outcome." + string(audit.OutcomeCached):        {"de la memoria", "cached", "respondido con una respuesta reciente del servicio, ya registrada"},
	"outcome." + string(audit.OutcomeConflict):      {"en conflicto", "conflict", "rechazado: otro pedido igual estaba en curso"},
	"outcome." + string(audit.OutcomeBusy):          {"ocupado", "busy", "rechazado: había otros pedidos de la serie en curso"},
	"outcome." + string(audit.OutcomeUnsettled):     {"anterior sin resolver", "an earlier one unsettled", "rechazado: el resultado de uno anterior era desconocido"},
	"outcome." + string(audit.OutcomeOutage):        {"servicio caído", "outage", "rechazado: el servicio no respondía"},
	"outcome.open":                                  {"abierto", "open", "sin resultado registrado"},
	"outcome.different":                             {"el número pertenece a otro comprobante", "the number belongs to another invoice"},

	// What was done to the trail, and how the service was (outcome.OutageBegan, audit.AccessPurge).
	"outcome.outage_began": {"comenzó una caída", "an outage began"},
	"outcome.outage_ended": {"terminó una caída", "an outage ended"},
	"outcome.purge":        {"eliminación de contenido", "purge"},
	"outcome.acknowledge":  {"eliminación reconocida", "purge acknowledged"},
	"outcome.hold":         {"conservación legal", "legal hold"},
	"outcome.start":        {"inicio de la pasarela", "start of the gateway"},
	"outcome.release":      {"fin de la conservación legal", "end of the legal hold"},

	// How certain that is (audit.Certainty), and of what stands in a record.
	"certainty.answered": {"el servicio respondió", "the service answered"},
	"certainty.not_sent": {"no se envió nada al servicio", "nothing was sent to the service"},
	"certainty.unknown":  {"no se sabe si el servicio lo atendió", "it is not known whether the service carried it out", "el pedido salió y no se conoce respuesta: no se sabe si el servicio lo atendió"},
	"certainty.recorded": {"registrado", "recorded"},

	// The judgement of the service on a voucher (Resultado).
	"verdict.A": {"aprobado", "approved"},
	"verdict.R": {"rechazado", "rejected"},
	"verdict.P": {"aprobado en parte", "approved in part"},

	// Findings: the action of the gateway, and their meaning for the service.
	"action.refuse":     {"rechazó", "refused"},
	"action.observe":    {"observó", "observed"},
	"finding.different": {"El número pertenece a otro comprobante.", "The number belongs to another invoice."},
	"severity.SHAPE":    {"el pedido está mal formado", "the request is malformed"},
	"severity.ERR":      {"rechaza el pedido entero", "rejects the whole request"},
	"severity.SEQ":      {"rompe la numeración", "breaks the numbering"},
	"severity.EXC":      {"rechaza el comprobante", "rejects the invoice"},
	"severity.OBS":      {"se observa, no rechaza", "adds a remark, does not reject"},

	// Bodies, by the side that has them.
	"part.request":         {"Pedido", "Request"},
	"part.answer":          {"Respuesta", "Answer"},
	"part.client-request":  {"Pedido del cliente, como lo envió", "The client's request, as it sent it", "Pedido del cliente"},
	"part.client-answer":   {"Respuesta al cliente, como la recibió", "The answer as the client got it", "Respuesta al cliente"},
	"part.service-request": {"Pedido al servicio, como lo recibió", "The request as the service got it", "Pedido al servicio"},
	"part.service-answer":  {"Respuesta del servicio, como la dio", "The service's answer, as it gave it", "Respuesta del servicio"},

	// Why content is missing (audit.Presence), and as the end of a sentence. A record alone does not prove that a purge
	// removed its content, so these say only that it is gone.
	"purged":         {"ya no se conserva", "no longer kept", "ya no se conserva; el registro se prueba sin él"},
	"sealed":         {"cifrado: no se dio la clave", "encrypted: the key was not given"},
	"unread":         {"dañado: no se puede leer", "damaged: it cannot be read"},
	"missing.unread": {"el contenido está dañado y no se puede leer", "the content is damaged and cannot be read"},
	"missing.purged": {"el contenido ya no se conserva", "the content is no longer kept"},
	"missing.sealed": {"el contenido está cifrado y no se dio la clave", "the content is encrypted, and the key was not given"},

	// What was asked of the service.
	"operation.FECAESolicitar":       {"Pedido de CAE", "Request for a CAE"},
	"operation.FECAEARegInformativo": {"Informe de comprobantes emitidos con CAEA", "Report of invoices issued with a CAEA"},
	"operation.FECompConsultar":      {"Consulta del comprobante", "Query about the invoice"},

	// Who gave the messages of an answer.
	"said.service": {"Lo que dijo el servicio", "What the service said"},
	"said.gateway": {"Lo que respondió la pasarela", "What the gateway answered"},

	// Why there is no QR code (qrcode.Missing).
	"qr.test":  {"No se muestra: el comprobante es de prueba y no tiene validez fiscal.", "a test code of the built-in service, no fiscal validity"},
	"qr.range": {"No se muestra: cada comprobante del rango lleva el suyo, con su propio importe, que no se informa al servicio.", "each invoice of the range has a code of its own, with a total that the service is not told"},
	"qr.unfit": {"No se muestra: faltan datos en lo que se conserva del pedido y de la respuesta.", "the exchange lacks data that the code states"},

	// What a reader must know first.
	"environment.production": {"producción", "production"},
	"environment.testing":    {"homologación: el servicio de pruebas de ARCA, sin validez fiscal", "homologation: ARCA's test service, no fiscal validity"},
	"environment.builtin":    {"servicio incorporado, sin validez fiscal", "built-in service, no fiscal validity"},
	"environment.another":    {"otro servicio: su dirección no dice si es el de producción", "another service: its address does not say whether it is production"},
	"note.testing":           {"Sin validez fiscal: es de homologación, el servicio de pruebas de ARCA.", "No fiscal validity: it is from homologation, ARCA's test service."},
	"note.builtin":           {"Sin validez fiscal: respondió el servicio de prueba incorporado, no ARCA.", "No fiscal validity: the built-in test service answered, not ARCA."},
	"note.builtin_asked":     {"Sin validez fiscal: se envió al servicio de prueba incorporado, no a ARCA.", "No fiscal validity: it was sent to the built-in test service, not to ARCA."},
	"note.builtin_unasked":   {"Sin validez fiscal: la pasarela usa el servicio de prueba incorporado, no ARCA.", "No fiscal validity: the gateway uses the built-in test service, not ARCA."},
	"note.intent":            {"Este registro es la intención; el resultado está en", "This record is the intent; the outcome is in"},
	"note.settled":           {"Más tarde se supo el resultado:", "Its result became known later:"},
	"note.settlement":        {"Esto se supo después de responder al cliente. Lo que se le respondió:", "This became known after the client was answered. The client's answer:"},
	"note.repeat":            {"El cliente repitió un pedido y recibió la respuesta ya registrada en", "The client repeated a request, and got the answer recorded in"},
	"note.approved":          {"El número %s se aprobó después, el %s:", "Number %s was approved later, on %s:"},
	"note.approved_before":   {"El número %s ya se había aprobado antes, el %s:", "Number %s had been approved before, on %s:"},
	"note.attempt":           {"Hubo un intento anterior con el número %s, que no se aprobó:", "There was an earlier attempt at number %s, which was not approved:"},
	"note.attempts":          {"Hubo %d intentos anteriores con el número %s, que no se aprobaron. El último:", "There were %d earlier attempts at number %s, which were not approved. The newest:"},
	"note.attempts_more":     {"Hubo más de %d intentos anteriores con el número %s, que no se aprobaron. El último:", "There were more than %d earlier attempts at number %s, which were not approved. The newest:"},
	"note.question":          {"La pasarela preguntó por su cuenta, por el intercambio", "The gateway asked on its own account, about exchange"},
	"note.purged":            {"El contenido ya no se conserva. El registro se verifica sin él, y audit verify dice si consta su eliminación.", "The content is no longer kept. The record is verified without it, and audit verify tells whether its removal is recorded."},
	"note.sealed":            {"El contenido está cifrado y la consola no tiene la clave.", "The content is encrypted, and the console does not have the key."},
	"note.unread":            {"El contenido está dañado y no se puede leer. Lo que sigue es el resumen del registro.", "The content is damaged and cannot be read. What follows is the summary of the record."},

	"lot.of":     {"%s comprobantes: %s", "%s invoices: %s", "un lote de %s comprobantes: %s"},
	"builtin":    {"servicio de prueba incorporado", "built-in test service", "el servicio de prueba incorporado en la pasarela (wsfev1_backend)"},
	"client_row": {"cliente", "client"},
	"and_more":   {" (y %d más)", " (and %d more)"},
}
