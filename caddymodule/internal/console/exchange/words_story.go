package exchange

import (
	"maps"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

func init() { maps.Copy(words, storyWords) }

// storyWords are the words of the steps, and of records that are no exchange.
var storyWords = site.Words{
	"quote": {"Texto de la pasarela:", "Text of the gateway:"},

	"kind.question":       {"Consulta de la pasarela", "Query by the gateway"},
	"kind.inadmissible":   {"Pedido no admitido", "Inadmissible request"},
	"kind.outage":         {"Caída del servicio", "Outage of the service"},
	"access.":             {"Lectura del registro de auditoría", "Reading of the trail"},
	"access.purge":        {"Eliminación de contenido", "Purge of content"},
	"access.acknowledge":  {"Reconocimiento de eliminaciones anteriores", "Acknowledgement of earlier purges"},
	"access.hold":         {"Comienzo de una conservación legal", "Start of a legal hold"},
	"access.release":      {"Fin de una conservación legal", "End of a legal hold"},
	"access.clients":      {"Tabla de clientes y lectores", "Table of clients and readers"},
	"access.table":        {"La tabla desde entonces", "The table from then on"},
	"access.no_table":     {"ninguna", "none"},
	"access.who":          {"Quién", "Who"},
	"access.until":        {"Hasta", "Until"},
	"access.way":          {"Por dónde", "Through"},
	"access.way.console":  {"esta consola", "the console"},
	"access.way.command":  {"un comando de terminal", "a terminal command"},
	"access.from":         {"Desde", "From"},
	"access.what":         {"Qué", "What"},
	"purge.before":        {"Meses anteriores a", "Months before"},
	"purge.records":       {"Registros", "Records"},
	"purge.count":         {"Pierden el contenido", "Lose their content"},
	"purge.retention":     {"Plazo de conservación, en años enteros posteriores al del comprobante", "Retention, in whole years after the year of the invoice"},
	"purge.override":      {"Motivo para eliminar antes del plazo", "Reason to purge before the term"},
	"purge.held":          {"Lo conservan por orden legal", "Keep it for a legal hold"},
	"outage.began":        {"Comienzo", "Start"},
	"outage.ended":        {"Fin", "End"},
	"outage.lasts":        {"sin fin registrado", "no end is recorded"},
	"outage.over":         {"terminada", "over"},
	"outage.service":      {"Servicio", "Service"},
	"outage.scope":        {"Alcance", "Scope"},
	"outage.everything":   {"no respondía nada", "nothing was answered"},
	"outage.changes":      {"respondía consultas, pero no pedidos que cambian algo", "queries were answered, requests that change something were not"},
	"outage.failures":     {"Fallas", "Failures"},
	"outage.first":        {"Primera falla", "First failure"},
	"outage.last":         {"Última falla", "Last failure"},
	"outage.answer":       {"Respuesta que la terminó", "Answer that ended it"},
	"failure.network":     {"de la red", "of the network"},
	"failure.service":     {"del servicio", "of the service"},
	"failure.client":      {"del cliente", "of the client"},
	"failure.gateway":     {"de la pasarela", "of the gateway"},
	"failure.credentials": {"de las credenciales", "of the credentials"},
	"failure.business":    {"por rechazo", "by refusal"},
}
