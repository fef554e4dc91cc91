package send

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/internal/unquoted"
)

// statusClientGone is what reverse_proxy writes when its client has left.
const statusClientGone = 499

// forwardResult is how the next handler returned, and the facts about the connection.
type forwardResult struct {
	// err is the returned error, panicked the value of a panic.
	err      error
	panicked any
	// status is the status that was written, 0 if none.
	status int
	// unhandled: there was no handler to answer.
	unhandled bool
	// upstreamChosen: reverse_proxy had chosen an upstream.
	upstreamChosen bool
	// connRequested, requestWritten and firstByte are the facts of binding.Wire.
	connRequested, requestWritten, firstByte bool
	// oneNewConn: the request had one connection, on which it was the first.
	oneNewConn bool
	// nameUnresolved: the upstream's name did not resolve.
	nameUnresolved bool
	// connecting is the error of the last attempt to connect, nil if that worked or none was made.
	connecting error
	// mayBeComplete: the whole request may have been sent. refused is why the gateway
	// did not send it, nil if it did.
	mayBeComplete bool
	refused       error
	// cut is why the gateway has not read all of the answer, nil if it has.
	cut error
}

// of adds the facts that the capture, the wire and the body have.
func (d *forwardResult) of(c *capture, facts *binding.Wire, body *binding.Body) {
	d.status, d.cut = c.status, c.cut
	if err := facts.Cut(); err != nil {
		d.cut = err
	}
	d.connRequested, d.requestWritten, d.firstByte = facts.ConnRequested.Load(), facts.RequestWritten.Load(), facts.FirstByte.Load()
	d.oneNewConn = facts.HadOneNewConn()
	d.nameUnresolved = facts.NameUnresolved.Load()
	if connecting := facts.Connecting.Load(); connecting != nil {
		d.connecting = *connecting
	}
	d.mayBeComplete, d.refused = body.End()
}

// certainty returns the certainty about the request. It uses facts, not error texts.
func (d forwardResult) certainty() audit.Certainty {
	certainty := d.certaintyOfReturn()
	if certainty == audit.Unknown && !d.mayBeComplete {
		// Whatever was sent: without the end of the document nobody can carry it out, and
		// the end is not sent any more.
		return audit.NotSent
	}
	return certainty
}

// certaintyOfReturn is certainty without the facts about the request's body.
func (d forwardResult) certaintyOfReturn() audit.Certainty {
	switch {
	case d.panicked != nil, d.cut != nil:
		// The answer broke off: the request was processed, but the result is lost.
		return audit.Unknown
	case d.err != nil:
		return d.afterError()
	case d.unhandled, d.status == 0:
		return d.withoutAnswer()
	case d.status == statusClientGone && !d.firstByte && (d.requestWritten || d.upstreamChosen):
		return audit.Unknown
	}
	return audit.Answered
}

// withoutAnswer is the certainty of a handler that returned without error and wrote nothing.
// With reverse_proxy's handle_response the upstream may have got the request nevertheless.
func (d forwardResult) withoutAnswer() audit.Certainty {
	if d.requestWritten || d.firstByte || d.upstreamChosen && !d.connRequested {
		return audit.Unknown
	}
	return audit.NotSent
}

// afterError is the certainty of a handler that returned an error.
func (d forwardResult) afterError() audit.Certainty {
	var dial reverseproxy.DialError
	switch {
	case d.oneNewConn && !d.firstByte && legacytls.RefusesClient(d.err):
		// With TLS 1.3 a handshake has ended here before the service has looked at the certificate: the request
		// has left, but the service reads it only after that.
		return audit.NotSent
	case d.requestWritten, d.firstByte:
		return audit.Unknown
	case d.connRequested, errors.As(d.err, &dial), !d.upstreamChosen:
		// A connection was requested and nothing was written, or no upstream was chosen.
		return audit.NotSent
	}
	return audit.Unknown // a transport that cannot be traced
}

// failureClass returns the failure class of a request without an answer.
func (d forwardResult) failureClass() audit.Failure {
	var refused caddyhttp.HandlerError
	switch {
	case d.panicked != nil && !aborted(d.panicked), d.err == nil && d.panicked == nil && d.certainty() == audit.NotSent:
		return audit.FailureGateway
	case d.nameUnresolved && !d.requestWritten, isCertificate(d.err):
		// reverse_proxy hides the error of a dialer, but not the error of a handshake.
		return audit.FailureService
	case d.upstreamChosen || d.connRequested || d.requestWritten || d.firstByte || d.err == nil:
		return audit.FailureNetwork
	case errors.As(d.err, &refused) && refused.StatusCode == http.StatusServiceUnavailable:
		return audit.FailureService // reverse_proxy has no upstream that is up
	}
	return audit.FailureGateway // a handler in between refused it
}

// isCertificate reports whether an error of a transport is about TLS.
func isCertificate(err error) bool {
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert *net.OpError // an alert, whose own type Go does not export
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	return errors.As(err, &record) || errors.As(err, &certificate) ||
		errors.As(err, &alert) && (alert.Op == "remote error" || alert.Op == "local error") || errors.As(err, &host) || errors.As(err, &authority)
}

// cause returns the inner error of a request without an answer.
func (d forwardResult) cause() error {
	switch {
	case d.cut != nil:
		return d.cut
	case aborted(d.panicked):
		return errBrokenAnswer
	case d.panicked != nil:
		return fmt.Errorf("the next handler panicked: %v", d.panicked)
	case d.err != nil:
		return withoutAnswer(d.err)
	case d.unhandled || d.status == 0:
		return errNoHandler
	}
	return nil
}

// withoutAnswer returns the error of a handler without the bytes of an answer that could not be read.
func withoutAnswer(err error) error {
	refused, ok := err.(caddyhttp.HandlerError) //nolint:errorlint // an error around it stays
	if !ok {
		return unquoted.Of(err)
	}
	refused.Err = unquoted.Of(refused.Err)
	return refused
}

// word returns why there was no answer, by the errors' types. Empty: the handlers behind do not say, or the
// gateway itself has not read it.
//
// Of two addresses of a service the one that answers gets the request, and the attempt at the other ends later, as
// given up. So an attempt to connect counts only where nothing was written, and after the error of the request.
func (d forwardResult) word() audit.Cause {
	switch word := wordOf(d.cause()); {
	case word != "", d.requestWritten:
		return word
	case d.nameUnresolved:
		return audit.CauseDNS
	}
	return wordOf(d.connecting)
}

// wordOf returns an error in one word, empty if its type does not tell.
func wordOf(err error) audit.Cause {
	var name *net.DNSError
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return audit.CauseCanceled
	case errors.As(err, &name):
		return audit.CauseDNS
	case isCertificate(err):
		return audit.CauseTLS
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return audit.CauseUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return audit.CauseTimeout
	case errors.Is(err, errBrokenAnswer), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return audit.CauseCut
	}
	return ""
}
