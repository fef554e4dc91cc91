package cms_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/internal/cms"
)

var content = []byte("<loginTicketRequest>\r\n<service>wsfe</service></loginTicketRequest>")

// forms are the forms that clients' libraries write.
func forms(t testing.TB) map[string]wsaatest.Form {
	other := wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("30500010912", "otro")})
	return map[string]wsaatest.Form{
		"OpenSSL":                       {},
		"SHA-1":                         {Hash: crypto.SHA1},
		"node-forge":                    {Unsorted: true},
		"node-forge with SHA-1":         {Unsorted: true, Hash: crypto.SHA1},
		"signature algorithm of both":   {AlgorithmOfBoth: true},
		"the same with SHA-1":           {AlgorithmOfBoth: true, Hash: crypto.SHA1},
		"without attributes":            {NoAttributes: true},
		"BER of indefinite length":      {Indefinite: true},
		"the same without attributes":   {Indefinite: true, NoAttributes: true},
		"the same with its attributes":  {Indefinite: true, IndefiniteAttributes: true},
		"attributes of unknown length":  {IndefiniteAttributes: true},
		"lengths of four bytes":         {LongLengths: true},
		"unsorted, of four bytes":       {LongLengths: true, Unsorted: true},
		"named by its key":              {KeyID: true},
		"another type of strings":       {Renamed: true},
		"with another certificate":      {Others: []*wsaatest.Client{other}},
		"key, with another certificate": {KeyID: true, Others: []*wsaatest.Client{other}},
	}
}

func TestMessagesOfRealLibrariesAreVerified(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for name, form := range forms(t) {
		signed, err := cms.Verify(client.Sign(t, content, form))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(signed.Content, content) || !signed.Signer.Equal(client.Certificate) ||
			len(signed.Certificates) != 1+len(form.Others) {
			t.Errorf("%s: %q of %s, %d certificates", name, signed.Content, signed.Signer.Subject, len(signed.Certificates))
		}
	}
}

// TestAKeyOfEveryLengthThatTheAuthorityAccepts signs.
func TestAKeyOfEveryLengthThatTheAuthorityAccepts(t *testing.T) {
	for _, bits := range []int{1024, 3072} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		client := wsaatest.NewClient(t, wsaatest.Spec{Key: key})
		if _, err := cms.Verify(client.Sign(t, content, wsaatest.Form{})); err != nil {
			t.Errorf("%d bits: %v", bits, err)
		}
	}
}

// TestNoChangedByteIsVerified, be it a byte of the signed content, of the signature or of
// a digest.
func TestNoChangedByteIsVerified(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for name, form := range forms(t) {
		message := client.Sign(t, content, form)
		at := bytes.Index(message, content[:8])
		signature := len(message) - 100
		if form.Indefinite {
			signature -= 10
		}
		for _, i := range []int{at, at + 7, signature} {
			changed := slices.Clone(message)
			changed[i] ^= 1
			if _, err := cms.Verify(changed); !errors.Is(err, cms.ErrSignature) {
				t.Errorf("%s, byte %d: %v", name, i, err)
			}
		}
	}
}

