package story

// eventWords are the words of events: the name of each and what happened.
var eventWords = Words{
	"step.received": {"Recibido", "Received"}, "story.received": {"Llegó el pedido del cliente", "The client's request came"},
	"step.judged": {"Validado", "Checked"}, "story.judged": {"La pasarela lo validó", "The gateway checked it"},
	"step.filled": {"Completado", "Completed"}, "story.filled": {"La pasarela completó un dato que faltaba (fill)", "The gateway completed what was missing (fill)"},
	"step.intent": {"Intención", "Intent"}, "story.intent": {"Se registró la intención de enviarlo, antes de enviar nada", "The intent to send it was recorded, before anything was sent", "La pasarela registró el pedido antes de enviarlo al servicio."},
	"step.refused": {"Rechazado", "Refused"}, "story.refused": {"La pasarela lo rechazó, sin enviarlo", "The gateway refused it, and sent nothing"},
	"step.repeat": {"Repetido", "Repeated"}, "story.repeat": {"La pasarela dio la respuesta ya registrada, sin enviarlo otra vez", "The gateway gave the recorded answer, and did not send it again"},
	"step.repeated": {"Repetido", "Repeated"}, "story.repeated": {"Llegó otra vez el mismo pedido y recibió la misma respuesta", "The same request came again, and got the same answer"},
	"step.sent": {"Enviado", "Sent"}, "story.sent": {"Se envió al servicio", "It was sent to the service"},
	"step.not_sent": {"No enviado", "Not sent"}, "story.not_sent": {"No se pudo enviar; al servicio no le llegó nada", "It could not be sent; nothing reached the service"},
	"step.answered": {"Respuesta", "Answer"}, "story.answered": {"El servicio respondió", "The service answered"},
	"step.nonsense": {"Respuesta inservible", "Unusable answer"}, "story.nonsense": {"El servicio respondió otra cosa o que falló, y no se sabe si lo atendió", "The service answered something else, or that it failed; it is not known whether it carried the request out"},
	"step.silence": {"Silencio", "Silence"}, "story.silence": {"No llegó respuesta del servicio y no se sabía si lo atendió", "No answer came from the service, and it was not known whether the request was carried out"},
	"step.disputed": {"Rechazo en duda", "Rejection in doubt"}, "story.disputed": {"El servicio lo rechazó, y no se sabía si lo había atendido antes", "The service rejected it, and it was not known whether it had carried it out before"},
	"step.cut": {"Cortado", "Cut"}, "story.cut": {"La conexión con el servicio se cortó antes de llegar la respuesta entera, y no se sabía si lo atendió", "The connection to the service was cut before the whole answer had come, and it was not known whether the request was carried out"},
	"step.late": {"Silencio", "Silence"}, "story.late": {"El servicio no respondió a tiempo y no se sabía si lo atendió", "The service did not answer in time, and it was not known whether the request was carried out"},
	"step.crashed": {"Interrumpido", "Interrupted"}, "story.crashed": {"La pasarela se detuvo antes de registrar el resultado", "The gateway stopped before it recorded the outcome"},
	"step.asked": {"Pregunta", "Question"}, "story.asked": {"La pasarela preguntó al servicio", "The gateway asked the service"},
	"step.asked_more": {"Preguntas", "Questions"}, "story.asked_more": {"%d preguntas más", "%d more questions"},
	"step.settled": {"Resuelto", "Settled"}, "story.settled": {"Se supo que el servicio lo atendió", "The service was found to have carried it out"},
	"step.replied": {"Respondido", "Answered"}, "story.replied": {"Se le respondió al cliente", "The client was answered"},
	"step.unreplied": {"Sin responder", "Not answered"}, "story.unreplied": {"No consta que el cliente haya recibido una respuesta", "No answer to the client is recorded"},
	"step.open": {"Abierto", "Open"}, "story.open": {"No consta ningún resultado: no se sabe si el servicio lo atendió", "No outcome is recorded: it is not known whether the service carried the request out"},
	"step.question": {"Pregunta", "Question"}, "story.question": {"La pasarela preguntó al servicio por su cuenta", "The gateway asked the service on its own account"},
	"step.learnt": {"Respuesta", "Answer"}, "story.learnt": {"Lo que se supo", "What it learnt"},
	"step.outage": {"Caída", "Outage"}, "story.outage": {"El servicio dejó de responder", "The service stopped answering", "El servicio no respondía desde el %s."},
	"step.outage_over": {"Fin de la caída", "End of the outage"}, "story.outage_over": {"El servicio volvió a responder", "The service answered again", "El servicio volvió a responder, después de %s."},
	"story.certificate":        {"ticket de acceso del certificado", "access ticket of the certificate"},
	"story.asked_before":       {"hubo otras antes", "there were others before"},
	"story.settled.not_issued": {"Se supo que el servicio no lo atendió", "The service was found not to have carried it out"},
	"story.settled.different":  {"Se supo que el número pertenece a otro comprobante", "The number was found to belong to another invoice"},

	// What the gateway's own judgement was.
	"judged.none":    {"sin hallazgos", "nothing found"},
	"judged.refuse":  {"hallazgos que lo rechazan", "findings that refuse it"},
	"judged.observe": {"hallazgos que se observan", "findings that are only observed"},

	// Why there was no answer (audit.Cause).
	"cause.unreachable": {"El servicio no aceptó la conexión", "The service did not accept the connection"},
	"cause.dns":         {"No se encontró la dirección del servicio", "The address of the service was not found"},
	"cause.tls":         {"No se pudo establecer una conexión segura con el servicio", "No secure connection to the service could be made"},
	"cause.timeout":     {"El servicio no respondió a tiempo", "The service did not answer in time"},
	"cause.cut":         {"La conexión con el servicio se cortó", "The connection to the service was cut"},
	"cause.rejected":    {"El servicio lo rechazó, y pudo haberlo atendido antes", "The service rejected it, and may have carried it out before"},
	"cause.canceled":    {"El pedido se canceló mientras esperaba", "The request was cancelled while it waited"},

	// Why the gateway did not send it (audit.Outcome).
	"why.refused":      {"según una regla del servicio", "by a rule of the service"},
	"why.malformed":    {"está mal formado", "it is malformed"},
	"why.inadmissible": {"no lo admitió", "it was not admitted"},
	"why.conflict":     {"otro pedido igual estaba en curso", "another request for the same was under way"},
	"why.busy":         {"había otros pedidos de la serie en curso", "other requests of the series were under way"},
	"why.unsettled":    {"no se sabía el resultado de un pedido anterior", "the result of an earlier request was not known"},
	"why.outage":       {"el servicio no respondía", "the service did not answer"},
	"why.unrecorded":   {"no se podía registrar", "it could not be recorded"},
	"why.not_sent":     {"no pudo comunicarse con el servicio", "the service could not be reached", "no pudo comunicarse con él"},

	// What a question of the gateway has shown.
	"learnt.has":     {"lo tiene", "it has it"},
	"learnt.no":      {"no lo tiene", "it does not have it"},
	"learnt.nothing": {"no se pudo saber", "nothing could be learnt"},
	"learnt.last":    {"el último autorizado es el", "the last authorised number is"},
}
