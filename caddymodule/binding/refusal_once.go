package binding

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/once"
)

// Error implements error, for who asked of the gateway's own accord.
func (f *Refusal) Error() string {
	if f.Detail != nil {
		return f.Detail.Error()
	}
	return f.Outcome
}

// Unwrap returns the inner error.
func (f *Refusal) Unwrap() error { return f.Detail }

// NoTurn is about a request that may not be sent now.
func NoTurn(sent *once.Request, err error) *Refusal {
	var unsettled *once.UnsettledError
	switch {
	case errors.As(err, &unsettled):
		text := "El resultado del pedido anterior de la serie (comprobante %d) aún es desconocido: el pedido no se envió. Se sigue consultando al servicio; repítalo."
		if p := unsettled.Pending; p.Key == sent.Key && p.Fingerprint == sent.Fingerprint {
			text = "Este mismo pedido (comprobante %d) ya se envió y su resultado aún es desconocido: no se envió otra vez. Se sigue consultando al servicio; repítalo sin cambios."
		}
		if errors.Is(err, once.ErrCredentials) {
			text = "El servicio no acepta las credenciales, y con ellas no puede consultarse el resultado, aún desconocido, de un pedido de la serie (comprobante %d): no se envió nada. Repita el pedido con un ticket de acceso nuevo."
		}
		f := Refuse(http.StatusServiceUnavailable, outcome.Unsettled, "once.unsettled", fmt.Sprintf(text, unsettled.Pending.Key.Desde))
		f.RetryAfter = "10"
		return f.Because(err)
	case errors.Is(err, once.ErrBusy), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f := Refuse(http.StatusServiceUnavailable, outcome.Busy, "once.busy",
			"Hay otros pedidos de la misma serie en curso: el pedido no se envió y puede repetirse.")
		f.RetryAfter = "5"
		return f.Because(err)
	case errors.Is(err, once.ErrConflict):
		return Refuse(http.StatusConflict, outcome.Conflict, "once.conflict",
			"Está en curso otro pedido con la misma numeración y otro contenido: este no se envió.").Because(err)
	case errors.Is(err, once.ErrKeyReused):
		return Refuse(http.StatusUnprocessableEntity, outcome.Conflict, "once.idempotency_key",
			"El encabezado Idempotency-Key ya se usó para otro pedido: este no se envió.").Because(err)
	}
	return Unrecorded(err)
}

// Unproven is about a repeat whose credentials cannot be proven while the service does
// not answer.
func Unproven(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, outcome.Busy, "once.credentials",
		"El pedido ya tiene respuesta, pero el servicio no confirma ahora que las credenciales valgan: no se envió nada; repítalo.")
	f.RetryAfter = "5"
	return f.Because(err)
}

func BadIdempotencyKey() *Refusal {
	return Refuse(http.StatusBadRequest, outcome.Inadmissible, "once.idempotency_key",
		fmt.Sprintf("El encabezado Idempotency-Key supera los %d caracteres.", MaxIdempotencyKey))
}

// ManyIdempotencyKeys is about a request of which nobody can tell which key is meant.
func ManyIdempotencyKeys() *Refusal {
	return Refuse(http.StatusBadRequest, outcome.Inadmissible, "once.idempotency_key",
		"El encabezado Idempotency-Key debe enviarse una sola vez.")
}

// NotIssued is about a request to which no answer came, or none of the operation's, and of
// which the service has nothing.
func NotIssued(answered bool) *Refusal {
	text := "No hubo respuesta y, consultado el servicio, lo pedido no consta: no se emitió y puede enviarse de nuevo."
	if answered {
		text = "La respuesta no fue la de la operación y, consultado el servicio, lo pedido no consta: no se emitió y puede enviarse de nuevo."
	}
	return Refuse(http.StatusBadGateway, outcome.NotIssued, "once.not_issued", text)
}

// MaxIdempotencyKey bounds the header's length in bytes.
const MaxIdempotencyKey = 255
