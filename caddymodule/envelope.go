package caddymodule

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// fault is an answer of the gateway's own that is not a normal one: an HTTP status
// and the service's error body (interface.md §7). It is the only way in which an
// inner error becomes visible outside; what the error said goes to the record and
// to the log.
type fault struct {
	status  int
	outcome string
	items   []wsfev1.ErrorItem
	// allow and retryAfter are the values of the headers of those names.
	allow, retryAfter string
	// detail is the inner error, for the record and the log.
	detail error
}

// refuse makes a fault with one item. The codes are stable: clients may match on
// them.
func refuse(status int, outcome, code, text string) *fault {
	return &fault{status: status, outcome: outcome, items: []wsfev1.ErrorItem{{Code: code, Msg: text}}}
}

func (f *fault) because(err error) *fault {
	f.detail = err
	return f
}

// unknownOperation names the operation that was meant where only the case is wrong:
// the name itself is the client's, and is not repeated.
func unknownOperation(name string) *fault {
	text := "La operación no existe: se espera POST " + wsfev1.PathPrefix + "<Operacion>, con el nombre exacto."
	meant := slices.IndexFunc(wsfev1.Operations, func(op *wsfev1.Operation) bool {
		return op.Name != name && strings.EqualFold(op.Name, strings.Trim(name, "/"))
	})
	if meant >= 0 {
		text += " ¿Quiso decir " + wsfev1.Operations[meant].Name + "?"
	}
	return refuse(http.StatusNotFound, outcome.Inadmissible, "http.operation", text)
}

func wrongMethod() *fault {
	f := refuse(http.StatusMethodNotAllowed, outcome.Inadmissible, "http.method", "El método debe ser POST.")
	f.allow = http.MethodPost
	return f
}

// queryGiven is about what the contract does not have: addresses get into logs, and
// credentials in a query with them.
func queryGiven() *fault {
	return refuse(http.StatusBadRequest, outcome.Inadmissible, "http.query",
		"La dirección no debe llevar parámetros: todo va en el cuerpo. Si había allí Token o Sign, renueve el ticket de acceso: pueden haber quedado en registros.")
}

func wrongHost() *fault {
	return refuse(http.StatusBadRequest, outcome.Inadmissible, "http.host", "El encabezado Host no nombra un servidor.")
}

func wrongMediaType() *fault {
	return refuse(http.StatusUnsupportedMediaType, outcome.Inadmissible, "http.media_type",
		"El Content-Type debe ser application/json, en UTF-8.")
}

func wrongContentCoding() *fault {
	return refuse(http.StatusUnsupportedMediaType, outcome.Inadmissible, "http.content_coding",
		"El cuerpo no debe llevar Content-Encoding.")
}

func tooEarly() *fault {
	return refuse(http.StatusTooEarly, outcome.Inadmissible, "http.too_early",
		"Una operación que emite no se acepta como dato anticipado (0-RTT): repita el pedido.")
}

func bodyTooLarge(limit int64) *fault {
	return refuse(http.StatusRequestEntityTooLarge, outcome.Inadmissible, "http.body_too_large",
		"El cuerpo supera el máximo de "+strconv.FormatInt(limit, 10)+" bytes.")
}

// unreadableBody is about a body that did not arrive. An outer handler's own limit
// keeps its status.
func unreadableBody(err error, limit int64) *fault {
	var full *fault
	var tooLarge *http.MaxBytesError
	var outer caddyhttp.HandlerError
	switch {
	case errors.As(err, &full):
		return full
	case errors.As(err, &tooLarge):
		return bodyTooLarge(tooLarge.Limit).because(err)
	case errors.As(err, &outer) && outer.StatusCode == http.StatusRequestEntityTooLarge:
		return bodyTooLarge(limit).because(err)
	case errors.As(err, &outer) && outer.StatusCode >= 400:
		return refuse(outer.StatusCode, outcome.Inadmissible, "http.body", "El cuerpo no pudo leerse.").because(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, outcome.Inadmissible, "http.body_timeout", "El cuerpo no llegó a tiempo.").because(err)
	}
	return refuse(http.StatusBadRequest, outcome.Inadmissible, "http.body", "El cuerpo no llegó completo.").because(err)
}

func foreignCuit(cuit wsfev1.CUIT) *fault {
	return refuse(http.StatusForbidden, outcome.Inadmissible, "http.cuit",
		"La CUIT "+cuit.String()+" no está habilitada en esta pasarela.")
}

// malformed carries all findings of shape.
func malformed(findings []validate.Finding) *fault {
	f := &fault{status: http.StatusBadRequest, outcome: outcome.Malformed}
	for _, finding := range findings {
		pointer := finding.Pointer
		if pointer == "" {
			pointer = "(documento)"
		}
		f.items = append(f.items, wsfev1.ErrorItem{Code: finding.Code, Msg: pointer + ": " + finding.Explanation()})
	}
	return f
}

// unrecorded is about a trail that takes nothing: without evidence nothing passes.
func unrecorded(err error) *fault {
	return unavailable(err, "No puede escribirse el registro de auditoría: el pedido no se envió y puede repetirse.")
}

