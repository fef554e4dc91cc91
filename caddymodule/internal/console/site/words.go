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
	"lang":                          {"es", "en"},
	"search":                        {"Buscar", "Search"},
	"search.label":                  {"CUIT, CAE, comprobante, registro, código o fecha", "CUIT, CAE, invoice, record, code or date"},
	"not_understood":                {"No se entendió", "Not understood"},
	"when":                          {"Momento", "Time"},
	"voucher":                       {"Comprobante", "Invoice"},
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
	"environment":                   {"Entorno", "Environment"},
	"duration":                      {"Duración", "Duration"},
	"skip":                          {"Ir al contenido", "Skip to the content"},
	"console":                       {"Consola", "Console"},
	"reader":                        {"Lector", "Reader"},
	"expected":                      {"Se esperaba", "Expected"},
	"got":                           {"Se recibió", "Got"},
	"tolerance":                     {"Tolerancia", "Tolerance"},
	"place":                         {"Campo", "Field"},
	"action":                        {"Acción", "Action"},
	"said":                          {"Texto", "Text"},
	"not_kept":                      {"no se conserva", "not kept"},
	"stranger":                      {"Sin permiso", "No permission"},
	"stranger.text":                 {"Usted no tiene permiso para ver esta página. Si lo necesita, pídalo a quien la administra.", "You do not have permission to see this page. If you need it, ask whoever administers it."},
	"problem.bound":                 {"Fuera de su alcance", "Beyond what you may see"},
	"problem.bound.text":            {"Esta página trata de todos los emisores, y usted puede ver solo los comprobantes de algunas CUIT.", "This page is about all issuers, and you may see the invoices of some CUITs only."},
	"bound.one":                     {"Solo comprobantes de la CUIT %s.", "Invoices of CUIT %s only."},
	"bound.many":                    {"Solo comprobantes de las CUIT %s.", "Invoices of CUITs %s only."},
	"bound.more":                    {"Solo comprobantes de las CUIT %s y %d más.", "Invoices of CUITs %s and %d more only."},
	"problem.not_found":             {"No existe", "Not found"},
	"problem.not_found.text":        {"No hay ninguna página ni ningún registro con esta dirección.", "There is no page and no record with this address."},
	"problem.no_trail":              {"Sin registro de auditoría", "No trail"},
	"problem.no_trail.text":         {"La configuración no tiene ninguna pasarela (wsfev1), así que no hay nada que mostrar.", "The configuration has no gateway (wsfev1), so there is nothing to show."},
	"problem.broken":                {"No se pudo mostrar", "Cannot be shown"},
	"problem.broken.text":           {"La página no pudo armarse; el motivo está en el log de la pasarela.", "The page could not be built. The gateway's log says why."},
	"problem.damaged":               {"Registro dañado", "Damaged record"},
	"problem.damaged.text":          {"Un registro que esta página necesita está dañado y no se puede leer. «fielato wsfev1 audit verify» dice qué registros lo están.", "A record that this page needs is damaged and cannot be read. “fielato wsfev1 audit verify” names the damaged records."},
	"problem.bad_request":           {"No se entiende", "Not understood"},
	"problem.bad_request.text":      {"La dirección o el formulario no se puede leer.", "The address or the form cannot be read."},
	"problem.too_large":             {"Demasiado grande", "Too large"},
	"problem.too_large.text":        {"Lo que se envió supera lo que esta página acepta.", "What was sent is more than this page takes."},
	"problem.method":                {"No se puede así", "Not possible this way"},
	"problem.method.text":           {"Esta dirección no acepta este tipo de pedido.", "This address does not take this kind of request."},
	"problem.unrecorded":            {"No se muestra", "Not shown"},
	"problem.unrecorded.text":       {"Cada lectura de este registro de auditoría debe quedar registrada (log_reads), y eso no fue posible. El log de la pasarela dice por qué.", "Each read of this trail must be recorded (log_reads), and that was not possible. The gateway's log says why."},
	"problem.other_site":            {"Pedido desde otro sitio", "Asked for from another site"},
	"problem.other_site.text":       {"El pedido no vino de una página de esta consola, así que no se hizo nada.", "The request did not come from a page of this console, so nothing was done."},
	"gateway":                       {"Pasarela", "Gateway"},
	"book.none":                     {"La configuración no tiene ninguna pasarela: los niveles son los de fábrica.", "The configuration has no gateway: the levels are the defaults."},
	"book.brief.enforce":            {"rechaza", "refuses"},
	"book.brief.observe":            {"solo anota", "only records"},
	"book.mode.enforce":             {"La pasarela rechaza lo que no cumple las reglas, sin enviarlo.", "The gateway refuses what breaks a rule, and does not send it."},
	"book.mode.observe":             {"La pasarela envía también lo que no cumple las reglas, y solo lo anota. Se exceptúan las reglas que se nombran.", "The gateway also sends what breaks a rule, and only records the finding. The rules that are named are the exception."},
	"book.contract.arca":            {"El pedido puede tener todos los campos que ARCA admite hoy.", "A request may have all fields that ARCA takes today."},
	"book.contract.base":            {"El pedido puede tener solo los campos de la interfaz original, sin los que ARCA agregó después.", "A request may have the fields of the original interface alone, without those that ARCA added later."},
	"book.rule":                     {"Regla", "Rule"},
	"book.rule.enforce":             {"rechaza", "refuses"},
	"book.rule.observe":             {"solo se anota", "is only recorded"},
	"book.rule.off":                 {"no se valida", "is not checked"},
	"book.absolute_tolerance":       {"Diferencia admitida en un importe", "Difference allowed in an amount"},
	"book.relative_tolerance":       {"Diferencia admitida, como fracción del importe", "Difference allowed, as a fraction of the amount"},
	"book.consumer_final_threshold": {"Importe desde el que hay que identificar al consumidor final", "Amount from which a final consumer must be identified"},
	"book.fce_minimum":              {"Importe mínimo de una factura de crédito electrónica MiPyME", "Minimum amount of an electronic credit invoice (MiPyME)"},
	"book.terms":                    {"Cómo valida esta pasarela", "How this gateway checks"},
	"book.options":                  {"Como está escrito en la configuración", "As written in the configuration"},
	"book.fill":                     {"La pasarela completa CondicionIVAReceptorId antes de validar.", "The gateway fills in CondicionIVAReceptorId before it checks."},
	"problem.busy":                  {"Ocupado", "Busy"},
	"problem.busy.text":             {"Hay demasiados pedidos a la vez. Pruebe de nuevo en unos segundos.", "There are too many requests at once. Try again in a few seconds."},
	"nav.today":                     {"Hoy", "Today"},
	"nav.search":                    {"Buscar", "Search"},
	"nav.month":                     {"Cierre", "Month-end"},
	"nav.try":                       {"Probar", "Try it"},
	"nav.rules":                     {"Reglas", "Rules"},
	"nav.outages":                   {"Caídas", "Outages"},
	"nav.readings":                  {"Lecturas", "Readings"},
	"copy":                          {"Copiar", "Copy"},
	"copied":                        {"Copiado", "Copied"},
	"keys":                          {"Atajos de teclado", "Keyboard shortcuts"},
	"keys.search":                   {"Buscar", "Search"},
	"keys.rows":                     {"Fila siguiente y anterior", "Next and previous row"},
	"keys.open":                     {"Abrir la fila", "Open the row"},
	"keys.keys":                     {"Mostrar estos atajos", "Show these shortcuts"},
	"keys.close":                    {"Cerrar, o salir del cuadro de búsqueda", "Close, or leave the search box"},
	"close":                         {"Cerrar", "Close"},
}
