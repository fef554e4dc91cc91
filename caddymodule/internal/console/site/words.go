package site

import (
	"net/http"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/story"
)

// Words are the texts of a page by their keys. A page finds the words of the frame, and of stories, too.
type Words = story.Words

// languageOf returns the language that a reader prefers: Spanish, unless the browser asks for English
// before it.
func languageOf(r *http.Request) string {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		code, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		switch code, _, _ = strings.Cut(strings.ToLower(code), "-"); code {
		case "es", "en":
			return code
		}
	}
	return "es"
}

// frameWords are those that every page finds.
var frameWords = Words{
	"search":                        {"Buscar", "Search"},
	"search.label":                  {"CUIT, CAE, comprobante, registro, código o fecha", "CUIT, CAE, voucher, record, code or date"},
	"unread":                        {"No se entendió", "Not understood"},
	"when":                          {"Momento", "Time"},
	"voucher":                       {"Comprobante", "Voucher"},
	"issuer":                        {"Emisor", "Issuer"},
	"operation":                     {"Operación", "Operation"},
	"outcome":                       {"Resultado", "Outcome"},
	"code":                          {"CAE", "CAE"},
	"codes":                         {"Códigos", "Codes"},
	"record":                        {"Registro", "Record"},
	"exchange":                      {"Intercambio", "Exchange"},
	"request":                       {"Pedido", "Request"},
	"answer":                        {"Respuesta", "Answer"},
	"findings":                      {"Hallazgos", "Findings"},
	"certainty":                     {"Certeza", "Certainty"},
	"client":                        {"Cliente", "Client"},
	"upstream":                      {"Servicio", "Service"},
	"duration":                      {"Duración", "Duration"},
	"skip":                          {"Ir al contenido", "Skip to the content"},
	"console":                       {"Consola", "Console"},
	"reader":                        {"Lector", "Reader"},
	"expected":                      {"Se esperaba", "Expected"},
	"got":                           {"Se recibió", "Got"},
	"tolerance":                     {"Tolerancia", "Tolerance"},
	"place":                         {"Campo", "Member"},
	"action":                        {"Acción", "Action"},
	"said":                          {"Texto", "Text"},
	"not_kept":                      {"no se conserva", "not kept"},
	"problem.forbidden":             {"Sin permiso", "No permission"},
	"problem.forbidden.text":        {"Esta consola se ve desde la misma máquina o con un usuario. Para otras máquinas, el administrador pone autenticación delante (basic_auth, forward_auth o certificados de cliente), o configura public.", "This console is seen from the same machine, or by a known user. For other machines, its administrator puts authentication in front (basic_auth, forward_auth or client certificates), or sets public."},
	"problem.no_reader":             {"Sin permiso", "No permission"},
	"problem.no_reader.text":        {"La configuración dice quién puede ver esta consola (reader), y quien pregunta no figura. El administrador puede agregarlo.", "The configuration says who may see this console (reader), and who asks is not there. Its administrator can add a row."},
	"problem.bound":                 {"Fuera de su alcance", "Beyond what you may see"},
	"problem.bound.text":            {"Esta página trata de todos los emisores, y quien pregunta ve solo los comprobantes de algunas CUIT.", "This page is about all issuers, and who asks sees the vouchers of some CUITs only."},
	"bound.one":                     {"Solo comprobantes de la CUIT %s.", "Vouchers of CUIT %s only."},
	"bound.many":                    {"Solo comprobantes de las CUIT %s.", "Vouchers of CUITs %s only."},
	"bound.more":                    {"Solo comprobantes de las CUIT %s y %d más.", "Vouchers of CUITs %s and %d more only."},
	"problem.not_found":             {"No existe", "Not found"},
	"problem.not_found.text":        {"No hay ninguna página ni ningún registro con esta dirección.", "There is no page and no record with this address."},
	"problem.no_trail":              {"Sin registro de auditoría", "No trail"},
	"problem.no_trail.text":         {"La configuración no tiene ninguna pasarela (wsfev1), así que no hay nada que mostrar.", "The configuration has no gateway (wsfev1), so there is nothing to show."},
	"problem.broken":                {"No se pudo mostrar", "Cannot be shown"},
	"problem.broken.text":           {"La página no pudo armarse; el motivo está en el log de la pasarela.", "The page could not be made; the log of the gateway says why."},
	"problem.bad_request":           {"No se entiende", "Not understood"},
	"problem.bad_request.text":      {"La dirección o el formulario no se puede leer.", "The address or the form cannot be read."},
	"problem.too_large":             {"Demasiado grande", "Too large"},
	"problem.too_large.text":        {"Lo que se envió supera lo que esta página acepta.", "What was sent is more than this page takes."},
	"problem.method":                {"No se puede así", "Not this way"},
	"problem.method.text":           {"Esta dirección no acepta este tipo de pedido.", "This address does not take this kind of request."},
	"problem.unrecorded":            {"No se muestra", "Not shown"},
	"problem.unrecorded.text":       {"Cada lectura de este registro de auditoría debe quedar registrada (log_reads), y eso no fue posible. El log de la pasarela dice por qué.", "Each read of this trail must be recorded (log_reads), and that was not possible. The log of the gateway says why."},
	"problem.other_site":            {"Enviado desde otro sitio", "Sent from another site"},
	"problem.other_site.text":       {"El formulario no vino de esta consola, así que no se hizo nada.", "The form did not come from this console, so nothing was done."},
	"gateway":                       {"Pasarela", "Gateway"},
	"book.none":                     {"La configuración no tiene ninguna pasarela: los niveles son los de fábrica.", "The configuration has no gateway: the levels are the defaults."},
	"book.brief.enforce":            {"rechaza", "refuses"},
	"book.brief.observe":            {"solo anota", "writes down only"},
	"book.mode.enforce":             {"La pasarela rechaza lo que no cumple las reglas, sin enviarlo.", "The gateway refuses what breaks a rule, and does not send it."},
	"book.mode.observe":             {"La pasarela envía también lo que no cumple las reglas, y solo lo anota. Se exceptúan las reglas que se nombran.", "The gateway sends what breaks a rule too, and only writes it down. Rules that are named are the exception."},
	"book.contract.arca":            {"El pedido puede tener todos los campos que ARCA admite hoy.", "A request may have all members that ARCA takes today."},
	"book.contract.base":            {"El pedido puede tener solo los campos de la interfaz original, sin los que ARCA agregó después.", "A request may have the members of the first interface alone, without those that ARCA added later."},
	"book.rule":                     {"Regla", "Rule"},
	"book.rule.enforce":             {"rechaza", "refuses"},
	"book.rule.observe":             {"solo se anota", "is only written down"},
	"book.rule.off":                 {"no se examina", "is not judged"},
	"book.absolute_tolerance":       {"Diferencia que se admite en un importe", "Difference that an amount may have"},
	"book.relative_tolerance":       {"Diferencia que se admite, como fracción del importe", "Difference that is allowed, as a fraction of the amount"},
	"book.consumer_final_threshold": {"Importe desde el que se identifica al consumidor final", "Amount from which a final consumer is identified"},
	"book.fce_minimum":              {"Importe mínimo de una factura de crédito electrónica MiPyME", "Least amount of an electronic credit invoice (MiPyME)"},
	"book.terms":                    {"Cómo examina esta pasarela", "How this gateway judges"},
	"book.options":                  {"Con las palabras de la configuración", "In the words of the configuration"},
	"book.fill":                     {"La pasarela completa CondicionIVAReceptorId antes de examinar.", "The gateway fills in CondicionIVAReceptorId before it judges."},
	"problem.busy":                  {"Ocupado", "Busy"},
	"problem.busy.text":             {"Hay demasiados pedidos a la vez. Pruebe de nuevo en unos segundos.", "There are too many requests at a time. Try again in some seconds."},
	"nav.today":                     {"Hoy", "Today"},
	"nav.search":                    {"Buscar", "Search"},
	"nav.try":                       {"Probar", "Try it"},
	"nav.rules":                     {"Reglas", "Rules"},
	"nav.outages":                   {"Caídas", "Outages"},
	"keys":                          {"Teclas", "Keys"},
	"keys.search":                   {"Buscar", "Search"},
	"keys.rows":                     {"Fila siguiente y anterior", "Next and previous row"},
	"keys.open":                     {"Abrir la fila", "Open the row"},
	"keys.keys":                     {"Mostrar estas teclas", "Show these keys"},
	"keys.close":                    {"Cerrar, o salir de la caja de búsqueda", "Close, or leave the search box"},
	"close":                         {"Cerrar", "Close"},
}
