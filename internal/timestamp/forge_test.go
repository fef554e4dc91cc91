package timestamp_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/fielato/fielato/internal/timestamp"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

func oid(text string) asn1.ObjectIdentifier { return must(timestamp.ParsePolicy(text)) }

var (
	sha256ID       = oid("2.16.840.1.101.3.4.2.1")
	sha1ID         = oid("1.3.14.3.2.26")
	ecdsaSHA256    = oid("1.2.840.10045.4.3.2")
	dataID         = oid("1.2.840.113549.1.7.1")
	tstInfoID      = oid("1.2.840.113549.1.9.16.1.4")
	contentTypeID  = oid("1.2.840.113549.1.9.3")
	digestID       = oid("1.2.840.113549.1.9.4")
	signingCertID  = oid("1.2.840.113549.1.9.16.2.12")
	signingCert2ID = oid("1.2.840.113549.1.9.16.2.47")
)

// attribute is a signed attribute.
type attribute struct {
	id     asn1.ObjectIdentifier
	values [][]byte
}

// forger is an authority that makes one thing wrong at a time. All that it signs is signed by the right key.
type forger struct {
	key         *ecdsa.PrivateKey
	root        *x509.Certificate
	rootKey     *ecdsa.PrivateKey
	certificate *x509.Certificate // the signer's
}

// newForger returns an authority whose certificate the change has made another.
func newForger(t testing.TB, change func(*x509.Certificate)) *forger {
	t.Helper()
	f := &forger{key: must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), rootKey: must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Raíz"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	f.root = must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, root, root, f.rootKey.Public(), f.rootKey))))
	f.certificate = f.issue(change)
	return f
}

// certificateOf makes a certificate of another key.
func (f *forger) certificateOf(key any) *x509.Certificate {
	template := &x509.Certificate{SerialNumber: big.NewInt(4), Subject: pkix.Name{CommonName: "Otra"}, NotBefore: f.root.NotBefore, NotAfter: f.root.NotAfter}
	return must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, template, f.root, key, f.rootKey))))
}

// issue makes another certificate of the signer's key.
func (f *forger) issue(change func(*x509.Certificate)) *x509.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Sello"}, NotBefore: f.root.NotBefore, NotAfter: f.root.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtraExtensions: []pkix.Extension{tsatest.TimeStamping}, SubjectKeyId: []byte{1, 2, 3},
	}
	if change != nil {
		change(template)
	}
	return must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, template, f.root, f.key.Public(), f.rootKey))))
}

func (f *forger) trusted() *timestamp.Authority {
	a := &timestamp.Authority{Roots: x509.NewCertPool()}
	a.Roots.AddCert(f.root)
	return a
}

// reply has the parts of an answer.
type reply struct {
	status, tokens, infos            int
	infoVersion, version, signerKind int64
	imprintBy, digestBy, signedBy    asn1.ObjectIdentifier
	kind, contentKind, attributeKind asn1.ObjectIdentifier
	imprint, issuer                  []byte
	at                               string
	nonce, serial                    *big.Int
	behindTime, behindNonce, behind  []byte // in the content
	behindSigner, behindSigned       []byte
	certificates                     [][]byte
	named                            asn1.ObjectIdentifier
	name                             []byte // ESSCertID or ESSCertIDv2, in its list
	more                             []attribute
	without                          asn1.ObjectIdentifier
	noAttributes                     bool
	spoilDigest, spoilSignature      func([]byte) []byte
}

// sound returns the parts of an answer to a query for the document, without a nonce.
func (f *forger) sound() *reply {
	sum, name := sha256.Sum256(document), sha256.Sum256(f.certificate.Raw)
	same := func(b []byte) []byte { return b }
	return &reply{
		tokens: 1, infos: 1, infoVersion: 1, version: 3, signerKind: 1, imprintBy: sha256ID, digestBy: sha256ID, signedBy: ecdsaSHA256,
		kind: oid("1.2.840.113549.1.7.2"), contentKind: tstInfoID, attributeKind: tstInfoID, imprint: sum[:], issuer: f.certificate.RawIssuer,
		at: time.Now().UTC().Format("20060102150405Z"), serial: f.certificate.SerialNumber, certificates: [][]byte{f.certificate.Raw},
		named: signingCert2ID, name: sequence(octets(name[:])), spoilDigest: same, spoilSignature: same,
	}
}

