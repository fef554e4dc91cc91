package timestamp_test

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/timestamp"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// nothing are bytes where none belong: NULL.
var nothing = []byte{5, 0}

// TestEachThingThatIsWrongAlone is refused, and the same answer without it is taken.
func TestEachThingThatIsWrongAlone(t *testing.T) {
	f := newForger(t, nil)
	another := f.issue(func(c *x509.Certificate) { c.SerialNumber = big.NewInt(3) })
	anotherSum := sha256.Sum256(another.Raw)
	ownSum := sha256.Sum256(f.certificate.Raw)
	heavy := f.certificateOf(&rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 8192, 1), E: 65537})
	extension := func(critical ...byte) []byte {
		return in(1, sequence(identifier(oid("1.2.3")), critical, octets(nil)))
	}
	for name, test := range map[string]struct {
		spoil func(*reply)
		says  string
	}{
		"a waiting status":               {func(r *reply) { r.status = 3 }, "status 3"},
		"a rejection with a token":       {func(r *reply) { r.status = 2 }, "status 2"},
		"a status that is none":          {func(r *reply) { r.status = -1 }, "status -1"},
		"granted without a token":        {func(r *reply) { r.tokens = 0 }, "malformed"},
		"two tokens":                     {func(r *reply) { r.tokens = 2 }, "malformed"},
		"bytes behind the token":         {func(r *reply) { r.behind = nothing }, "malformed"},
		"another kind of message":        {func(r *reply) { r.kind = dataID }, "malformed"},
		"another version of CMS":         {func(r *reply) { r.version = 1 }, "malformed"},
		"bytes behind the signatures":    {func(r *reply) { r.behindSigned = nothing }, "malformed"},
		"another kind of content":        {func(r *reply) { r.contentKind = dataID }, "not a time-stamp"},
		"nobody signs":                   {func(r *reply) { r.infos = 0 }, "SignerInfo"},
		"two sign":                       {func(r *reply) { r.infos = 2 }, "more than one signature"},
		"bytes behind the signature":     {func(r *reply) { r.behindSigner = nothing }, "SignerInfo"},
		"no certificate":                 {func(r *reply) { r.certificates = nil }, "not in the token"},
		"another's certificate":          {func(r *reply) { r.certificates = [][]byte{another.Raw} }, "not in the token"},
		"no certificate's bytes":         {func(r *reply) { r.certificates = append(r.certificates, sequence()) }, "reading a certificate"},
		"a key that takes long":          {func(r *reply) { r.certificates = append(r.certificates, heavy.Raw) }, "8193 bits"},
		"a key's id of no bytes":         {func(r *reply) { r.signerKind = 4 }, "SignerInfo"},
		"another issuer":                 {func(r *reply) { r.issuer = f.certificate.RawSubject }, "not in the token"},
		"another serial":                 {func(r *reply) { r.serial = big.NewInt(9) }, "not in the token"},
		"a version for a key's id":       {func(r *reply) { r.signerKind = 2 }, "SignerInfo"},
		"a digest by SHA-1":              {func(r *reply) { r.digestBy = sha1ID }, "does not count"},
		"another digest":                 {func(r *reply) { r.digestBy = oid("2.16.840.1.101.3.4.2.2") }, "one digest for all"},
		"a signature by SHA-1":           {func(r *reply) { r.signedBy = oid("1.2.840.10045.4.1") }, "does not count"},
		"a signature by another kind":    {func(r *reply) { r.signedBy = oid("1.2.840.113549.1.1.11") }, "does not verify"},
		"a signature of other bytes":     {func(r *reply) { r.spoilSignature = func(s []byte) []byte { s[len(s)-1] ^= 1; return s } }, "does not verify"},
		"no signed attributes":           {func(r *reply) { r.noAttributes = true }, "no signed attributes"},
		"no type of the content":         {func(r *reply) { r.without = contentTypeID }, "do not say"},
		"another type of the content":    {func(r *reply) { r.attributeKind = dataID }, "do not say"},
		"no digest of the content":       {func(r *reply) { r.without = digestID }, "is not of the content"},
		"a digest of other content":      {func(r *reply) { r.spoilDigest = func(s []byte) []byte { s[0] ^= 1; return s } }, "is not of the content"},
		"no digest at all":               {func(r *reply) { r.spoilDigest = func([]byte) []byte { return nil } }, "is not of the content"},
		"an attribute twice":             {func(r *reply) { r.more = []attribute{{digestID, [][]byte{octets(ownSum[:])}}} }, "SignerInfo"},
		"an attribute with two values":   {func(r *reply) { r.more = []attribute{{oid("1.2.3"), [][]byte{nothing, nothing}}} }, "SignerInfo"},
		"an attribute with no value":     {func(r *reply) { r.more = []attribute{{oid("1.2.3"), nil}} }, "SignerInfo"},
		"the certificate is not named":   {func(r *reply) { r.without = signingCert2ID }, "do not name"},
		"another is named":               {func(r *reply) { r.name = sequence(octets(anotherSum[:])) }, "name another"},
		"another is named, by SHA-1":     {func(r *reply) { r.named, r.name = signingCertID, sha1Name(another) }, "name another"},
		"its hash is cut":                {func(r *reply) { r.name = sequence(octets(ownSum[:31])) }, "name another"},
		"its hash is by SHA-1":           {func(r *reply) { r.name = sequence(algorithm(sha1ID), sha1Name(f.certificate)[2:]) }, "name another"},
		"another serial is named":        {func(r *reply) { r.name = sequence(octets(ownSum[:]), issuerSerial(f.certificate.RawIssuer, 3)) }, "name another"},
		"another issuer is named":        {func(r *reply) { r.name = sequence(octets(ownSum[:]), issuerSerial(f.certificate.RawSubject, 2)) }, "name another"},
		"named by SHA-1, not by SHA-256": {func(r *reply) { r.more = []attribute{{signingCertID, [][]byte{sequence(sequence(sha1Name(another)))}}} }, "(ESSCertID)"},
		"another version of the content": {func(r *reply) { r.infoVersion = 2 }, "version 2"},
		"an imprint by SHA-1":            {func(r *reply) { r.imprintBy = sha1ID }, "not by SHA-256"},
		"the imprint of another":         {func(r *reply) { r.imprint = anotherSum[:] }, "another document"},
		"half of the imprint":            {func(r *reply) { r.imprint = r.imprint[:16] }, "another document"},
		"a time without a zone":          {func(r *reply) { r.at = strings.TrimSuffix(r.at, "Z") }, "malformed"},
		"a time in another zone":         {func(r *reply) { r.at = strings.Replace(r.at, "Z", "-0300", 1) }, "malformed"},
		"zeros behind the second":        {func(r *reply) { r.at = strings.Replace(r.at, "Z", ".50Z", 1) }, "malformed"},
		"a time without seconds":         {func(r *reply) { r.at = r.at[:12] + "Z" }, "malformed"},
		"the 31st of February":           {func(r *reply) { r.at = "20260231000000Z" }, "malformed"},
		"before the certificate":         {func(r *reply) { r.at = "20200101000000Z" }, "does not lead"},
		"after the certificate":          {func(r *reply) { r.at = "20600101000000Z" }, "does not lead"},
		"a thousand milliseconds":        {func(r *reply) { r.behindTime = sequence([]byte{0x80, 2, 3, 0xe8}) }, "TSTInfo"},
		"none of them":                   {func(r *reply) { r.behindTime = sequence([]byte{0x80, 1, 0}) }, "TSTInfo"},
		"less than none":                 {func(r *reply) { r.behindTime = sequence(integer(-1)) }, "TSTInfo"},
		"more than a day":                {func(r *reply) { r.behindTime = sequence(integer(86401)) }, "TSTInfo"},
		"bytes behind the accuracy":      {func(r *reply) { r.behindTime = sequence(integer(1), nothing) }, "TSTInfo"},
		"bytes behind the content":       {func(r *reply) { r.behindNonce = nothing }, "TSTInfo"},
		"a critical extension":           {func(r *reply) { r.behindNonce = extension(1, 1, 0xff) }, "critical and unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			r := f.sound()
			if _, err := f.trusted().Open(f.answer(r), document); err != nil {
				t.Fatalf("the sound one: %v", err)
			}
			test.spoil(r)
			stamp, err := f.trusted().Open(f.answer(r), document)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%+v, %v, want %q", stamp, err, test.says)
			}
		})
	}
}

