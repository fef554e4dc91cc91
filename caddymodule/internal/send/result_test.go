package send

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// TestAnAttemptGivenUpIsNoCause: the service has a dead address and one that answers, and the attempt at the dead one
// ends after the request has the other.
func TestAnAttemptGivenUpIsNoCause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, givenUp := new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:1")
	refused := error(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
	failed := func(err error) error { return caddyhttp.Error(http.StatusBadGateway, err) }
	for name, test := range map[string]struct {
		d    forwardResult
		want audit.Cause
	}{
		"cut":              {forwardResult{panicked: http.ErrAbortHandler, requestWritten: true, connecting: givenUp}, audit.CauseCut},
		"late":             {forwardResult{err: failed(context.DeadlineExceeded), requestWritten: true, connecting: givenUp}, audit.CauseTimeout},
		"lost":             {forwardResult{err: failed(io.EOF), requestWritten: true, connecting: refused}, audit.CauseCut},
		"a name, written":  {forwardResult{err: failed(io.EOF), requestWritten: true, nameUnresolved: true}, audit.CauseCut},
		"handshake":        {forwardResult{err: failed(&tls.CertificateVerificationError{Err: io.EOF}), connRequested: true, connecting: givenUp}, audit.CauseTLS},
		"refused":          {forwardResult{err: failed(errNoHandler), connRequested: true, connecting: refused}, audit.CauseUnreachable},
		"a name":           {forwardResult{err: failed(errNoHandler), connRequested: true, nameUnresolved: true}, audit.CauseDNS},
		"who waited, left": {forwardResult{status: statusClientGone, connRequested: true, connecting: givenUp}, audit.CauseCanceled},
	} {
		if got := test.d.word(); got != test.want {
			t.Errorf("%s: the cause is %q, want %q", name, got, test.want)
		}
	}
}

// TestARefusedCertificateIsCertainOnANewConnectionAlone: later, or on one of several, the service may have had the
// request.
func TestARefusedCertificateIsCertainOnANewConnectionAlone(t *testing.T) {
	refused := caddyhttp.Error(http.StatusBadGateway, &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")})
	other := caddyhttp.Error(http.StatusBadGateway, &net.OpError{Op: "remote error", Err: errors.New("tls: internal error")})
	for name, test := range map[string]struct {
		d    forwardResult
		want audit.Certainty
	}{
		"a new connection":    {forwardResult{err: refused, oneNewConn: true}, audit.NotSent},
		"a used one, or more": {forwardResult{err: refused}, audit.Unknown},
		"an answer began":     {forwardResult{err: refused, oneNewConn: true, firstByte: true}, audit.Unknown},
		"another alert":       {forwardResult{err: other, oneNewConn: true}, audit.Unknown},
	} {
		test.d.requestWritten, test.d.mayBeComplete, test.d.upstreamChosen, test.d.connRequested = true, true, true, true
		if got := test.d.certainty(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	facts := new(binding.Wire)
	trace := httptrace.ContextClientTrace(facts.Trace(t.Context()))
	facts.Body = binding.NewBody([]byte("{}"), nil, true, func() error { return nil })
	for _, step := range []struct {
		reused bool
		want   bool
	}{{false, true}, {false, false}} {
		if trace.GotConn(httptrace.GotConnInfo{Reused: step.reused}); facts.HadOneNewConn() != step.want {
			t.Errorf("%+v", step)
		}
	}
}
