package caddymodule

import (
	"bytes"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/wsfev1"
)

// maxAccepted bounds how many credentials are remembered; each by a keyed hash.
const maxAccepted = 4096

// accepted are the credentials that the service has taken. An answer is not given again
// to somebody whom the service would turn away.
type accepted struct {
	mu    sync.Mutex // guards marks
	marks map[[16]byte]struct{}
}

func (a *accepted) add(mark [16]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.marks == nil || len(a.marks) >= maxAccepted {
		a.marks = map[[16]byte]struct{}{}
	}
	a.marks[mark] = struct{}{}
}

func (a *accepted) has(mark [16]byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.marks[mark]
	return ok
}

func (x *exchange) credentialMark() [16]byte {
	auth := wsfev1.AuthOf(x.request.Body)
	return x.trail.redactor.Mark([]byte(auth.Token.Reveal()), []byte(auth.Sign.Reveal()), []byte(auth.Cuit.String()))
}

// accept remembers credentials that the service has taken: it has answered something else
// than that it refuses them.
func (x *exchange) accept() {
	if x.operation == nil || x.operation.Family == wsfev1.FamilyHealth || !x.forwarded || x.certainty != audit.Answered ||
		x.outcome == outcomeUpstreamError || x.verdict.Failed {
		return
	}
	x.trail.accepted.add(x.credentialMark())
}

// entitled reports whether the client may get an answer again: the service has taken his
// credentials, or they are those with which the first request came, or it takes them now.
func (x *exchange) entitled(kept *once.Kept) bool {
	mark := x.credentialMark()
	if x.trail.accepted.has(mark) || kept != nil && x.sameCredentials(kept.Record) {
		return true
	}
	key := x.sent.Key
	_, err := x.service.Ask(x.detached(), "FECompUltimoAutorizado", &wsfev1.FECompUltimoAutorizadoRequest{
		Auth: x.service.Auth(), PtoVta: key.PtoVta, CbteTipo: key.CbteTipo,
	})
	return err == nil && x.trail.accepted.has(mark)
}

// sameCredentials looks for the credentials' fingerprint in what is kept of the first
// request.
func (x *exchange) sameCredentials(r *audit.Record) bool {
	intent, err := x.trail.store.Get(x.detached(), x.trail.log, r.Intent)
	if err != nil {
		return false
	}
	auth := wsfev1.AuthOf(x.request.Body)
	for _, secret := range []wsfev1.Secret{auth.Token, auth.Sign} {
		if !bytes.Contains(intent.Request, []byte(`"`+x.trail.redactor.Fingerprint([]byte(secret.Reveal()))+`"`)) {
			return false
		}
	}
	return true
}
