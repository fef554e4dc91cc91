package witnesscmd

import "github.com/fielato/fielato/caddymodule/internal/console/site"

var words = site.Words{
	"title":       {"Testigo", "Witness"},
	"means":       {"Este testigo firma que el registro de auditoría de cada pasarela solo creció: que no se quitó ni se cambió nada de lo que ya había firmado. No recibe comprobantes, solo tamaños, huellas y fechas.", "This witness signs that the trail of each gateway only grew: nothing that it had signed before was removed or changed. It gets no invoices, only sizes, hashes and times."},
	"key":         {"Clave pública del testigo", "Public key of the witness"},
	"logs":        {"Registros de auditoría que atestigua", "Logs that it witnesses"},
	"log":         {"Registro de auditoría", "Log"},
	"size":        {"Registros", "Records"},
	"root":        {"Raíz", "Root"},
	"signed":      {"Firmado", "Signed"},
	"age":         {"Hace", "Age"},
	"age.now":     {"menos de un minuto", "less than a minute"},
	"checkpoint":  {"Última firma", "Newest signature"},
	"see":         {"Ver", "See"},
	"never":       {"Todavía no firmó nada de este registro.", "It has not signed anything of this log yet."},
	"state":       {"Estado", "State"},
	"fits":        {"sin contradicciones", "no contradictions"},
	"proven":      {"la historia fue reescrita: hay pruebas", "its history was rewritten: there is proof"},
	"unproven":    {"llegó un pedido cuya prueba no es válida", "a request came whose proof does not hold"},
	"state.means": {"Las pruebas contra un registro de auditoría quedan guardadas junto al testigo. «fielato wsfev1 witness check-evidence» las verifica sin conexión.", "Evidence against a log is kept beside the witness. “fielato wsfev1 witness check-evidence” verifies it offline."},
	"age.means":   {"Si la última firma es mucho más vieja que de costumbre, la pasarela está detenida, no llega hasta acá, o dejó de pedir firmas.", "If the newest signature is much older than usual, the gateway is stopped, does not reach this witness, or no longer asks for signatures."},
}
