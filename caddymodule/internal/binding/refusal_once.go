package binding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// Error implements error, for the gateway's own queries.
func (f *Refusal) Error() string {
	if f.Detail != nil {
		return f.Detail.Error()
	}
	return string(f.Outcome)
}

// Unwrap returns the inner error.
func (f *Refusal) Unwrap() error { return f.Detail }

// NoTurn refuses a request that did not get its turn.
func NoTurn(sent *once.Request, err error) *Refusal {
	var unsettled *once.UnsettledError
	switch {
	case errors.As(err, &unsettled):
		text := "El resultado del pedido anterior (%s) aún es desconocido: el pedido no se envió. Se sigue consultando al servicio; repítalo."
		if sent.Repeats(unsettled.Pending) {
			text = "Este mismo pedido (%s) ya se envió y su resultado aún es desconocido: no se envió otra vez. Se sigue consultando al servicio; repítalo sin cambios."
		}
		if errors.Is(err, once.ErrCredentials) {
			text = "El servicio no acepta las credenciales, y con ellas no puede consultarse el resultado, aún desconocido, de un pedido anterior (%s): no se envió nada. Repita el pedido con un ticket de acceso nuevo."
		}
		f := Refuse(http.StatusServiceUnavailable, audit.OutcomeUnsettled, "once.unsettled", fmt.Sprintf(text, nameOf(unsettled.Pending.Key))+whatCame(err))
		f.RetryAfter = "10"
		return f.Because(err)
	case errors.Is(err, once.ErrBusy), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "once.busy",
			"Hay otros pedidos de la misma serie en curso: el pedido no se envió y puede repetirse.")
		f.RetryAfter = "5"
		return f.Because(err)
	case errors.Is(err, once.ErrConflict):
		return Refuse(http.StatusConflict, audit.OutcomeConflict, "once.conflict",
			"Está en curso otro pedido con la misma numeración y otro contenido: este no se envió.").Because(err)
	case errors.Is(err, once.ErrKeyReused):
		return Refuse(http.StatusUnprocessableEntity, audit.OutcomeConflict, "once.idempotency_key",
			"El encabezado Idempotency-Key ya se usó para otro pedido: este no se envió.").Because(err)
	}
	return Unrecorded(err)
}

// nameOf names a request by the invoice, the fortnight or the point of sale that it is about.
func nameOf(key once.Key) string {
	switch key.Operation {
	case "FECAEASolicitar":
		return fmt.Sprintf("CAEA de %d, quincena %d", key.Periodo, key.Orden)
	case "FECAEASinMovimientoInformar":
		return fmt.Sprintf("punto de venta %d sin movimiento", key.PtoVta)
	}
	return fmt.Sprintf("comprobante %d", key.Desde)
}

// Unproven refuses a repeat whose credentials cannot be verified because the service does not
// answer.
func Unproven(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "once.credentials",
		"El pedido ya tiene respuesta, pero el servicio no confirma ahora que las credenciales valgan: no se envió nada; repítalo.")
	f.RetryAfter = "5"
	return f.Because(err)
}

// BadIdempotencyKey refuses an Idempotency-Key that is too long.
func BadIdempotencyKey() *Refusal {
	return Refuse(http.StatusBadRequest, audit.OutcomeInadmissible, "once.idempotency_key",
		fmt.Sprintf("El encabezado Idempotency-Key supera los %d caracteres.", MaxIdempotencyKey))
}

// ManyIdempotencyKeys refuses a request with more than one Idempotency-Key.
func ManyIdempotencyKeys() *Refusal {
	return Refuse(http.StatusBadRequest, audit.OutcomeInadmissible, "once.idempotency_key",
		"El encabezado Idempotency-Key debe enviarse una sola vez.")
}

// NotIssued refuses a request without a usable answer that, according to the service, was not
// carried out. answered: an answer came, but not one of the operation.
func NotIssued(op *wsfev1.Operation, answered bool) *Refusal {
	text := "No hubo respuesta y"
	if answered {
		text = "La respuesta no fue la de la operación y"
	}
	return Refuse(http.StatusBadGateway, audit.OutcomeNotIssued, "once.not_issued",
		text+", consultado el servicio, lo pedido no consta: "+cmp.Or(undone[op.Name], "no se hizo")+" y puede enviarse de nuevo.")
}

// undone says for each operation that nothing was done. A reported invoice is issued whether or not its report came.
var undone = map[string]string{
	"FECAESolicitar": "no se emitió", "FECAEARegInformativo": "no se informó",
	"FECAEASolicitar": "no se otorgó", "FECAEASinMovimientoInformar": "no se informó",
}

// MaxIdempotencyKey is the maximum length of an Idempotency-Key in bytes.
const MaxIdempotencyKey = 255
