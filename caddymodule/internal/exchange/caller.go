package exchange

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// caller is who asks, as far as the credentials show it.
type caller struct {
	trail *trail.Trail
	// marked is mark, zeros until it is computed.
	marked [16]byte
}

// mark returns a keyed digest of the client's credentials, the issuer and the environment. All clients have the
// same that get a keeper's ticket: they may all use it. No client has it that brings its own, or
// empty ones.
func (c *caller) mark(f *record.Facts) [16]byte {
	if c.marked == ([16]byte{}) {
		auth := wsfev1.AuthOf(f.Decision.Request.Body)
		cuit := auth.Cuit.String()
		if f.Decision.KeptTicket {
			c.marked = f.Redactor.Mark("wsaa", cuit, string(f.Service))
		} else {
			c.marked = f.Redactor.Mark(auth.Token.Reveal(), auth.Sign.Reveal(), cuit, string(f.Service))
		}
	}
	return c.marked
}

// accepted reports whether the service has accepted the credentials not long ago.
func (c *caller) accepted(f *record.Facts) bool { return c.trail.CredentialCache.Has(c.mark(f)) }

// isAboutCredentials reports whether a code means that the service does not accept the
// credentials (docs/sources.md#credentials).
func isAboutCredentials(code int32) bool { return code == 600 || code == 601 }

// credentialsTaken reports whether the service has accepted the credentials: it has returned
// data, or that it has none.
func credentialsTaken(f *record.Facts) bool {
	return f.Decision.Operation != nil && f.Decision.Operation.Family != wsfev1.FamilyHealth && f.Sent.Forwarded && f.Result.Certainty == audit.Answered &&
		f.Result.Outcome != audit.OutcomeUpstreamError && f.Result.Outcome != audit.OutcomeNotIssued &&
		(!f.Result.Verdict.Failed || outcome.HasNoData(f.Result.Verdict.Codes))
}

// accept caches credentials that the service has accepted, and removes those that it does not
// accept any more.
func (c *caller) accept(f *record.Facts, keepers *tickets.Keepers) {
	switch {
	case credentialsTaken(f):
		c.trail.CredentialCache.Add(c.mark(f))
	case f.Sent.Forwarded && slices.ContainsFunc(f.Result.Verdict.Codes, isAboutCredentials):
		c.trail.CredentialCache.Remove(c.mark(f))
		reportTicket(f, keepers)
	}
}

// entitled reports whether the client may get an earlier answer: the service has accepted its
// credentials, or the first request had the same, or the service accepts them now. An error
// means that this could not be found out.
func (c *caller) entitled(x *exchange, result *once.Result) (bool, error) {
	f := &x.Facts
	if f.Decision.KeptTicket {
		return true, nil // whoever may use the gateway may use the ticket
	}
	if c.accepted(f) || result.Kept != nil && c.hasSent(x.detached(), f, result.Kept) {
		return true, nil
	}
	if first, ok := result.Reply.(sharedReply); ok && first.caller == c.mark(f) {
		return true, nil
	}
	ctx, cancel := x.detachedFor(x.way.Policy.QueryTime)
	defer cancel()
	// Of all operations with credentials this one costs the service the least.
	reply, err := x.lane.service.Ask(ctx, "FECompTotXRequest", &wsfev1.AuthRequest{Auth: x.lane.service.Auth()})
	switch {
	case err != nil:
		return false, err
	case c.accepted(f):
		return true, nil
	case !slices.ContainsFunc(wsfev1.VerdictOf(reply.Answer).Codes, isAboutCredentials):
		return false, errUnproven
	}
	return false, nil
}

// errUnproven: an answer neither accepts the credentials nor refuses them.
var errUnproven = errors.New("it is unknown whether the service accepts the credentials")

// hasSent reports whether the recorded request of an earlier exchange has the
// fingerprints of the same credentials, and the service got these: a keeper's ticket may have taken
// their place.
func (c *caller) hasSent(ctx context.Context, f *record.Facts, r *audit.Record) bool {
	holder := r // the record that has the request
	if r.Kind != audit.KindExchange {
		var err error
		if holder, err = c.trail.Store.Get(ctx, cmp.Or(r.IntentLog, r.Log), r.Intent); err != nil {
			return false
		}
	}
	auth := wsfev1.AuthOf(f.Decision.Request.Body)
	for _, secret := range []wsfev1.Secret{auth.Token, auth.Sign} {
		fingerprint := []byte(f.Redactor.Fingerprint([]byte(secret.Reveal())))
		if secret == "" || !bytes.Contains(holder.Request, slices.Concat([]byte(`"`), fingerprint, []byte(`"`))) {
			return false
		}
		if r.Service != nil && len(r.Service.Request) > 0 && !bytes.Contains(r.Service.Request, fingerprint) {
			return false
		}
	}
	return true
}
