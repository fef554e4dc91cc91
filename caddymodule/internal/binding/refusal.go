package binding

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
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Refusal is an error answer of the gateway itself: an HTTP status and the service's error
// body (docs/sources.md#contract). It is the only form in which an inner error becomes visible
// outside. The text of the inner error goes to the record and to the log.
type Refusal struct { //nolint:errname // it is an answer, and an error by the way
	status int
	// Outcome is the outcome of the exchange.
	Outcome audit.Outcome
	items   []wsfev1.ErrorItem
	// allow and RetryAfter are the values of the headers Allow and Retry-After, empty for none.
	allow, RetryAfter string
	// Detail is the inner error, for the record and the log.
	Detail error
	// soap is what a client of SOAP gets in place of the items, nil for these. causes are what
	// its detail has, nil for the codes of the items.
	soap   *fault
	causes []soap.Cause
}

// Refuse returns a refusal with one item. Codes are stable: clients may match on them.
func Refuse(status int, result audit.Outcome, code, text string) *Refusal {
	return &Refusal{status: status, Outcome: result, items: []wsfev1.ErrorItem{{Code: code, Msg: text}}}
}

// Because sets the inner error and returns f.
func (f *Refusal) Because(err error) *Refusal {
	f.Detail = err
	return f
}

// unknownOperation refuses a path that names no operation. The text has the nearest name, if
// one is near; the client's own text is not repeated.
func unknownOperation(name string) *Refusal {
	text := "La operación no existe: se espera POST " + wsfev1.PathPrefix + "<Operacion>, con el nombre exacto."
	var names []string
	for _, op := range wsfev1.Operations {
		names = append(names, op.Name)
	}
	if meant := nearest.Names(strings.Trim(name, "/"), names); meant != nil && !slices.Contains(names, name) {
		text += " ¿Quiso decir " + strings.Join(meant, " o ") + "?"
	}
	return Refuse(http.StatusNotFound, audit.OutcomeInadmissible, "http.operation", text)
}

func wrongMethod() *Refusal {
	f := Refuse(http.StatusMethodNotAllowed, audit.OutcomeInadmissible, "http.method", "El método debe ser POST.")
	f.allow = http.MethodPost
	return f
}

// queryGiven refuses a URL with a query: URLs get into logs, and credentials in a query
// with them.
func queryGiven() *Refusal {
	return Refuse(http.StatusBadRequest, audit.OutcomeInadmissible, "http.query",
		"La dirección no debe llevar parámetros: todo va en el cuerpo. Si había allí Token o Sign, renueve el ticket de acceso: pueden haber quedado en registros.")
}

func wrongHost() *Refusal {
	return Refuse(http.StatusBadRequest, audit.OutcomeInadmissible, "http.host", "El encabezado Host no nombra un servidor.")
}

func wrongMediaType() *Refusal {
	return Refuse(http.StatusUnsupportedMediaType, audit.OutcomeInadmissible, "http.media_type",
		"El Content-Type debe ser application/json, en UTF-8.")
}

func wrongXMLMediaType() *Refusal {
	return Refuse(http.StatusUnsupportedMediaType, audit.OutcomeInadmissible, "http.media_type",
		"El Content-Type debe ser text/xml (SOAP 1.1) o application/soap+xml (SOAP 1.2).")
}

func wrongContentCoding() *Refusal {
	return Refuse(http.StatusUnsupportedMediaType, audit.OutcomeInadmissible, "http.content_coding",
		"El cuerpo no debe llevar Content-Encoding.")
}

func tooEarly() *Refusal {
	return Refuse(http.StatusTooEarly, audit.OutcomeInadmissible, "http.too_early",
		"Una operación que emite no se acepta como dato anticipado (0-RTT): repita el pedido.")
}

func bodyTooLarge(limit int64) *Refusal {
	return Refuse(http.StatusRequestEntityTooLarge, audit.OutcomeInadmissible, "http.body_too_large",
		"El cuerpo supera el máximo de "+strconv.FormatInt(limit, 10)+" bytes.")
}

// unreadableBody refuses a body that did not arrive. The status of an outer handler's own
// limit is kept.
func unreadableBody(err error, limit int64) *Refusal {
	var full *Refusal
	var tooLarge *http.MaxBytesError
	var outer caddyhttp.HandlerError
	switch {
	case errors.As(err, &full):
		return full
	case errors.As(err, &tooLarge):
		return bodyTooLarge(tooLarge.Limit).Because(err)
	case errors.As(err, &outer) && outer.StatusCode == http.StatusRequestEntityTooLarge:
		return bodyTooLarge(limit).Because(err)
	case errors.As(err, &outer) && outer.StatusCode >= 400:
		return Refuse(outer.StatusCode, audit.OutcomeInadmissible, "http.body", "El cuerpo no pudo leerse.").Because(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Refuse(http.StatusRequestTimeout, audit.OutcomeInadmissible, "http.body_timeout", "El cuerpo no llegó a tiempo.").Because(err)
	}
	return Refuse(http.StatusBadRequest, audit.OutcomeInadmissible, "http.body", "El cuerpo no llegó completo.").Because(err)
}

// ForeignCuit refuses an issuer that this gateway does not serve.
func ForeignCuit(cuit wsfev1.CUIT) *Refusal {
	return Refuse(http.StatusForbidden, audit.OutcomeInadmissible, "http.cuit",
		"La CUIT "+cuit.String()+" no está habilitada en esta pasarela.")
}

// Malformed refuses a request that is not of the operation's shape, with all findings.
func Malformed(findings []validate.Finding) *Refusal {
	return &Refusal{status: http.StatusBadRequest, Outcome: audit.OutcomeMalformed, items: validate.Malformed(findings).Errors.Err}
}

// Unrecorded refuses a request because the trail cannot be written: nothing passes without
// evidence.
func Unrecorded(err error) *Refusal {
	return unavailable(err, "No puede escribirse el registro de auditoría: el pedido no se envió y puede repetirse.")
}

// Withheld refuses the answer to a query because it cannot be recorded.
func Withheld(err error) *Refusal {
	return unavailable(err, "No puede escribirse el registro de auditoría y sin él no se entrega la respuesta. La consulta puede repetirse.")
}

func unavailable(err error, text string) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeUnrecorded, "audit.unavailable", text)
	f.RetryAfter = "5"
	return f.Because(err)
}

