package wsaa

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"sync"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Checker checks the access tickets of requests. It caches what it has read under a digest of
// the ticket, since reading one costs more than all rules together; it keeps no Token and no
// Sign.
type Checker struct {
	// Expires receives when a ticket in use expires; nil to ignore it. Set it before the
	// first request.
	Expires func(wsfev1.CUIT, time.Time)

	authority *x509.Certificate
	salt      [sha256.Size]byte

	mu sync.Mutex
	// seen and before hold what was read, guarded by mu. A full seen becomes before, and
	// what was in before is forgotten.
	seen, before map[[sha256.Size]byte]*cachedTicket
}

// cachedTicket is a ticket that was read, nil if the Token is not a ticket.
type cachedTicket struct {
	ticket *Ticket
	holder string
	// forged: the authority did not sign it.
	forged bool
}

// maxCachedTickets bounds the two maps of a Checker: one entry is a few hundred
// bytes, unless a ticket has thousands of relations.
const maxCachedTickets = 512

// NewChecker returns a Checker that verifies Sign with the authority's certificate. With nil
// Sign is not verified.
func NewChecker(authority *x509.Certificate) *Checker {
	c := &Checker{authority: authority, seen: map[[sha256.Size]byte]*cachedTicket{}}
	_, _ = rand.Read(c.salt[:]) // never fails
	return c
}

// ErrNoCertificate: a text holds no certificate in PEM.
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
	if err := VerifySign(authority, "", ""); !errors.Is(err, ErrSign) {
		return nil, err
	}
	return authority, nil
}

// NotSigned is the Refusal of a Sign that the authority did not make for the Token.
const NotSigned = "El Sign no es la firma del Token: los dos deben venir del mismo ticket de acceso."

// Refusal returns why the service would refuse the credentials (code 600), an empty text if
// it would not, or if only the service can know.
func (c *Checker) Refusal(auth wsfev1.Auth, now time.Time) string {
	seen := c.look(auth)
	switch {
	case seen.ticket == nil && c.authority != nil:
		return NoTicket
	case seen.ticket == nil:
		return ""
	case seen.forged:
		return NotSigned
	}
	refusal := seen.ticket.Refusal(auth.Cuit, now)
	if refusal == "" && c.Expires != nil {
		c.Expires(auth.Cuit, seen.ticket.Expiration)
	}
	return refusal
}

// Holder returns the subject of the certificate that got a ticket, as the ticket writes it. It is empty unless
// the authority's certificate shows that the ticket is genuine, and the ticket is in force.
func (c *Checker) Holder(auth wsfev1.Auth, now time.Time) string {
	if c.authority == nil {
		return ""
	}
	seen := c.look(auth)
	if seen.ticket == nil || seen.forged || seen.ticket.timeRefusal(now) != "" {
		return ""
	}
	return seen.holder
}

// StrictRefusal is Refusal for a service that takes nothing but readable tickets. It looks in the
// order of the service (docs/sources.md#credentials): times, Sign, the rest.
func (c *Checker) StrictRefusal(auth wsfev1.Auth, now time.Time) string {
	seen := c.look(auth)
	if seen.ticket == nil {
		return NoTicket
	}
	if refusal := seen.ticket.timeRefusal(now); refusal != "" {
		return refusal
	}
	if seen.forged {
		return NotSigned
	}
	return seen.ticket.Refusal(auth.Cuit, now)
}

// look returns the cached reading of the credentials, and reads them if they are new.
func (c *Checker) look(auth wsfev1.Auth) *cachedTicket {
	key := c.digest(auth)
	c.mu.Lock()
	seen := c.seen[key]
	if seen == nil {
		seen = c.before[key]
	}
	c.mu.Unlock()
	if seen != nil {
		return seen
	}
	seen = c.read(auth)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxCachedTickets {
		c.before, c.seen = c.seen, map[[sha256.Size]byte]*cachedTicket{}
	}
	c.seen[key] = seen
	return seen
}

func (c *Checker) read(auth wsfev1.Auth) *cachedTicket {
	ticket, holder, ok := readTicket(auth.Token)
	if !ok {
		return &cachedTicket{}
	}
	forged := c.authority != nil && VerifySign(c.authority, auth.Token, auth.Sign) != nil
	return &cachedTicket{ticket, holder, forged}
}

// digest names credentials without being of any use for finding them out.
func (c *Checker) digest(auth wsfev1.Auth) [sha256.Size]byte {
	text := ticketTexts.Get().(*[]byte)
	*text = append((*text)[:0], c.salt[:]...)
	*text = append(append(append(*text, auth.Token.Reveal()...), 0), auth.Sign.Reveal()...)
	sum := sha256.Sum256(*text)
	clear(*text) // it outlives the request
	if cap(*text) <= maxTicketBuffer {
		ticketTexts.Put(text)
	}
	return sum
}

// ticketTexts are buffers for credentials; none of them holds any while nobody uses it. Those of a Token that is longer
// than any of the service's, in bytes, are not used again.
var ticketTexts = sync.Pool{New: func() any { return new([]byte) }}

const maxTicketBuffer = 16 << 10
