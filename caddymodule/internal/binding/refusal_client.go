package binding

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// NoClient refuses a request of somebody who is none of the gateway's clients. err says for the operator what was
// proven; the answer does not say who the clients are.
func NoClient(err error) *Refusal {
	text := "La pasarela no reconoce a este cliente: nada de lo que acredita su identidad está habilitado."
	if errors.Is(err, clients.ErrSeveral) {
		text = "La pasarela no sabe cuál cliente es este: lo que acredita su identidad corresponde a más de uno."
	}
	return Refuse(http.StatusForbidden, audit.OutcomeInadmissible, "http.client", text).Because(err)
}

// TooManyRequests refuses a request that a client sends too soon after others.
func TooManyRequests(wait time.Duration) *Refusal {
	f := Refuse(http.StatusTooManyRequests, audit.OutcomeBusy, "http.rate",
		"Este cliente envía más pedidos de los que tiene habilitados: este no se envió y puede repetirse.")
	f.RetryAfter = strconv.Itoa(int(math.Ceil(wait.Seconds())))
	return f
}

// ShareTaken refuses a request of a client that has too many others under way.
func ShareTaken(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "http.share",
		"Este cliente tiene en curso todos los pedidos que tiene habilitados a la vez: este no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}

// SlotsTaken refuses a request for which no slot at the service became free in time.
func SlotsTaken(err error) *Refusal {
	f := Refuse(http.StatusServiceUnavailable, audit.OutcomeBusy, "gateway.in_flight",
		"Hay demasiados pedidos en curso: este no se envió y puede repetirse.")
	f.RetryAfter = "5"
	return f.Because(err)
}

// Denied refuses a request for which its client lacks a right. The finding is about the member that needs it.
func Denied(denial clients.Denial, op *wsfev1.Operation, request any) (*Refusal, validate.Finding) {
	subject := wsfev1.SubjectOf(request)
	finding := validate.Finding{
		Severity: validate.Shape, Action: validate.ActionRefuse, Invoice: validate.Header,
		Pointer: denial.Pointer(request), Source: "docs/access.md",
	}
	switch denial.Right {
	case clients.RightCuit:
		finding.Code, finding.Got = "http.cuit", subject.Cuit.String()
		finding.Text = "La CUIT " + finding.Got + " no está habilitada para este cliente."
	case clients.RightOperation:
		finding.Code, finding.Got = "http.right", op.Name
		finding.Text = "La operación " + op.Name + " no está habilitada para este cliente."
	case clients.RightPtoVta:
		finding.Code, finding.Got = "http.pto_vta", strconv.Itoa(int(subject.PtoVta))
		finding.Text = "El punto de venta " + finding.Got + " no está habilitado para este cliente."
	case clients.RightCbteTipo:
		finding.Code, finding.Got = "http.cbte_tipo", strconv.Itoa(int(subject.CbteTipo))
		finding.Text = "El tipo de comprobante " + finding.Got + " no está habilitado para este cliente."
	case clients.RightAmount:
		finding.Code, finding.Invoice = "http.max_amount", denial.Invoice
		finding.Got = wsfev1.LotOf(request).Invoice(denial.Invoice).ImpTotal.String()
		finding.Text = "El comprobante " + strconv.Itoa(denial.Invoice+1) + " del pedido supera el importe máximo habilitado para este cliente, o no lleva la cotización con la que se compara."
	}
	return Refuse(http.StatusForbidden, audit.OutcomeInadmissible, finding.Code, finding.Text), finding
}
