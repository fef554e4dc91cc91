package clients

import (
	"crypto/sha256"
	"encoding/hex"
)

// Kind is the way in which an identity was proven. It is the word that names it in a row.
type Kind string

// The kinds of identities.
const (
	// User is the user that Caddy's authentication has found.
	User Kind = "user"
	// Certificate is the subject of a client certificate that was verified, as crypto/x509 writes it:
	// "CN=erp,O=Example".
	Certificate Kind = "certificate"
	// CertificateSAN is a subject alternative name of such a certificate: a DNS name, an e-mail address, an
	// IP address or a URI.
	CertificateSAN Kind = "certificate_san"
	// CertificateKey is the SHA-256 of a client certificate's public key (SubjectPublicKeyInfo), in lower-case
	// hexadecimal. The handshake proves the key, whoever has signed the certificate.
	CertificateKey Kind = "certificate_key"
	// Ticket is the subject of the certificate that got the request's access ticket, as the ticket's
	// signed Token writes it.
	Ticket Kind = "ticket"
)

// Kinds are all kinds, in the order in which texts list them.
var Kinds = []Kind{User, Certificate, CertificateSAN, CertificateKey, Ticket}

// Identity is what was proven about who sends a request. Empty fields were not proven.
type Identity struct {
	User string
	// Subject and Names are from a client certificate that was verified. Names are its alternative names.
	Subject string
	Names   []string
	// PublicKey is the SubjectPublicKeyInfo of the client certificate, in DER. It needs no verified
	// certificate.
	PublicKey []byte
	// KeyDigest stands for PublicKey where it is not at hand: its SHA-256 in hexadecimal, as a row has it. No
	// request comes with one.
	KeyDigest string
	// Ticket is from a Token whose signature was verified.
	Ticket string
}

// name is one identity of a row.
type name struct {
	kind Kind
	text string
}

// digest is the SHA-256 of a public key.
type digest [sha256.Size]byte

// keyDigest returns the digest that a text writes in hexadecimal.
func keyDigest(text string) (sum digest, ok bool) {
	if len(text) != hex.EncodedLen(len(sum)) { // Decode takes no more than it has room for
		return sum, false
	}
	_, err := hex.Decode(sum[:], []byte(text))
	return sum, err == nil
}

// index finds entries by identity.
type index[E comparable] struct {
	byName map[name]E
	byKey  map[digest]E
	// names and tickets say whether any row has such an identity: most tables have none.
	names, tickets bool
}

// add adds an identity. It returns the entry that has it already, and then adds nothing.
func (x *index[E]) add(n name, entry E) (before E, taken bool) {
	if n.kind == CertificateKey {
		sum, _ := keyDigest(n.text)
		if before, taken = x.byKey[sum]; !taken {
			x.byKey[sum] = entry
		}
		return before, taken
	}
	if before, taken = x.byName[n]; taken {
		return before, true
	}
	x.byName[n] = entry
	x.names = x.names || n.kind == CertificateSAN
	x.tickets = x.tickets || n.kind == Ticket
	return before, false
}

// find returns the entry with any of the identities. other is another one if they belong to two.
func (x *index[E]) find(id *Identity) (found, other E) {
	var none E
	see := func(entry E, ok bool) {
		switch {
		case !ok || entry == found:
		case found == none:
			found = entry
		default:
			other = entry
		}
	}
	look := func(kind Kind, text string) {
		if text != "" {
			entry, ok := x.byName[name{kind, text}]
			see(entry, ok)
		}
	}
	look(User, id.User)
	look(Certificate, id.Subject)
	look(Ticket, id.Ticket)
	if x.names {
		for _, text := range id.Names {
			look(CertificateSAN, text)
		}
	}
	if len(x.byKey) > 0 && len(id.PublicKey) > 0 {
		entry, ok := x.byKey[sha256.Sum256(id.PublicKey)]
		see(entry, ok)
	}
	if sum, ok := keyDigest(id.KeyDigest); ok {
		entry, ok := x.byKey[sum]
		see(entry, ok)
	}
	return found, other
}
