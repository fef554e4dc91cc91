package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outcome"
)

// statusClientGone is what reverse_proxy writes when its client has left.
const statusClientGone = 499

// departure is how the next handler came back: by one of four doors.
type forwardResult struct {
	// err is what it returned, panicked what it panicked with.
	err      error
	panicked any
	// status is the status it wrote, 0 if none.
	status int
	// unhandled tells that no handler was there to answer.
	unhandled bool
	// upstream tells that reverse_proxy had chosen an upstream.
	upstreamChosen bool
	// sought, wrote and answered are the wire's facts.
	connRequested, requestWritten, firstByte bool
	// unnamed tells that the upstream's name did not resolve.
	nameUnresolved bool
	// whole tells that the whole of the request may have been sent; refused why the gateway
	// did not let it go, nil if it did.
	mayBeComplete bool
	refused       error
	// cut says why the gateway has not read all of the answer, nil if it has.
	cut error
}

// certainty tells what is certain about the wire. It reads facts, not error texts.
func (d forwardResult) certainty() audit.Certainty {
	certainty := d.certaintyOfReturn()
	if certainty == audit.Unknown && !d.mayBeComplete {
		// Whatever has left: without the end of the document nobody can carry it out, and
		// the end leaves no more.
		return audit.NotSent
	}
	return certainty
}

// afterDoor is certainty as far as the way tells by which the handler came back.
func (d forwardResult) certaintyOfReturn() audit.Certainty {
	switch {
	case d.panicked != nil, d.cut != nil:
		// The answer broke off: it was processed, but what was said is lost.
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

// withoutAnswer is about a handler that returned without error and wrote nothing.
// Behind reverse_proxy's handle_response the upstream may have been asked all the
// same.
func (d forwardResult) withoutAnswer() audit.Certainty {
	if d.requestWritten || d.firstByte || d.upstreamChosen && !d.connRequested {
		return audit.Unknown
	}
	return audit.NotSent
}

func (d forwardResult) afterError() audit.Certainty {
	var dial reverseproxy.DialError
	switch {
	case d.requestWritten, d.firstByte:
		return audit.Unknown
	case d.connRequested, errors.As(d.err, &dial), !d.upstreamChosen:
		// A connection was asked for and nothing was written; or nobody was chosen
		// to be asked.
		return audit.NotSent
	}
	return audit.Unknown // a transport that cannot be traced
}

// loss classes a departure from which no answer came.
func (d forwardResult) failureClass() string {
	var refused caddyhttp.HandlerError
	switch {
	case d.panicked != nil && !aborted(d.panicked), d.err == nil && d.panicked == nil && d.certainty() == audit.NotSent:
		return outcome.FailureGateway
	case d.nameUnresolved && !d.requestWritten, isCertificate(d.err):
		// reverse_proxy hides the error of a dialer, but not that of a handshake.
		return outcome.FailureService
	case d.upstreamChosen || d.connRequested || d.requestWritten || d.firstByte || d.err == nil:
		return outcome.FailureNetwork
	case errors.As(d.err, &refused) && refused.StatusCode == http.StatusServiceUnavailable:
		return outcome.FailureService // reverse_proxy knows of no upstream that is up
	}
	return outcome.FailureGateway // a handler in between has refused it
}

// isCertificate reports whether an error of a transport is about TLS.
func isCertificate(err error) bool {
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	return errors.As(err, &record) || errors.As(err, &certificate) ||
		errors.As(err, &alert) || errors.As(err, &host) || errors.As(err, &authority)
}

// cause returns the inner error of a departure without an answer.
func (d forwardResult) cause() error {
	switch {
	case d.cut != nil:
		return d.cut
	case aborted(d.panicked):
		return errBrokenAnswer
	case d.panicked != nil:
		return fmt.Errorf("the next handler panicked: %v", d.panicked)
	case d.err != nil:
		return d.err
	case d.unhandled || d.status == 0:
		return errNoHandler
	}
	return nil
}
