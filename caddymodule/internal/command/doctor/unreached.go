package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/fielato/fielato/caddymodule/arca"
	"github.com/fielato/fielato/caddymodule/internal/legacytls"
)

// unreached says why an upstream gave no answer.
func unreached(check string, u upstream, err error) result {
	if resolution, is := errors.AsType[*net.DNSError](err); is {
		return bad(check, "look at the spelling of the name and at this machine's name servers", "%s: the name %s cannot be resolved", u.dial, resolution.Name)
	}
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		if u.tls != nil && len(u.tls.CA) > 0 {
			return warn(check, "the gateway verifies it with the authority in its configuration: see its log at the first request",
				"%s: the certificate is of no authority that this machine knows", u.dial)
		}
		place := "transport http"
		if u.soap != nil {
			place = "wsfev1_arca"
		}
		return bad(check, "name the service as in its certificate, or its authority by tls_trust_pool in "+place,
			"%s: TLS: %v", u.dial, err)
	}
	if _, is := errors.AsType[tls.RecordHeaderError](err); is {
		return bad(check, "it speaks no TLS: write http:// before the address, or give its TLS port", "%s: TLS: what came is no TLS", u.dial)
	}
	if u.soap != nil {
		if cure := legacytls.Cure(err, u.soap.Legacy, arca.TLSOptions); cure != "" {
			return bad(check, cure, "%s: TLS: %v", u.dial, err)
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return bad(check, "look whether a firewall is between, and whether the service is at work", "%s: no answer within %v", u.dial, askWithin)
	case errors.Is(err, syscall.ECONNREFUSED):
		return bad(check, "start the service, or correct the address", "%s: nothing listens there", u.dial)
	}
	return bad(check, "look at the address, and whether the service is at work", "%s: %v", u.dial, err)
}

// clockResult compares the clock with the service's.
func clockResult(u upstream, header http.Header, now time.Time) result {
	const check = "clock"
	there, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return warn(check, "compare this machine's clock with another one", "%s sends no date", u.dial)
	}
	if skew := now.Sub(there).Round(time.Second); skew.Abs() > maxSkew {
		return warn(check, "let both clocks be set by NTP: tickets and dates of invoices are judged by them",
			"this machine's differs by %v from that of %s", skew, u.dial)
	}
	return ok(check, "as that of %s", u.dial)
}
