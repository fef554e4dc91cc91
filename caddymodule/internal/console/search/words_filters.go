package search

import (
	"maps"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

func init() { maps.Copy(words, filterWords) }

// filterWords name the filters and what they take.
var filterWords = site.Words{
	"filter.since":        {"Desde", "From"},
	"filter.until":        {"Hasta (inclusive)", "Until (inclusive)"},
	"filter.cuit":         {"CUIT del emisor", "Issuer's CUIT"},
	"filter.receiver":     {"Documento del receptor", "Receiver's document"},
	"filter.cbte-tipo":    {"Tipo de comprobante", "Voucher type"},
	"filter.pto-vta":      {"Punto de venta", "Point of sale"},
	"filter.nro":          {"Número", "Number"},
	"filter.cae":          {"CAE o CAEA", "CAE or CAEA"},
	"filter.outcome":      {"Resultado", "Outcome"},
	"filter.finding":      {"Código de error u observación", "Error or observation code"},
	"filter.operation":    {"Operación", "Operation"},
	"filter.resultado":    {"Resultado según el servicio (A, R o P)", "Result by the service (A, R or P)"},
	"filter.certainty":    {"Certeza", "Certainty"},
	"filter.decision":     {"Decisión de la pasarela", "The gateway's decision"},
	"filter.kind":         {"Clase de registro", "Kind of record"},
	"filter.status":       {"Estado HTTP", "HTTP status"},
	"filter.min-duration": {"Duración mínima", "Minimum duration"},
	"filter.client":       {"Dirección IP del cliente", "Client's IP address"},
	"filter.client-row":   {"Cliente, por su fila en la tabla", "Client, by its row in the table"},
	"filter.identity":     {"Usuario o certificado del cliente", "Client's user or certificate"},
	"filter.upstream":     {"Servicio consultado", "Service asked"},
	"filter.node":         {"Pasarela", "Gateway"},
	"filter.id":           {"Identificador del intercambio", "Exchange identifier"},
	"filter.trace":        {"Traza", "Trace"},
	"filter.log":          {"Registro de auditoría", "Log"},

	"example.since":        {"20/11/2026, 2026-11, ayer, 24h o 7d", "2026-11-20, 2026-11, yesterday, 24h or 7d"},
	"example.until":        {"20/11/2026, 2026-11 o ayer", "2026-11-20, 2026-11 or yesterday"},
	"example.cuit":         {"20-11111111-2", "20-11111111-2"},
	"example.receiver":     {"20-11111111-2 o 12345678", "20-11111111-2 or 12345678"},
	"example.min-duration": {"30s", "30s"},
	"example.finding":      {"10048", "10048"},

	"resultado.A": {"A, aprobado", "A, approved"},
	"resultado.R": {"R, rechazado", "R, rejected"},
	"resultado.P": {"P, parcial", "P, partial"},

	"decision.forward": {"enviar al servicio", "send to the service"},
	"decision.refuse":  {"rechazar", "refuse"},
	"decision.replay":  {"repetir la respuesta guardada", "repeat the stored answer"},
	"decision.cache":   {"responder con una respuesta reciente", "answer with a recent answer"},
	"decision.ask":     {"preguntar al servicio", "ask the service"},

	"kind.exchange":   {"intercambio en un solo registro", "exchange in one record"},
	"kind.intent":     {"intención sin resultado", "intent without outcome"},
	"kind.outcome":    {"resultado de una intención", "outcome of an intent"},
	"kind.settlement": {"resolución posterior", "later settlement"},
	"kind.access":     {"lectura o eliminación de contenido", "reading or purge of content"},
	"kind.outage":     {"caída del servicio", "outage of the service"},
}
