package readings

import "github.com/fielato/fielato/caddymodule/internal/console/site"

var words = site.Words{
	"readings": {"Lecturas", "Readings"},
	"meaning":  {"Quién leyó el registro de auditoría, qué y cuándo. Las actualizaciones de una página abierta son una sola lectura, con comienzo y fin; mientras sigue abierta, su fin se anota una vez por hora.", "Who read the trail, what and when. The refreshes of an open page are one reading, with a start and an end; while the page stays open, its end is recorded once an hour."},
	"own":      {"Se muestran solo sus propias lecturas.", "Only your own readings are shown."},
	"unlogged": {"Esta pasarela no registra las lecturas (log_reads): las que siguen, si hay, son anteriores.", "This gateway does not record readings (log_reads): those below, if any, are older."},
	"none":     {"No consta ninguna lectura.", "No reading is on record."},
	"who":      {"Quién", "Who"},
	"way":      {"Por dónde", "Through"},
	"from":     {"Desde la dirección", "From the address"},
	"what":     {"Qué", "What"},
	"begin":    {"Cuándo", "When"},
	"until":    {"Hasta", "Until"},
	"filter":   {"Filtrar", "Filter"},
	"all":      {"Ver todas", "See all"},
	"older":    {"Anteriores", "Older"},

	"way.console": {"consola", "console"},
	"way.command": {"comando", "command"},
}
