package send

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
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
