package binding

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
)

// elsewhere are the statuses of a server that has no such service at the address, or wants a
// login first. The service itself declares none of them.
var elsewhere = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone,
}

// IsAnotherProgram reports whether an answer that is not the operation's looks as if another
// program gave it: a page in place of JSON, or a status that sends the client elsewhere. A
// proxy's page with a status of 5xx does not: the service may be back in a moment.
func (r Reply) IsAnotherProgram() bool {
	if r.Status >= 200 && r.Status < 300 {
		return !jsontext.Value(r.Body).IsValid()
	}
	return slices.Contains(elsewhere, r.Status)
}

// AnotherProgram refuses a request to which another program answered, and then a query about it
// too. Nothing is certain about the request, so its result stays unknown.
func AnotherProgram(r Reply, repeatable bool, err error) *Refusal {
	text := fmt.Sprintf("En la dirección del servicio respondió otro programa: HTTP %d, %s. Revise la dirección del servicio en la configuración. El resultado del pedido queda como desconocido.",
		r.Status, r.content())
	if repeatable {
		text += " Cuando el servicio responda, repita el mismo pedido sin cambios: no se procesa dos veces."
	}
	return Refuse(http.StatusGatewayTimeout, audit.OutcomeUnknown, "upstream.unknown", text).Because(err)
}

// OfAnother refuses a query whose answer is about something else than was asked for: on a connection that a proxy has
// shifted by one answer, each is another client's.
func OfAnother() *Refusal {
	return Refuse(http.StatusBadGateway, audit.OutcomeUpstreamError, "upstream.mismatch",
		"La respuesta del servicio no es la de esta consulta, sino de otra, y no se entrega. La consulta no modifica nada y puede repetirse.")
}

// content names what an answer holds, in the words of an invoicing department.
func (r Reply) content() string {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case len(r.Body) == 0:
		return "sin contenido"
	case media == "text/html":
		return "una página web"
	case slices.Contains(mediaTypes, media):
		return "contenido " + media
	}
	return "contenido de otro tipo"
}

// AnswerError is the error of a query that got an answer which is not the operation's.
type AnswerError struct {
	operation, form string
	status          int
	// program: another program gave it.
	program bool
}

// NewAnswerError returns the error of a query that got this answer.
func NewAnswerError(operation string, r Reply) *AnswerError {
	return &AnswerError{operation: operation, form: r.Form(), status: r.Status, program: r.IsAnotherProgram()}
}

// Error implements error.
func (o *AnswerError) Error() string {
	if o.program {
		return fmt.Sprintf("%s: %v: status %d, %s", o.operation, once.ErrAnotherProgram, o.status, o.form)
	}
	return fmt.Sprintf("%s: the answer is not the operation's: status %d, %s", o.operation, o.status, o.form)
}

// Unwrap returns once.ErrAnotherProgram if that is what it looks like.
func (o *AnswerError) Unwrap() error {
	if o.program {
		return once.ErrAnotherProgram
	}
	return nil
}

// whatCame returns a sentence about what came in place of the answer to a query, empty if nothing
// came.
func whatCame(err error) string {
	if odd, ok := errors.AsType[*AnswerError](err); ok {
		return fmt.Sprintf(" El servicio respondió HTTP %d a %s, y no lo que se consultó.", odd.status, odd.operation)
	}
	if errors.Is(err, once.ErrUnreached) {
		return " No se pudo contactar al servicio para consultarlo."
	}
	return ""
}
