package wsaatest

import (
	"bytes"
	"crypto"
	"crypto/rand"
	_ "crypto/sha1" //nolint:gosec // some clients sign with it
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/asn1"
	"slices"
	"testing"
)

// Form is how a message is signed and encoded. The zero value is DER with sorted attributes and
// SHA-256, as OpenSSL writes it.
type Form struct {
	// Hash is the digest, by default SHA-256.
	Hash crypto.Hash
	// AlgorithmOfBoth: the signature algorithm names the digest too, as in sha256WithRSAEncryption.
	AlgorithmOfBoth bool
	// NoAttributes: nothing is signed but the content.
	NoAttributes bool
	// Unsorted: the attributes stand in the order in which node-forge writes them.
	Unsorted bool
	// Indefinite: lengths are indefinite, and the content is an octet string in parts, as
	// BouncyCastle streams it. IndefiniteAttributes: the lengths of the signed attributes are too,
	// although they are signed in DER.
	Indefinite, IndefiniteAttributes bool
	// LongLengths: lengths have four bytes.
	LongLengths bool
	// Detached: the content is left out. NoCertificate: the certificate is.
	Detached, NoCertificate bool
	// KeyID: the certificate is named by its key identifier.
	KeyID bool
	// Digest replaces the attribute messageDigest, if it is not nil.
	Digest []byte
	// Change changes the signed attributes before they are sorted: contentType, messageDigest and
	// signingTime.
	Change func(attributes [][]byte) [][]byte
	// Renamed: the name of the issuer is encoded in strings of another type than in the
	// certificate.
	Renamed bool
	// Twice: there is a second signer, the same.
	Twice bool
	// Others are put before the certificate.
	Others []*Client
}

// Object identifiers, encoded.
var (
	oidData          = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01}
	oidSignedData    = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02}
	oidContentType   = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x03}
	oidMessageDigest = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04}
	oidSigningTime   = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x05}
	oidRSA           = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01}
	oidDigests       = map[crypto.Hash][]byte{
		crypto.SHA1:   {0x2b, 0x0e, 0x03, 0x02, 0x1a},
		crypto.SHA256: {0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01},
		crypto.SHA512: {0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03},
	}
	oidBoth = map[crypto.Hash][]byte{
		crypto.SHA1:   {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05},
		crypto.SHA256: {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b},
		crypto.SHA512: {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0d},
	}
)

// Sign returns a CMS SignedData of a content.
func (c *Client) Sign(t testing.TB, content []byte, form Form) []byte {
	t.Helper()
	if form.Hash == 0 {
		form.Hash = crypto.SHA256
	}
	e := encoder{form}
	encapsulated := [][]byte{e.put(0x06, oidData)}
	if !form.Detached {
		encapsulated = append(encapsulated, e.put(0xa0, e.string(content)))
	}
	digest := e.put(0x30, e.put(0x06, oidDigests[form.Hash]), e.put(0x05))
	parts := [][]byte{e.put(0x02, []byte{1}), e.put(0x31, digest), e.put(0x30, encapsulated...)}
	var certificates [][]byte
	for _, other := range form.Others {
		certificates = append(certificates, other.Certificate.Raw)
	}
	if !form.NoCertificate {
		certificates = append(certificates, c.Certificate.Raw)
	}
	if len(certificates) > 0 {
		parts = append(parts, e.put(0xa0, certificates...))
	}
	info := c.signerInfo(t, e, digest, content)
	signers := [][]byte{info}
	if form.Twice {
		signers = append(signers, info)
	}
	parts = append(parts, e.put(0x31, signers...))
	return e.put(0x30, e.put(0x06, oidSignedData), e.put(0xa0, e.put(0x30, parts...)))
}

func (c *Client) signerInfo(t testing.TB, e encoder, digest, content []byte) []byte {
	t.Helper()
	serial, err := asn1.Marshal(c.Certificate.SerialNumber)
	if err != nil {
		t.Fatal(err)
	}
	issuer := c.Certificate.RawIssuer
	if e.form.Renamed { // PrintableString to UTF8String
		issuer = bytes.ReplaceAll(issuer, []byte{0x13}, []byte{0x0c})
	}
	name := e.put(0x30, issuer, serial)
	if e.form.KeyID {
		name = e.put(0x80, c.Certificate.SubjectKeyId)
	}
	parts := [][]byte{e.put(0x02, []byte{1}), name, digest}
	signed := content
	if !e.form.NoAttributes {
		attributes := e.attributes(content)
		written := e.put(0xa0, attributes...)
		if e.form.IndefiniteAttributes {
			written = encoder{Form{Indefinite: true}}.put(0xa0, attributes...)
		}
		parts = append(parts, written)
		signed = e.put(0x31, attributes...)
		if e.form.Indefinite {
			signed = encoder{}.put(0x31, attributes...)
		}
	}
	h := e.form.Hash.New()
	h.Write(signed)
	signature, err := c.Key.Sign(rand.Reader, h.Sum(nil), e.form.Hash)
	if err != nil {
		t.Fatal(err)
	}
	algorithm := oidRSA
	if e.form.AlgorithmOfBoth {
		algorithm = oidBoth[e.form.Hash]
	}
	parts = append(parts, e.put(0x30, e.put(0x06, algorithm), e.put(0x05)), e.put(0x04, signature))
	return e.put(0x30, parts...)
}

// attributes returns the signed attributes. Attributes in BER are signed in DER, so they are
// always of definite length inside.
func (e encoder) attributes(content []byte) [][]byte {
	h := e.form.Hash.New()
	h.Write(content)
	digest := h.Sum(nil)
	if e.form.Digest != nil {
		digest = e.form.Digest
	}
	e.form.Indefinite = false
	one := func(oid, value []byte) []byte { return e.put(0x30, e.put(0x06, oid), e.put(0x31, value)) }
	list := [][]byte{ // in the order of node-forge
		one(oidContentType, e.put(0x06, oidData)),
		one(oidMessageDigest, e.put(0x04, digest)),
		one(oidSigningTime, e.put(0x17, []byte("261122063459Z"))),
	}
	if e.form.Change != nil {
		list = e.form.Change(list)
	}
	if !e.form.Unsorted {
		slices.SortFunc(list, slices.Compare)
	}
	return list
}
