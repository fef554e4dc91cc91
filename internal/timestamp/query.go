package timestamp

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Authority says whose time-stamps count.
type Authority struct {
	// Roots are the certificates to which the signer's must lead. With nil there is none.
	Roots *x509.CertPool
	// Policy is the one under which it must stamp, nil for any.
	Policy asn1.ObjectIdentifier
}

// Query asks for a time-stamp of a document.
type Query struct {
	// DER is the query as it is sent.
	DER []byte

	imprint [sha256.Size]byte
	nonce   *big.Int
}

// nonceSize is the number of random bytes in a query. More are not taken by every authority.
const nonceSize = 8

// maxAway is how far the time of a new stamp may be from our clock, and how inexact it may be.
const maxAway = 5 * time.Minute

// Query returns a query for a document. Its nonce is read from random.
func (a *Authority) Query(document []byte, random io.Reader) (*Query, error) {
	nonce := make([]byte, nonceSize)
	if _, err := io.ReadFull(random, nonce); err != nil {
		return nil, fmt.Errorf("reading random bytes: %w", err)
	}
	q := &Query{imprint: sha256.Sum256(document), nonce: new(big.Int).SetBytes(nonce)}
	var b cryptobyte.Builder
	b.AddASN1(tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(1) // the version
		b.AddASN1(tag.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1(tag.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1ObjectIdentifier(oidSHA256)
				b.AddASN1NULL()
			})
			b.AddASN1OctetString(q.imprint[:])
		})
		if a.Policy != nil {
			b.AddASN1ObjectIdentifier(a.Policy)
		}
		b.AddASN1BigInt(q.nonce)
		b.AddASN1Boolean(true) // with the certificates
	})
	var err error
	if q.DER, err = b.Bytes(); err != nil {
		return nil, fmt.Errorf("writing the query: %w", err)
	}
	return q, nil
}

// Accept verifies the reply to a query, which has come now. All that Open checks is checked, and that the stamp is for
// this query and its time is ours.
func (a *Authority) Accept(reply []byte, q *Query, now time.Time) (*Stamp, error) {
	s, err := a.open(reply, q.imprint)
	if err != nil {
		return nil, err
	}
	if s.nonce == nil || s.nonce.Cmp(q.nonce) != 0 {
		return nil, errors.New("the stamp is for another query: its nonce differs")
	}
	if away := s.Time.Sub(now).Abs(); away > maxAway {
		return nil, fmt.Errorf("the stamp says that it is %s, and the clock here says %s: one of them is wrong",
			s.Time.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if s.Accuracy > maxAway {
		return nil, fmt.Errorf("the stamp says that its time may be wrong by %s: %s is the most", s.Accuracy, maxAway)
	}
	return s, nil
}

// Open verifies a reply that was kept with its document.
func (a *Authority) Open(reply, document []byte) (*Stamp, error) {
	return a.open(reply, sha256.Sum256(document))
}

func (a *Authority) open(reply []byte, imprint [sha256.Size]byte) (*Stamp, error) {
	s, err := look(reply, imprint)
	if err != nil {
		return nil, err
	}
	if a.Policy != nil && !s.Policy.Equal(a.Policy) {
		return nil, fmt.Errorf("the stamp is under the policy %s, not %s", s.Policy, a.Policy)
	}
	if err := s.checkChain(a.Roots); err != nil {
		return nil, err
	}
	return s, nil
}

// Look reads a reply that was verified before it was kept. It checks all that needs no roots: the stamp is for the
// document and signed, and by whom is for others to say.
func Look(reply, document []byte) (*Stamp, error) {
	return look(reply, sha256.Sum256(document))
}

func look(reply []byte, imprint [sha256.Size]byte) (*Stamp, error) {
	signed, err := parseReply(reply)
	if err != nil {
		return nil, err
	}
	s, err := parseInfo(signed.content)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(s.imprint, imprint[:]) {
		return nil, errors.New("the stamp is for another document")
	}
	if s.signer, err = signed.verify(); err != nil {
		return nil, err
	}
	s.Authority, s.certificates = nameOf(s.signer), signed.certificates
	return s, nil
}

// ParsePolicy reads the identifier of a policy, such as 0.4.0.2023.1.1.
func ParsePolicy(text string) (policy asn1.ObjectIdentifier, err error) {
	if _, err := x509.ParseOID(text); err != nil {
		return nil, fmt.Errorf("%q is not an object identifier: write numbers with dots, such as 0.4.0.2023.1.1", text)
	}
	for arc := range strings.SplitSeq(text, ".") {
		number, err := strconv.ParseInt(arc, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("the number %s in the object identifier %s is too large", arc, text)
		}
		policy = append(policy, int(number))
	}
	return policy, nil
}
