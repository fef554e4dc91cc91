package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// credentialMark returns a keyed digest of the client's credentials and issuer. All clients have the
// same that get a keeper's ticket: they may all use it. No client has it that brings its own, or
// empty ones.
func (x *exchange) credentialMark() [16]byte {
	if x.marks.caller == ([16]byte{}) {
		auth := wsfev1.AuthOf(x.in.Request.Body)
		if x.in.KeptTicket {
			x.marks.caller = x.trail.Redactor.Mark([]byte("wsaa"), []byte(auth.Cuit.String()))
			return x.marks.caller
		}
		x.marks.caller = x.trail.Redactor.Mark([]byte(auth.Token.Reveal()), []byte(auth.Sign.Reveal()), []byte(auth.Cuit.String()))
	}
	return x.marks.caller
}

// isAboutCredentials reports whether a code means that the service does not accept the
// credentials (docs/sources.md#credentials).
func isAboutCredentials(code int32) bool { return code == 600 || code == 601 }

// credentialsTaken reports whether the service has accepted the credentials: it has returned
// data, or that it has none.
func (x *exchange) credentialsTaken() bool {
	return x.in.Operation != nil && x.in.Operation.Family != wsfev1.FamilyHealth && x.sent.Forwarded && x.sent.Certainty == audit.Answered &&
		x.outcome != audit.OutcomeUpstreamError && x.outcome != audit.OutcomeNotIssued && (!x.answer.verdict.Failed || slices.Equal(x.answer.verdict.Codes, outcome.NoData))
}

// accept caches credentials that the service has accepted, and removes those that it does not
// accept any more.
func (x *exchange) accept() {
	switch {
	case x.credentialsTaken():
		x.trail.CredentialCache.Add(x.credentialMark())
	case x.sent.Forwarded && slices.ContainsFunc(x.answer.verdict.Codes, isAboutCredentials):
		x.trail.CredentialCache.Remove(x.credentialMark())
		x.reportTicket()
	}
}

// entitled reports whether the client may get an earlier answer: the service has accepted its
// credentials, or the first request had the same, or the service accepts them now. An error
// means that this could not be found out.
func (x *exchange) entitled(result *once.Result) (bool, error) {
	if x.in.KeptTicket {
		return true, nil // whoever may use the gateway may use the ticket
	}
	mark := x.credentialMark()
	if x.trail.CredentialCache.Has(mark) || result.Kept != nil && x.sameCredentials(result.Kept.Record) {
		return true, nil
	}
	if first, ok := result.Reply.(sharedReply); ok && first.caller == mark {
		return true, nil
	}
	ctx, cancel := x.queryContext()
	defer cancel()
	// Of all operations with credentials this one costs the service the least.
	answer, err := x.seq.service.Ask(ctx, "FECompTotXRequest", &wsfev1.AuthRequest{Auth: x.seq.service.Auth()})
	switch {
	case err != nil:
		return false, err
	case x.trail.CredentialCache.Has(mark):
		return true, nil
	case !slices.ContainsFunc(wsfev1.VerdictOf(answer).Codes, isAboutCredentials):
		return false, errUnproven
	}
	return false, nil
}

// errUnproven: an answer neither accepts the credentials nor refuses them.
var errUnproven = errors.New("it is unknown whether the service accepts the credentials")

// sameCredentials reports whether the recorded request of an earlier exchange has the
// fingerprints of the same credentials, and the service got these: a keeper's ticket may have taken
// their place.
func (x *exchange) sameCredentials(r *audit.Record) bool {
	holder := r // the record that has the request
	if r.Kind != audit.KindExchange {
		var err error
		if holder, err = x.trail.Store.Get(x.detached(), cmp.Or(r.IntentLog, r.Log), r.Intent); err != nil {
			return false
		}
	}
	auth := wsfev1.AuthOf(x.in.Request.Body)
	for _, secret := range []wsfev1.Secret{auth.Token, auth.Sign} {
		fingerprint := []byte(x.trail.Redactor.Fingerprint([]byte(secret.Reveal())))
		if secret == "" || !bytes.Contains(holder.Request, slices.Concat([]byte(`"`), fingerprint, []byte(`"`))) {
			return false
		}
		if r.Service != nil && len(r.Service.Request) > 0 && !bytes.Contains(r.Service.Request, fingerprint) {
			return false
		}
	}
	return true
}
