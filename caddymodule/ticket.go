package caddymodule

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"sync"
	"time"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// ticketDesk looks at the access tickets of requests. It keeps what tickets say,
// under a digest of theirs, since reading one costs more than all rules together;
// it keeps no Token and no Sign.
type ticketDesk struct {
	// Expires is told when a ticket that is in use expires; nil if nobody wants to know. It
	// is to be set before the first request.
	Expires func(wsfev1.CUIT, time.Time)

	authority *x509.Certificate
	salt      [sha256.Size]byte

	mu sync.Mutex
	// seen and before are what was looked at, guarded by mu. When seen is full it
	// becomes before, and what was in before is forgotten.
	seen, before map[[sha256.Size]byte]*seenTicket
}

// seenTicket is a ticket that was looked at, nil where the Token is none.
type seenTicket struct {
	ticket *validate.Ticket
	// forged tells that the authority did not sign it.
	forged bool
}

// maxSeenTickets bounds the two maps of a ticketDesk: one entry is a few hundred
// bytes, unless a ticket has thousands of relations.
const maxSeenTickets = 512

// newTicketDesk returns a desk that verifies Sign with the authority's certificate, or does not
// where that is nil.
func newTicketDesk(authority *x509.Certificate) *ticketDesk {
	d := &ticketDesk{authority: authority, seen: map[[sha256.Size]byte]*seenTicket{}}
	_, _ = rand.Read(d.salt[:]) // never fails
	return d
}

// ErrNoCertificate says that a text holds no certificate in PEM.
var ErrNoCertificate = errors.New("no PEM certificate")

// ParseAuthority reads the authority's certificate, in PEM. One whose key cannot sign tickets
// is an error.
func ParseAuthority(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, ErrNoCertificate
	}
	authority, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	// No Sign is one of nothing: another error is about the certificate.
	if err := validate.VerifySign(authority, "", ""); !errors.Is(err, validate.ErrSign) {
		return nil, err
	}
	return authority, nil
}

// refusal returns why the service would refuse the credentials (code 600), no text
// if it would not, or if only the service can tell.
func (d *ticketDesk) refusal(auth wsfev1.Auth, now time.Time) string {
	seen := d.look(auth)
	switch {
	case seen.ticket == nil && d.authority != nil:
		return backend.NoTicket
	case seen.ticket == nil:
		return ""
	case seen.forged:
		return "El Sign no es la firma del Token: los dos deben venir del mismo ticket de acceso."
	}
	refusal := seen.ticket.Refusal(auth.Cuit, now)
	if refusal == "" && d.Expires != nil {
		d.Expires(auth.Cuit, seen.ticket.Expiration)
	}
	return refusal
}

// strictRefusal is refusal for a service that takes nothing but readable tickets.
func (d *ticketDesk) strictRefusal(auth wsfev1.Auth, now time.Time) string {
	seen := d.look(auth)
	if seen.ticket == nil {
		return backend.NoTicket
	}
	return seen.ticket.Refusal(auth.Cuit, now)
}

// look returns what is known of the credentials, reading them where they are new.
func (d *ticketDesk) look(auth wsfev1.Auth) *seenTicket {
	key := d.digest(auth)
	d.mu.Lock()
	seen := d.seen[key]
	if seen == nil {
		seen = d.before[key]
	}
	d.mu.Unlock()
	if seen != nil {
		return seen
	}
	seen = d.read(auth)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) >= maxSeenTickets {
		d.before, d.seen = d.seen, map[[sha256.Size]byte]*seenTicket{}
	}
	d.seen[key] = seen
	return seen
}

func (d *ticketDesk) read(auth wsfev1.Auth) *seenTicket {
	ticket, ok := validate.ReadTicket(auth.Token)
	if !ok {
		return &seenTicket{}
	}
	forged := d.authority != nil && validate.VerifySign(d.authority, auth.Token, auth.Sign) != nil
	return &seenTicket{ticket, forged}
}

// digest names credentials without being of any use for finding them out.
func (d *ticketDesk) digest(auth wsfev1.Auth) [sha256.Size]byte {
	token, sign := auth.Token.Reveal(), auth.Sign.Reveal()
	text := make([]byte, 0, len(d.salt)+len(token)+1+len(sign))
	text = append(text, d.salt[:]...)
	text = append(append(append(text, token...), 0), sign...)
	return sha256.Sum256(text)
}
