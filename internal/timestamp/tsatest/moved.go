package tsatest

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

// clock is the form of a GeneralizedTime without a fraction, as openssl writes it.
const clock = "20060102150405Z"

// ReplyAt is Reply by an authority whose clock shows another time. openssl has no option for that, so its answer is
// changed in place and signed anew. The authority must have a key of RSA, whose signatures have one length.
func (a *Authority) ReplyAt(query []byte, at time.Time) []byte {
	reply := a.Reply(query)
	constructed := tag.Tag(0).ContextSpecific().Constructed()
	input := cryptobyte.String(reply)
	var answer, info, wrapped, signed, encapsulated, inner, content, signers, signer, attributes, signature cryptobyte.String
	ok := input.ReadASN1(&answer, tag.SEQUENCE) && answer.SkipASN1(tag.SEQUENCE) && answer.ReadASN1(&info, tag.SEQUENCE) &&
		info.SkipASN1(tag.OBJECT_IDENTIFIER) && info.ReadASN1(&wrapped, constructed) && wrapped.ReadASN1(&signed, tag.SEQUENCE) &&
		signed.SkipASN1(tag.INTEGER) && signed.SkipASN1(tag.SET) && signed.ReadASN1(&encapsulated, tag.SEQUENCE) &&
		encapsulated.SkipASN1(tag.OBJECT_IDENTIFIER) && encapsulated.ReadASN1(&inner, constructed) && inner.ReadASN1(&content, tag.OCTET_STRING) &&
		signed.SkipASN1(constructed) && signed.ReadASN1(&signers, tag.SET) && signers.ReadASN1(&signer, tag.SEQUENCE) &&
		signer.SkipASN1(tag.INTEGER) && signer.SkipASN1(tag.SEQUENCE) && signer.SkipASN1(tag.SEQUENCE) &&
		signer.ReadASN1Element(&attributes, constructed) && signer.SkipASN1(tag.SEQUENCE) && signer.ReadASN1(&signature, tag.OCTET_STRING)
	before := sha256.Sum256(content)
	digest := bytes.Index(attributes, before[:])
	rest := content
	var fields, moment cryptobyte.String // they share the reply's bytes
	ok = ok && rest.ReadASN1(&fields, tag.SEQUENCE) && fields.SkipASN1(tag.INTEGER) && fields.SkipASN1(tag.OBJECT_IDENTIFIER) &&
		fields.SkipASN1(tag.SEQUENCE) && fields.SkipASN1(tag.INTEGER) && fields.ReadASN1(&moment, tag.GeneralizedTime)
	if !ok || len(moment) != len(clock) || digest < 0 {
		a.t.Errorf("the answer of openssl is not as expected: %x", reply)
		return nil
	}
	copy(moment, at.UTC().Format(clock))
	after := sha256.Sum256(content)
	copy(attributes[digest:], after[:])
	whole := bytes.Clone(attributes)
	whole[0] = byte(tag.SET)
	sum := sha256.Sum256(whole)
	anew, err := a.key.(*rsa.PrivateKey).Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		a.t.Error(err)
	}
	copy(signature, anew)
	return reply
}
