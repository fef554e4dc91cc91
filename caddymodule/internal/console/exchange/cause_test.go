package exchange_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// TestWhyThereIsNoAnswerIsToldInWords, before the text of the gateway. A page says that a service has
// answered only if it has.
func TestWhyThereIsNoAnswerIsToldInWords(t *testing.T) {
	d := newDesk(t, false)
	for detail, want := range map[string]string{
		"the upstream's answer broke off":                      "La conexión con el servicio se cortó antes de llegar la respuesta entera",
		"read tcp 127.0.0.1:1: read: connection reset by peer": "La conexión con el servicio se cortó antes de llegar la respuesta entera",
		"net/http: timeout awaiting response headers":          "El servicio no respondió a tiempo y no se sabía si lo atendió",
		"EOF":               "La conexión con el servicio se cortó antes de llegar la respuesta entera",
		"some part thereof": "No llegó respuesta del servicio y no se sabía si lo atendió",
		"context canceled":  "El pedido se canceló mientras esperaba.",
		"the proxy said something that nobody has foreseen yet": "No llegó respuesta del servicio y no se sabía si lo atendió",
	} {
		page := d.page(d.add(about(5, 1, audit.Record{
			Kind: audit.KindOutcome, ID: detail, Intent: d.intent(detail, 5, 1), Decision: "forward", Outcome: "unknown", Certainty: audit.Unknown, Status: 504, Duration: time.Second, Detail: detail,
		})))
		d.inOrder(page, want, "Texto de la pasarela: «<bdi>"+strings.ReplaceAll(detail, "'", "&#39;"))
		if late := strings.Contains(page, "a tiempo"); late != strings.Contains(detail, "timeout") {
			t.Errorf("%s: late is %v", detail, late)
		}
	}
	for detail, want := range map[string]string{
		"dial tcp 127.0.0.1:1: connect: connection refused":        "El servicio no aceptó la conexión.",
		"dial tcp: lookup arca.example: no such host":              "No se encontró la dirección del servicio.",
		"tls: failed to verify certificate: x509: unknown":         "No se pudo establecer una conexión segura con el servicio.",
		"context deadline exceeded (while a connection was opened": "El servicio no respondió a tiempo.",
	} {
		page := d.page(d.add(about(5, 1, audit.Record{
			Kind: audit.KindOutcome, ID: detail, Intent: d.intent(detail, 5, 1), Decision: "forward", Outcome: "not_sent", Certainty: audit.NotSent, Status: 502, Detail: detail,
		})))
		d.inOrder(page, "No se pudo enviar; al servicio no le llegó nada. "+want, "Texto de la pasarela: «<bdi>"+detail)
	}
	for certainty, want := range map[audit.Certainty]string{
		audit.Answered: "respondió el servicio de prueba", audit.Unknown: "se envió al servicio de prueba", audit.NotSent: "la pasarela usa el servicio de prueba",
	} {
		r := about(5, 1, audit.Record{Kind: audit.KindExchange, ID: string(certainty), Decision: "forward", Outcome: "unknown", Certainty: certainty, Status: 504})
		r.Upstream = "wsfev1_backend"
		page := d.page(d.add(r))
		d.inOrder(page, want)
		if certainty != audit.Answered && strings.Contains(page, "respondió el servicio") {
			t.Errorf("%s: the page says that it answered", certainty)
		}
	}
}
