package search

import "github.com/fielato/fielato/caddymodule/console/site"

var words = site.Words{
	"search.hint":  {"Por ejemplo: 20-11111111-2 · B 0001-00000123 · 6-1-123 · 96470000000018 · 10048 · hoy", "For example: 20-11111111-2 · B 0001-00000123 · 6-1-123 · 96470000000018 · 10048 · today"},
	"search.none":  {"No hay intercambios que coincidan.", "No exchange matches."},
	"search.last":  {"Últimos intercambios", "Newest exchanges"},
	"search.found": {"Intercambios encontrados", "Exchanges found"},
	"search.more":  {"Más antiguos", "Older"},
	"doubt":        {"El dígito verificador no corresponde", "The check digit does not fit"},
}