func build(add func(*cryptobyte.Builder)) []byte {
	var b cryptobyte.Builder
	add(&b)
	return b.BytesOrPanic()
}

// element returns a tag around parts.
func element(t tag.Tag, parts ...[]byte) []byte {
	return build(func(b *cryptobyte.Builder) {
		b.AddASN1(t, func(b *cryptobyte.Builder) {
			for _, part := range parts {
				b.AddBytes(part)
			}
		})
	})
}

func sequence(parts ...[]byte) []byte { return element(tag.SEQUENCE, parts...) }
func octets(value []byte) []byte      { return element(tag.OCTET_STRING, value) }
func in(n uint8, parts ...[]byte) []byte {
	return element(tag.Tag(n).ContextSpecific().Constructed(), parts...)
}

func identifier(id asn1.ObjectIdentifier) []byte {
	return build(func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(id) })
}
func algorithm(id asn1.ObjectIdentifier) []byte { return sequence(identifier(id)) }
func integer(n int64) []byte                    { return build(func(b *cryptobyte.Builder) { b.AddASN1Int64(n) }) }

func large(n *big.Int) []byte { return build(func(b *cryptobyte.Builder) { b.AddASN1BigInt(n) }) }

// issuerSerial names a certificate as ESSCertID does.
func issuerSerial(issuer []byte, serial int64) []byte {
	return sequence(sequence(in(4, issuer)), integer(serial))
}

// info makes the content.
func (r *reply) info() []byte {
	var nonce []byte
	if r.nonce != nil {
		nonce = large(r.nonce)
	}
	return sequence(integer(r.infoVersion), identifier(oid(tsatest.Policy)), sequence(algorithm(r.imprintBy), octets(r.imprint)), integer(7),
		element(tag.GeneralizedTime, []byte(r.at)), r.behindTime, nonce, r.behindNonce)
}

// answer signs the parts by the key.
func (f *forger) answer(r *reply) []byte {
	content := r.info()
	digest := sha256.Sum256(content)
	all := []attribute{
		{contentTypeID, [][]byte{identifier(r.attributeKind)}},
		{digestID, [][]byte{octets(r.spoilDigest(digest[:]))}},
		{r.named, [][]byte{sequence(sequence(r.name))}},
	}
	var attributes []byte
	for _, a := range append(all, r.more...) {
		if !a.id.Equal(r.without) {
			attributes = append(attributes, sequence(identifier(a.id), element(tag.SET, a.values...))...)
		}
	}
	sum := sha256.Sum256(element(tag.SET, attributes))
	signed := in(0, attributes)
	if r.noAttributes {
		signed, sum = nil, digest
	}
	signature := r.spoilSignature(must(f.key.Sign(rand.Reader, sum[:], crypto.SHA256)))
	name := sequence(r.issuer, large(r.serial))
	switch r.signerKind {
	case 3:
		name = element(tag.Tag(0).ContextSpecific(), f.certificate.SubjectKeyId)
	case 4: // a 3 whose name is empty
		name, r.signerKind = element(tag.Tag(0).ContextSpecific()), 3
	}
	one := sequence(integer(r.signerKind), name, algorithm(r.digestBy), signed, algorithm(r.signedBy), octets(signature), r.behindSigner)
	var infos []byte
	for range r.infos {
		infos = append(infos, one...)
	}
	token := sequence(identifier(r.kind), in(0, sequence(integer(r.version), element(tag.SET, algorithm(r.digestBy)),
		sequence(identifier(r.contentKind), in(0, octets(content))), in(0, r.certificates...), element(tag.SET, infos), r.behindSigned)))
	parts := [][]byte{sequence(integer(int64(r.status)))}
	for range r.tokens {
		parts = append(parts, token)
	}
	return sequence(append(parts, r.behind)...)
}

// sha1Name is an ESSCertID.
func sha1Name(c *x509.Certificate, more ...[]byte) []byte {
	sum := sha1.Sum(c.Raw)
	return sequence(append([][]byte{octets(sum[:])}, more...)...)
}
