package exchange

import "github.com/fielato/fielato/caddymodule/console/site"

var words = site.Words{
	"story":          {"Qué pasó", "What happened"},
	"bytes":          {"Documentos", "Documents"},
	"back":           {"Volver a la búsqueda", "Back to the search"},
	"story.received": {"Llegó el pedido del cliente", "The client's request came"},
	"story.refused":  {"La pasarela lo rechazó, sin enviarlo", "The gateway refused it, and sent nothing"},
	"story.intent":   {"Se registró la intención de enviarlo", "The intent to send it was recorded"},
	"story.sent":     {"Se envió al servicio", "It was sent to the service"},
	"story.not_sent": {"No se envió nada al servicio", "Nothing was sent to the service"},
	"story.answered": {"El servicio respondió", "The service answered"},
	"story.silence":  {"El servicio no respondió: no se sabía si lo atendió", "The service did not answer: whether it was carried out was unknown"},
	"story.asked":    {"La pasarela preguntó al servicio", "The gateway asked the service"},
	"story.replied":  {"El cliente recibió la respuesta", "The client got the answer"},
	"story.open":     {"No consta ningún resultado", "No outcome is recorded"},
}