// withheld is about the answer to a query that cannot be recorded.
func withheld(err error) *fault {
	return unavailable(err, "No puede escribirse el registro de auditoría y sin él no se entrega la respuesta. La consulta puede repetirse.")
}

func unavailable(err error, text string) *fault {
	f := refuse(http.StatusServiceUnavailable, outcome.Unrecorded, "audit.unavailable", text)
	f.retryAfter = "5"
	return f.because(err)
}

// unanswered is about an upstream from which no answer came. Repeatable tells that the same
// request may be sent again: it is not carried out twice. That cannot be promised where no
// operation tells what became of it.
func unanswered(certainty audit.Certainty, effect wsfev1.Effect, repeatable bool, err error) *fault {
	switch {
	case certainty == audit.NotSent:
		return refuse(http.StatusBadGateway, outcome.NotSent, "upstream.not_sent",
			"No se pudo contactar al servicio: el pedido no se envió y puede repetirse.").because(err)
	case errors.Is(err, once.ErrNoQuestion):
		return refuse(http.StatusGatewayTimeout, outcome.Unknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta: el resultado es desconocido, y ninguna operación del contrato permite consultarlo. Si se repite, se envía otra vez al servicio.").because(err)
	case effect == wsfev1.EffectChanges && repeatable && errors.Is(err, once.ErrCredentials):
		return refuse(http.StatusGatewayTimeout, outcome.Unknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta; el servicio no acepta las credenciales para consultar el resultado, que es desconocido. Repita el mismo pedido con un ticket de acceso nuevo: no se procesa dos veces.").because(err)
	case effect == wsfev1.EffectChanges && repeatable:
		return refuse(http.StatusGatewayTimeout, outcome.Unknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta: el resultado es desconocido. Repita el mismo pedido sin cambios, que no se procesa dos veces, o consulte (FECompConsultar, FECAEAConsultar).").because(err)
	case effect == wsfev1.EffectChanges:
		return refuse(http.StatusGatewayTimeout, outcome.Unknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta: el resultado es desconocido. Consulte (FECompConsultar, FECAEAConsultar) antes de repetirlo: repetido, puede enviarse otra vez al servicio.").because(err)
	}
	return refuse(http.StatusGatewayTimeout, outcome.Unknown, "upstream.unknown",
		"El servicio no respondió. La consulta no modifica nada y puede repetirse.").because(err)
}

// internal is the answer to a mistake of our own; it tells nothing.
func internal(err error) *fault {
	return refuse(http.StatusInternalServerError, outcome.UpstreamError, "internal", "Error interno de la pasarela.").because(err)
}

// internalUnsent is internal about a request that has not left.
func internalUnsent(err error) *fault {
	return refuse(http.StatusInternalServerError, outcome.NotSent, "internal",
		"Error interno de la pasarela: el pedido no se envió y puede repetirse.").because(err)
}

// reply is an answer, ready to be recorded and given.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// reply writes the fault in the service's error body.
func (f *fault) reply() (reply, error) {
	r, err := jsonReply(f.status, &wsfev1.ErrorBody{Errors: wsfev1.ErrorList{Err: f.items}})
	if f.allow != "" {
		r.header.Set("Allow", f.allow)
	}
	if f.retryAfter != "" {
		r.header.Set("Retry-After", f.retryAfter)
	}
	return r, err
}

// jsonReply writes a body of the service's types.
func jsonReply(status int, body any) (reply, error) {
	r := reply{status: status, header: http.Header{"Content-Type": {"application/json"}}}
	var err error
	r.body, err = json.Marshal(body)
	return r, err
}

// write gives the reply to the client. What the header held before for the same
// names is replaced.
func (r reply) write(w http.ResponseWriter) error {
	header := w.Header()
	maps.Copy(header, r.header)
	header.Set("Content-Length", strconv.Itoa(len(r.body)))
	w.WriteHeader(r.status)
	_, err := w.Write(r.body)
	return err
}

// forOthers returns the reply as somebody else may have it who repeats the request: without what
// the service has told the first one alone, such as a cookie.
func (r reply) forOthers() reply {
	r.header = http.Header{"Content-Type": {"application/json"}}
	return r
}

// form says what an answer is that is not the operation's, and nothing of what it says: its
// media type, its length, and whether it is JSON.
func (r reply) form() string {
	if len(r.body) == 0 {
		return "empty"
	}
	given := r.header.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(given) // no text where it is none
	switch {
	case given == "":
		media = "no media type"
	case !slices.Contains(mediaTypes, media):
		media = "another media type"
	}
	kind := "no JSON"
	if jsontext.Value(r.body).IsValid() {
		kind = "JSON"
	}
	return fmt.Sprintf("%s, %d bytes, %s", media, len(r.body), kind)
}

// mediaTypes are those that are named in the log: another one could say anything.
var mediaTypes = []string{
	"application/json", "application/problem+json", "application/soap+xml", "application/xml",
	"text/html", "text/plain", "text/xml",
}
