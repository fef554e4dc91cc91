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
	year := bytes.Index(content, []byte{byte(tag.GeneralizedTime), 15})
	digest := bytes.Index(attributes, before[:])
	if !ok || year < 0 || digest < 0 {
		a.t.Errorf("the answer of openssl is not as expected: %x", reply)
		return nil
	}
	copy(content[year+2:], at.UTC().Format("20060102150405Z"))
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
