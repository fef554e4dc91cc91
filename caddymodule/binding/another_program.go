package binding

import (
	"fmt"
	"mime"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/once"
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
	return Refuse(http.StatusGatewayTimeout, outcome.Unknown, "upstream.unknown", text).Because(err)
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

// ErrAnotherProgram is the error of a query to which another program answered.
func ErrAnotherProgram(operation string, r Reply) error {
	return fmt.Errorf("%s: %w: status %d, %s", operation, once.ErrAnotherProgram, r.Status, r.Form())
}