func TestWhatIsNotTheSignersIsRefused(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	elliptical := wsaatest.NewClient(t, wsaatest.Spec{Key: curve})
	second, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	long := wsaatest.NewClient(t, wsaatest.Spec{Key: longKey{}, Issuer: client})
	thief := &wsaatest.Client{Certificate: client.Certificate, Key: second}
	for name, test := range map[string]struct {
		message []byte
		want    error
		text    string
	}{
		"of another key":           {thief.Sign(t, content, wsaatest.Form{}), cms.ErrSignature, "verification"},
		"of another key, bare":     {thief.Sign(t, content, wsaatest.Form{NoAttributes: true}), cms.ErrSignature, "verification"},
		"detached":                 {client.Sign(t, content, wsaatest.Form{Detached: true}), cms.ErrSignature, "no content"},
		"about another content":    {client.Sign(t, content, wsaatest.Form{Digest: make([]byte, 32)}), cms.ErrSignature, "messageDigest"},
		"without a digest":         {client.Sign(t, content, wsaatest.Form{Change: func(a [][]byte) [][]byte { return a[:1] }}), cms.ErrSignature, "messageDigest: 0"},
		"with two digests":         {client.Sign(t, content, wsaatest.Form{Change: func(a [][]byte) [][]byte { return append(a, a[1]) }}), cms.ErrSignature, "messageDigest: 2"},
		"without a type":           {client.Sign(t, content, wsaatest.Form{Change: func(a [][]byte) [][]byte { return a[1:] }}), cms.ErrSignature, "contentType: 0"},
		"of another type":          {client.Sign(t, content, wsaatest.Form{Change: anotherType}), cms.ErrSignature, "contentType is not"},
		"no attributes, but a set": {client.Sign(t, content, wsaatest.Form{Change: func([][]byte) [][]byte { return nil }}), cms.ErrSignature, "messageDigest: 0"},
		"65 attributes":            {client.Sign(t, content, wsaatest.Form{Change: func(a [][]byte) [][]byte { return slices.Repeat(a[2:], 65) }}), cms.ErrFormat, "more than 64"},
		"33 certificates":          {client.Sign(t, content, wsaatest.Form{Others: slices.Repeat([]*wsaatest.Client{elliptical}, 32)}), cms.ErrFormat, "more than 32"},
		"with SHA-512":             {client.Sign(t, content, wsaatest.Form{Hash: crypto.SHA512}), cms.ErrSignature, "algorithm"},
		"with an elliptic curve":   {elliptical.Sign(t, content, wsaatest.Form{}), cms.ErrSignature, "not RSA"},
		"with a very long key":     {long.Sign(t, content, wsaatest.Form{}), cms.ErrSignature, "8193 bits: 1024 to 8192"},
		"without a certificate":    {client.Sign(t, content, wsaatest.Form{NoCertificate: true}), cms.ErrNoCertificate, ""},
		"with the wrong one alone": {client.Sign(t, content, wsaatest.Form{NoCertificate: true, Others: []*wsaatest.Client{elliptical}}), cms.ErrNoCertificate, ""},
		"of two signers":           {client.Sign(t, content, wsaatest.Form{Twice: true}), cms.ErrFormat, "more than one signer"},
		"followed by a byte":       {append(client.Sign(t, content, wsaatest.Form{}), 0), cms.ErrFormat, "follow"},
		"a text":                   {[]byte("hello"), cms.ErrFormat, ""},
		"nothing":                  {nil, cms.ErrFormat, "ends inside"},
		"a certificate":            {client.Certificate.Raw, cms.ErrFormat, "content type"},
		"too large":                {make([]byte, 1<<20+1), cms.ErrFormat, "more than"},
	} {
		signed, err := cms.Verify(test.message)
		if signed != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v, %v", name, signed, err)
		}
	}
}

// longKey is a key that would take long to verify with. It signs nothing.
type longKey struct{}

func (longKey) Public() crypto.PublicKey {
	return &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 8192, 1), E: 65537}
}

func (longKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return []byte("x"), nil }

// anotherType lets contentType name signedData instead of data.
func anotherType(attributes [][]byte) [][]byte {
	changed := slices.Clone(attributes[0])
	changed[len(changed)-1]++
	return append([][]byte{changed}, attributes[1:]...)
}

// TestACutMessageIsNoMessage, wherever it is cut.
func TestACutMessageIsNoMessage(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for name, form := range forms(t) {
		message := client.Sign(t, content, form)
		for i := range message {
			if _, err := cms.Verify(message[:i]); !errors.Is(err, cms.ErrFormat) {
				t.Fatalf("%s, the first %d of %d bytes: %v", name, i, len(message), err)
			}
		}
	}
}

// TestDepthAndNumberAreBounded: a message costs no more than its size.
func TestDepthAndNumberAreBounded(t *testing.T) {
	deep := bytes.Repeat([]byte{0x30, 0x80}, 300_000)
	for name, test := range map[string]struct {
		message []byte
		want    string
	}{
		"deep":             {deep, "deeper than 16"},
		"deep, with ends":  {append(deep[:100_000:100_000], make([]byte, 100_000)...), "deeper than 16"},
		"many":             {slices.Concat([]byte{0x30, 0x80}, bytes.Repeat([]byte{5, 0}, 400_000), []byte{0, 0}), "more than 20000 elements"},
		"a length of 4 GB": {[]byte{0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x30}, "ends inside"},
		"a long length":    {[]byte{0x30, 0x85, 0, 0, 0, 0, 1, 0}, "more than four bytes"},
		"a high tag":       {[]byte{0x3f, 0x81, 0x01, 0x00}, "several bytes"},
	} {
		allocations := testing.AllocsPerRun(1, func() {
			if _, err := cms.Verify(test.message); !errors.Is(err, cms.ErrFormat) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if allocations > 100 {
			t.Errorf("%s: %v allocations", name, allocations)
		}
	}
}
