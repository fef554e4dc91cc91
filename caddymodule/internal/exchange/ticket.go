package exchange

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/internal/cache"
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
	if !x.Decision.KeptTicket {
		return true
	}
	x.spans.Enter("ticket")
	x.way.warnOfAnybody(&x.Facts, x.r)
	// The timer must not refer to the exchange (detachedFor), but a client that leaves ends the wait.
	ctx, cancel := context.WithTimeout(context.Background(), x.way.Policy.QueryTime)
	defer cancel()
	defer context.AfterFunc(x.r.Context(), cancel)()
	ticket, err := x.way.Keepers.Ticket(ctx, x.Decision.Subject.Cuit)
	if err != nil {
		x.way.Alarm.Error("a request has no ticket", x.Field(), zap.Error(err))
		return x.turnAway(func() bool { return refuseWithoutTicket(x, err) })
	}
	x.Ticket = send.NewKeptTicket(x.Redactor, ticket)
	x.Hide(ticket.Token.Reveal(), ticket.Sign.Reveal())
	request, document := x.Outgoing()
	request, document, err = send.WithTicket(request, document, wsfev1.Auth{Token: ticket.Token, Sign: ticket.Sign, Cuit: x.Decision.Subject.Cuit})
	if err != nil {
		return x.Result.Refuse(binding.InternalUnsent(err))
	}
	x.Ticketed = &intake.Completed{Request: request, Body: document}
	return true
}

// refuseWithoutTicket refuses a request for which the keeper has no ticket.
func refuseWithoutTicket(x *exchange, err error) bool {
	if _, unrelated := errors.AsType[*keeper.NotRepresentedError](err); unrelated && !x.Own {
		x.Unrepresented = err
		finding := validate.TicketFinding("El certificado del ticket de acceso no representa a la CUIT " + x.Decision.Subject.Cuit.String() + ".")
		x.Find([]validate.Finding{finding}, x.way.Book.Action)
		return x.Result.Compose(validate.Unauthenticated(x.Decision.Request, finding))
	}
	x.noTicket = &noTicketError{retryAfter(err)}
	return x.Result.Refuse(binding.NoTicket(err, x.noTicket.retry))
}

// noTicketError is the error for clients that wait for the answer to a request which had no ticket.
// The record of that request has the cause.
type noTicketError struct{ retry time.Duration }

// Error implements error.
func (*noTicketError) Error() string { return "there is no access ticket" }

// Unwrap says that the service was not asked: another certificate may have a ticket.
func (*noTicketError) Unwrap() error { return cache.ErrNotAsked }

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

// reportTicket reports to the keeper that the service has refused its ticket itself, and not what it
// was used for.
func reportTicket(f *record.Facts, keepers *tickets.Keepers) {
	answer, ok := f.Result.Typed.(interface{ Failures() []wsfev1.Err })
	if f.Ticket != nil && (f.Sent.TicketRefused || ok && slices.ContainsFunc(answer.Failures(), isAboutTicket)) {
		keepers.Refused(f.Decision.Subject.Cuit, f.Ticket.Ticket)
	}
}

// isAboutTicket reports whether an error means the ticket itself.
func isAboutTicket(e wsfev1.Err) bool { return isAboutCredentials(e.Code) && wsaa.RefusesTicket(e.Msg) }

// warnOfAnybody logs, once, that clients of which nothing is known get the keeper's ticket.
func (way *Way) warnOfAnybody(f *record.Facts, r *http.Request) {
	known := f.Client.Identity != "" || local.IsClient(r)
	if f.Own || known || !way.warned.CompareAndSwap(false, true) {
		return
	}
	way.Logger.Warn("a client that has not authenticated itself gets the ticket of wsaa: whoever reaches this address can issue invoices for its cuits. "+
		"Put basic_auth, client certificates or another authentication in front", f.Field(), zap.Stringer("cuit", f.Decision.Subject.Cuit))
}
