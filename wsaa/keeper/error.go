package keeper

import (
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

var (
	// ErrClosed: the Keeper was closed and has no ticket that can be used.
	ErrClosed = errors.New("the keeper of the ticket was closed")
	// ErrRefused: the service has refused the ticket, and the login service gives no other yet.
	ErrRefused = errors.New("the service has refused the ticket that the login service gave")

	errLogin = errors.New("a login is under way, here or at another node")
)

// UnavailableError is why there is no ticket at the moment. It wraps the cause: mostly a *client.Error,
// or the error of a store.
type UnavailableError struct {
	Cause error
	// Certificate is the one that the ticket would be for, zero if that is not known.
	Certificate credential.Identity
	// Retry is after how long it is worth asking again, a second or more.
	Retry time.Duration
}

// Error implements error.
func (e *UnavailableError) Error() string {
	of := ""
	if e.Certificate.Known() {
		of = fmt.Sprintf(" for the certificate %s", e.Certificate)
	}
	return fmt.Sprintf("there is no access ticket%s: %v (next attempt in %v)", of, e.Cause, e.Retry.Round(time.Second))
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }

// NotRepresentedError is why a CUIT gets no ticket though there is one: it does not act for it.
type NotRepresentedError struct {
	CUIT        wsfev1.CUIT
	Certificate credential.Identity
	Service     string
}

// Error returns the CUIT, and what an administrator can do.
func (e *NotRepresentedError) Error() string {
	return fmt.Sprintf("the ticket of the certificate %s does not act for the CUIT %s: delegate %s to the certificate's owner in the authority's portal (Administrador de Relaciones); the next ticket, within the hour, acts for it",
		e.Certificate, e.CUIT, e.Service)
}

// NoKeeperError is why a CUIT gets no ticket: no certificate is configured for it.
type NoKeeperError struct {
	CUIT    wsfev1.CUIT
	Service string
}

// Error implements error.
func (e *NoKeeperError) Error() string {
	return fmt.Sprintf("no certificate is configured for the CUIT %s and the service %s", e.CUIT, e.Service)
}