// TestWhatMayBeOtherwise in a sound answer.
func TestWhatMayBeOtherwise(t *testing.T) {
	f := newForger(t, nil)
	own := sha256.Sum256(f.certificate.Raw)
	for name, change := range map[string]func(*reply){
		"granted with changes":  func(r *reply) { r.status = 1 },
		"named by the key's id": func(r *reply) { r.signerKind = 3 },
		"named by SHA-1": func(r *reply) {
			r.named, r.name = signingCertID, sha1Name(f.certificate, issuerSerial(f.certificate.RawIssuer, 2))
		},
		"named with the digest":         func(r *reply) { r.name = sequence(algorithm(sha256ID), octets(own[:])) },
		"named with the issuer":         func(r *reply) { r.name = sequence(octets(own[:]), issuerSerial(f.certificate.RawIssuer, 2)) },
		"a fraction of a second":        func(r *reply) { r.at = strings.Replace(r.at, "Z", ".25Z", 1) },
		"an extension":                  func(r *reply) { r.behindNonce = in(1, sequence(identifier(oid("1.2.3")), octets(nil))) },
		"the name of the authority":     func(r *reply) { r.behindNonce = in(0, in(4, f.certificate.RawSubject)) },
		"an order of stamps":            func(r *reply) { r.behindTime = []byte{1, 1, 0xff} },
		"attributes of attributes":      func(r *reply) { r.behindSigner = in(1, nothing) },
		"another certificate":           func(r *reply) { r.certificates = append(r.certificates, f.root.Raw) },
		"a certificate of another kind": func(r *reply) { r.certificates = append(r.certificates, in(1)) },
	} {
		r := f.sound()
		change(r)
		if _, err := f.trusted().Open(f.answer(r), document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatTheCertificateMustBe for: time-stamping alone, at the time of the stamp, under one of the roots.
func TestWhatTheCertificateMustBe(t *testing.T) {
	usage := func(critical bool, purposes ...byte) func(*x509.Certificate) {
		return func(c *x509.Certificate) {
			var all []byte
			for _, purpose := range purposes {
				all = append(all, identifier(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, int(purpose)})...)
			}
			c.ExtraExtensions = []pkix.Extension{{Id: tsatest.TimeStamping.Id, Critical: critical, Value: sequence(all)}}
		}
	}
	for name, test := range map[string]struct {
		change func(*x509.Certificate)
		says   string
	}{
		"sound":                 {usage(true, 8), ""},
		"for anything":          {func(c *x509.Certificate) { c.ExtraExtensions = nil }, "not for time-stamping alone"},
		"not critical":          {usage(false, 8), "not for time-stamping alone"},
		"for servers too":       {usage(true, 8, 1), "not for time-stamping alone"},
		"for something unknown": {usage(true, 8, 99), "not for time-stamping alone"},
		"for servers":           {usage(true, 1), "not for time-stamping alone"},
		"for certificates too":  {func(c *x509.Certificate) { c.KeyUsage |= x509.KeyUsageCertSign }, "more than signatures"},
		"for commitments":       {func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageContentCommitment }, ""},
		"not valid any more":    {func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, "does not lead"},
		"an unknown restriction": {func(c *x509.Certificate) {
			c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: oid("1.2.3"), Critical: true, Value: nothing})
		}, "does not lead"},
	} {
		f := newForger(t, test.change)
		_, err := f.trusted().Open(f.answer(f.sound()), document)
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
	f, other := newForger(t, nil), newForger(t, nil)
	if _, err := other.trusted().Open(f.answer(f.sound()), document); err == nil || !strings.Contains(err.Error(), "does not lead") {
		t.Errorf("another root of the same name: %v", err)
	}
	if stamp, err := timestamp.Look(f.answer(f.sound()), document); err != nil || stamp.Authority != "Sello" {
		t.Errorf("without roots: %v", err)
	}
}

