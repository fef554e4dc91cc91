package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa/credential"
)

// ticketResults looks at the certificates, login services and stores of the gateways that keep access
// tickets, and at the tickets of the gateway that is at work. It does not log in: that would keep the
// gateways from doing so for some minutes.
func ticketResults(ctx context.Context, c *config) (results []result) {
	var asked []string
	running := runningTickets(ctx, c)
	for _, k := range c.keeping {
		results = append(results, certificateResults(k.blocks, running)...)
		for _, o := range k.blocks {
			if service := o.Login + " " + o.TLSCA; !slices.Contains(asked, service) {
				asked = append(asked, service)
				results = append(results, loginResults(ctx, o, c.login)...)
			}
		}
		results = append(results, storeResults(ctx, k)...)
		results = append(results, authenticationResult(k))
	}
	return results
}

// certificateResults looks at the certificates of blocks, and at the tickets that running has of them.
func certificateResults(blocks []tickets.Options, running []tickets.Shown) (results []result) {
	const check = "certificate"
	now := time.Now()
	prepared, err := tickets.Prepare(blocks, now)
	if err != nil {
		return []result{bad(check, "mend what the error names; the gateway does not start before", "%v", err)}
	}
	for _, o := range prepared.Blocks {
		results = append(results, certificateResult(o, now))
		results = append(results, pauseResults(o, running)...)
	}
	for _, s := range prepared.Spare {
		results = append(results, warn(check, "take one of the two out of the pattern, and reload", "wsaa %s: %v", s.Options.Login, s.Problem))
	}
	for _, o := range prepared.Empty {
		results = append(results, warn(check, "put the certificates there and reload, or correct the pattern; the gateway's user must be able to list the folder", "wsaa %s: %v", o.Login, o.Unmatched()))
	}
	return results
}

// renewalDays is how many days before its end a certificate should be replaced.
const renewalDays = 30

// certificateResult looks at the certificate of a block, and its key.
func certificateResult(o tickets.Options, now time.Time) result {
	const check = "certificate"
	at, c, err := o.Read()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return warn(check, "run doctor as the gateway's user; it must be able to read the certificate and its key", "wsaa %s: %v", o.Login, err)
	case err != nil:
		return bad(check, "mend what the error names; until then requests for its CUITs get wsaa.no_ticket", "wsaa %s: %v", o.Login, err)
	}
	if err := c.Check(at.Environment, now); err != nil {
		return bad(check, certificateCure(err), "wsaa %s: certificate %s (%s): %v", o.Login, o.Certificate, c.Identity(), err)
	}
	days := int(c.Expires().Sub(now).Hours() / 24)
	found := fmt.Sprintf("wsaa %s: certificate %s (%s), with its key, expires in %d days", o.Login, o.Certificate, c.Identity(), days)
	switch doubt := c.Doubt(at.Environment); {
	case days < renewalDays:
		return warn(check, "request the next one with `fielato wsfev1 certificate request`, put it in the place of this one, and reload", "%s", found)
	case doubt != "":
		return warn(check, "look whether it was requested for this environment; `fielato wsfev1 login` shows whether it is taken", "wsaa %s: certificate %s (%s): %s", o.Login, o.Certificate, c.Identity(), doubt)
	}
	return ok(check, "%s", found)
}

func certificateCure(err error) string {
	if errors.Is(err, credential.ErrNotYetValid) {
		return "set the clock of this machine, or wait"
	}
	return "give a certificate that the login service takes; `fielato wsfev1 certificate request` begins with it"
}

// loginResults looks whether a login service is reached. own: the configuration has one itself.
func loginResults(ctx context.Context, o tickets.Options, own bool) []result {
	const check = "login service"
	at, err := tickets.ParsePlace(o.Login)
	if err != nil {
		return nil // the configuration's error says so
	}
	client, err := tickets.NewClient(tickets.TLS{CA: resolved(o.TLSCA), Legacy: o.LegacyTLS, Options: tickets.TLSOptions})
	if err != nil {
		return []result{bad(check, "give the certificates of the authorities in PEM", "wsaa %s: %v", o.Login, err)}
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL+"?wsdl", nil)
	if err != nil {
		return []result{bad(check, "correct the address", "wsaa %s: %v", o.Login, err)}
	}
	r.Header.Set("User-Agent", userAgent)
	u := upstream{dial: r.URL.Host}
	response, err := client.Do(r)
	if err != nil {
		return []result{loginUnreached(check, u, err, o.LegacyTLS, own)}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return []result{warn(check, "look at the address, and whether the login service is at work", "%s: status %d", u.dial, response.StatusCode)}
	}
	return []result{
		ok(check, "%s answers. Whether it gives a ticket, `fielato wsfev1 login` shows: then it gives no other one for some minutes", u.dial),
		clockResult(u, response.Header, time.Now()),
	}
}

// loginUnreached says why a login service gave no answer.
func loginUnreached(check string, u upstream, err error, legacy, own bool) result {
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err
	}
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return bad(check, "name the service as in its certificate, or its authority with tls_ca", "%s: TLS: %v", u.dial, err)
	}
	if cure := legacytls.Cure(err, legacy, tickets.TLSOptions); cure != "" {
		return bad(check, cure, "%s: TLS: %v", u.dial, err)
	}
	if own && errors.Is(err, syscall.ECONNREFUSED) {
		return ok(check, "%s: nothing listens there yet; this configuration has a login service", u.dial)
	}
	return unreached(check, u, err)
}
