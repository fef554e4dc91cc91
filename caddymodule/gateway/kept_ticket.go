package gateway

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// A keeper may give the access ticket (option wsaa). The service then gets the request with the
// keeper's Token and Sign. Everything else of the exchange is about the request as it came: its
// repeats, its record. The client sees no ticket: what echoes one in an answer is hidden.

// takeTicket gets the ticket from the keeper, if that gives it, and completes the request. It waits
// for a login under way.
func (x *exchange) takeTicket() bool {
	if !x.in.KeptTicket {
		return true
	}
	x.spans.Enter("ticket")
	x.gateway.warnOfAnybody(x)
	// The timer must not refer to the exchange (detachedFor), but a client that leaves ends the wait.
	ctx, cancel := context.WithTimeout(context.Background(), x.gateway.policy.queryTime)
	defer cancel()
	defer context.AfterFunc(x.r.Context(), cancel)()
	ticket, err := x.gateway.keepers.Ticket(ctx, x.in.Subject.Cuit)
	if _, unrelated := errors.AsType[*keeper.NotRepresentedError](err); unrelated && !x.internal {
		x.gateway.alarm.Error("a request has no ticket", x.named(), zap.Error(err))
		finding := validate.TicketFinding("El certificado del ticket de acceso no representa a la CUIT " + x.in.Subject.Cuit.String() + ".")
		x.find([]validate.Finding{finding}, x.gateway.book.Action)
		return x.compose(validate.Unauthenticated(x.in.Request, finding))
	}
	if err != nil {
		x.gateway.alarm.Error("a request has no ticket", x.named(), zap.Error(err))
		x.noTicket = &noTicketError{retryAfter(err)}
		return x.refuse(binding.NoTicket(err, x.noTicket.retry))
	}
	x.ticket = send.NewKeptTicket(x.trail.Redactor, ticket)
	x.credentials = append(x.credentials, ticket.Token.Reveal(), ticket.Sign.Reveal())
	x.headers = nil // it has other credentials
	sent, document := x.sentRequest()
	x.out.request, x.out.body, err = send.WithTicket(sent, document, wsfev1.Auth{Token: ticket.Token, Sign: ticket.Sign, Cuit: x.in.Subject.Cuit})
	if err != nil {
		return x.refuse(binding.InternalUnsent(err))
	}
	return true
}

// noTicketError is the error for clients that wait for the answer to a request which had no ticket.
// The record of that request has the cause.
type noTicketError struct{ retry time.Duration }

// Error implements error.
func (*noTicketError) Error() string { return "there is no access ticket" }

func isWithoutTicket(err error) bool {
	_, without := errors.AsType[*noTicketError](err)
	return without
}

// retryAfter returns when it is worth to ask for a ticket again.
func retryAfter(err error) time.Duration {
	if unavailable, ok := errors.AsType[*keeper.UnavailableError](err); ok {
		return unavailable.Retry
	}
	if lacking, ok := errors.AsType[*noTicketError](err); ok {
		return lacking.retry
	}
	return time.Second
}

// sentRequest returns the request that the service gets, and the same in JSON.
func (x *exchange) sentRequest() (*validate.Request, []byte) {
	if x.out.request == nil {
		return x.in.Sent()
	}
	return x.out.request, x.out.body
}

// isCompleted reports whether the service gets more than what came.
func (x *exchange) isCompleted() bool { return x.out.request != nil || x.in.Completed != nil }

// reportTicket reports to the keeper that the service has refused its ticket itself, and not what it
// was used for.
func (x *exchange) reportTicket() {
	answer, ok := x.answer.typed.(interface{ Failures() []wsfev1.Err })
	if x.ticket != nil && (x.sent.TicketRefused || ok && slices.ContainsFunc(answer.Failures(), isAboutTicket)) {
		x.gateway.keepers.Refused(x.in.Subject.Cuit, x.ticket.Ticket)
	}
}

// isAboutTicket reports whether an error means the ticket itself.
func isAboutTicket(e wsfev1.Err) bool { return isAboutCredentials(e.Code) && wsaa.RefusesTicket(e.Msg) }

// warnOfAnybody logs, once, that clients of which nothing is known get the keeper's ticket.
func (g *Gateway) warnOfAnybody(x *exchange) {
	known := clientIdentity(x.r, x.repl) != "" || local.IsClient(x.r)
	if x.internal || known || !g.warned.CompareAndSwap(false, true) {
		return
	}
	g.logger.Warn("a client that has not authenticated itself gets the ticket of wsaa: whoever reaches this address can issue invoices for its cuits. "+
		"Put basic_auth, client certificates or another authentication in front", x.named(), zap.Stringer("cuit", x.in.Subject.Cuit))
}