// TestWhatAnAnswerMustFit: a stamp that is sound when it is kept need not be the answer to a query.
func TestWhatAnAnswerMustFit(t *testing.T) {
	f := newForger(t, nil)
	query := must(f.trusted().Query(document, bytes.NewReader([]byte("12345678"))))
	nonce := new(big.Int).SetBytes([]byte("12345678"))
	for name, test := range map[string]struct {
		spoil func(*reply)
		says  string
	}{
		"sound":         {func(*reply) {}, ""},
		"no nonce":      {func(r *reply) { r.nonce = nil }, "nonce differs"},
		"another nonce": {func(r *reply) { r.nonce = new(big.Int).Neg(nonce) }, "nonce differs"},
		"inexact":       {func(r *reply) { r.behindTime = sequence(integer(301)) }, "wrong by 5m1s"},
		"ahead":         {func(r *reply) { r.at = time.Now().UTC().Add(6 * time.Minute).Format("20060102150405Z") }, "one of them is wrong"},
	} {
		r := f.sound()
		r.nonce = nonce
		test.spoil(r)
		answer := f.answer(r)
		_, err := f.trusted().Accept(answer, query, time.Now())
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
		if _, err := f.trusted().Open(answer, document); err != nil {
			t.Errorf("%s, when it is kept: %v", name, err)
		}
	}
}

// FuzzOpen: bytes that are taken say what one of the answers says from which they were made.
func FuzzOpen(f *testing.F) {
	forger := newForger(f, nil)
	sound := forger.answer(forger.sound())
	want := must(forger.trusted().Open(sound, document))
	f.Add(sound)
	for _, kind := range []tsatest.Kind{tsatest.P256, tsatest.RSA} {
		tsa := tsatest.New(f, kind, "Sello de prueba")
		f.Add(tsa.Reply(must(new(timestamp.Authority).Query(document, bytes.NewReader(slices.Repeat([]byte{7}, 8)))).DER))
	}
	f.Add([]byte{0x30, 3, 2, 1, 0})
	f.Fuzz(func(t *testing.T, reply []byte) {
		got, err := forger.trusted().Open(reply, document)
		if err == nil && (!got.Time.Equal(want.Time) || got.Serial.Cmp(want.Serial) != 0) {
			t.Errorf("%x is taken for %+v", reply, got)
		}
		if _, err := timestamp.Look(reply, document[1:]); err == nil {
			t.Errorf("%x is taken for another document", reply)
		}
	})
}

// TestParsePolicy takes object identifiers alone.
func TestParsePolicy(t *testing.T) {
	for text, ok := range map[string]bool{"1.2.3": true, "0.4.0.2023.1.1": true, "": false, "1": false, "3.1": false, "1.2.x": false, "1.2.99999999999": false, "1..2": false} {
		got, err := timestamp.ParsePolicy(text)
		if (err == nil) != ok || ok && got.String() != text {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