// Unanswered refuses a request to which the upstream gave no usable answer. repeatable: the
// client may send the same request again, and it is not carried out twice. That cannot be
// promised if the contract has no query for the outcome of the request.
func Unanswered(certainty audit.Certainty, effect wsfev1.Effect, repeatable bool, err error) *Refusal {
	switch {
	case certainty == audit.NotSent:
		return Refuse(http.StatusBadGateway, audit.OutcomeNotSent, "upstream.not_sent",
			"No se pudo contactar al servicio: el pedido no se envió y puede repetirse.").Because(err)
	case errors.Is(err, once.ErrNoQuestion):
		return Refuse(http.StatusGatewayTimeout, audit.OutcomeUnknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta: el resultado es desconocido, y ninguna operación del contrato permite consultarlo. Si se repite, se envía otra vez al servicio.").Because(err)
	case effect == wsfev1.EffectChanges && repeatable && errors.Is(err, once.ErrCredentials):
		return Refuse(http.StatusGatewayTimeout, audit.OutcomeUnknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta; el servicio no acepta las credenciales para consultar el resultado, que es desconocido. Repita el mismo pedido con un ticket de acceso nuevo: no se procesa dos veces.").Because(err)
	case effect == wsfev1.EffectChanges && repeatable:
		return Refuse(http.StatusGatewayTimeout, audit.OutcomeUnknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta: el resultado es desconocido. Repita el mismo pedido sin cambios, que no se procesa dos veces, o consulte (FECompConsultar, FECAEAConsultar, FECAEASinMovimientoConsultar)."+whatCame(err)).Because(err)
	case effect == wsfev1.EffectChanges:
		return Refuse(http.StatusGatewayTimeout, audit.OutcomeUnknown, "upstream.unknown",
			"El pedido se envió y no hubo respuesta: el resultado es desconocido. Consulte (FECompConsultar, FECAEAConsultar, FECAEASinMovimientoConsultar) antes de repetirlo: repetido, puede enviarse otra vez al servicio.").Because(err)
	}
	return Refuse(http.StatusGatewayTimeout, audit.OutcomeUnknown, "upstream.unknown",
		"El servicio no respondió. La consulta no modifica nada y puede repetirse.").Because(err)
}

// Internal is the answer to a bug in the gateway. It does not show the error.
func Internal(err error) *Refusal {
	return Refuse(http.StatusInternalServerError, audit.OutcomeUpstreamError, "internal", "Error interno de la pasarela.").Because(err)
}

// InternalUnsent is Internal for a request that was not sent.
func InternalUnsent(err error) *Refusal {
	return Refuse(http.StatusInternalServerError, audit.OutcomeNotSent, "internal",
		"Error interno de la pasarela: el pedido no se envió y puede repetirse.").Because(err)
}

// Reply is an answer, ready to be recorded and sent.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Reply returns the refusal as a reply with the service's error body.
func (f *Refusal) Reply() (Reply, error) {
	r, err := JSON(f.status, &wsfev1.ErrorBody{Errors: wsfev1.ErrorList{Err: f.items}})
	f.setHeaders(r.Header)
	return r, err
}

func (f *Refusal) setHeaders(header http.Header) {
	if f.allow != "" {
		header.Set("Allow", f.allow)
	}
	if f.RetryAfter != "" {
		header.Set("Retry-After", f.RetryAfter)
	}
}

// JSON returns a reply with one of the service's types as its body.
func JSON(status int, body any) (Reply, error) {
	r := Reply{Status: status, Header: http.Header{"Content-Type": {"application/json"}}}
	var err error
	r.Body, err = typed.JSON(body)
	return r, err
}

// Write sends the reply to the client. It replaces headers of the same names.
func (r Reply) Write(w http.ResponseWriter) error {
	header := w.Header()
	maps.Copy(header, r.Header)
	header.Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(r.Status)
	_, err := w.Write(r.Body)
	return err
}

// ForOthers returns the reply for another client that repeats the request: without headers
// that are for the first client alone, such as a cookie.
func (r Reply) ForOthers() Reply {
	r.Header = http.Header{"Content-Type": {"application/json"}}
	return r
}

// Form describes an answer without any of its content, for the log: media type, length, and
// whether it is JSON.
func (r Reply) Form() string {
	if len(r.Body) == 0 {
		return "empty"
	}
	given := r.Header.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(given) // empty if it is none
	switch {
	case given == "":
		media = "no media type"
	case !slices.Contains(mediaTypes, media):
		media = "another media type"
	}
	kind := "no JSON"
	if jsontext.Value(r.Body).IsValid() {
		kind = "JSON"
	}
	return fmt.Sprintf("%s, %d bytes, %s", media, len(r.Body), kind)
}

// mediaTypes are the media types that may be named in the log: any other could hold anything.
var mediaTypes = []string{
	"application/json", "application/problem+json", "application/soap+xml", "application/xml",
	"text/html", "text/plain", "text/xml",
}
