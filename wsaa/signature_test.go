package wsaa_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// authority returns a key and the certificate that it gave itself.
func authority(t *testing.T, key crypto.Signer) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: ticketBorn, NotAfter: ticketDies}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func rsaKey(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signed returns the Sign that a key gives to a text.
func signed(t *testing.T, key *rsa.PrivateKey, hash crypto.SignerOpts, text string) wsfev1.Secret {
	t.Helper()
	h := hash.HashFunc().New()
	h.Write([]byte(text))
	signature, err := key.Sign(rand.Reader, h.Sum(nil), hash)
	if err != nil {
		t.Fatal(err)
	}
	return wsfev1.Secret(base64.StdEncoding.EncodeToString(signature))
}

func TestASignOfTheAuthorityIsAccepted(t *testing.T) {
	document, token := goodDocument(), tokenOf(goodDocument())
	for _, bits := range []int{1024, 2048} {
		key := rsaKey(t, bits)
		certificate := authority(t, key)
		for _, hash := range []crypto.Hash{crypto.SHA1, crypto.SHA256} {
			for form, text := range map[string]string{"document": document, "base64": token.Reveal()} {
				sign := signed(t, key, hash, text)
				broken := "\n" + sign[:64] + "\r\n\t " + sign[64:] + "\n"
				bare := wsfev1.Secret(strings.TrimRight(sign.Reveal(), "="))
				for _, s := range []wsfev1.Secret{sign, broken, bare} {
					if err := wsaa.VerifySign(certificate, token, s); err != nil {
						t.Errorf("%d bits, %v over the %s: %v", bits, hash, form, err)
					}
				}
				if err := wsaa.VerifySign(certificate, token[:64]+"\r\n "+token[64:], sign); err != nil {
					t.Errorf("%d bits, %v over the %s, token in lines: %v", bits, hash, form, err)
				}
			}
		}
	}
}

func TestASignThatDoesNotBelongToTheTokenIsRefused(t *testing.T) {
	key, other := rsaKey(t, 2048), rsaKey(t, 2048)
	document, token := goodDocument(), tokenOf(goodDocument())
	sign := signed(t, key, crypto.SHA256, document)
	changed := tokenOf(strings.Replace(document, "20111111112\" reltype", "20111111113\" reltype", 1))
	flipped := []byte(sign)
	flipped[10] ^= 'A' ^ 'B'
	for name, c := range map[string]struct{ token, sign wsfev1.Secret }{
		"of another key":        {token, signed(t, other, crypto.SHA256, document)},
		"of another document":   {token, signed(t, key, crypto.SHA256, document+" ")},
		"of a changed token":    {changed, sign},
		"of a longer token":     {tokenOf(document + " "), sign},
		"changed":               {token, wsfev1.Secret(flipped)},
		"cut":                   {token, sign[:len(sign)-8]},
		"with another hash":     {token, signed(t, key, crypto.SHA512, document)},
		"with another padding":  {token, signed(t, key, &rsa.PSSOptions{Hash: crypto.SHA256}, document)},
		"none":                  {token, ""},
		"no base64":             {token, "!" + sign[1:]},
		"token no base64":       {"!" + token[1:], sign},
		"no token":              {"", sign},
		"of more than 4 KiB":    {token, sign + wsfev1.Secret(strings.Repeat(" ", 4<<10))},
		"token of more than 1M": {token + wsfev1.Secret(strings.Repeat(" ", 1<<20)), sign},
	} {
		err := wsaa.VerifySign(authority(t, key), c.token, c.sign)
		if !errors.Is(err, wsaa.ErrSign) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && secretsIn(err.Error(), c.token, c.sign) != "" {
			t.Errorf("%s: a part of a credential is in: %v", name, err)
		}
	}
}

func TestACertificateThatCannotSignTicketsIsNotTheTokensFault(t *testing.T) {
	elliptic256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	short := &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 1022), E: 65537}
	document, token := goodDocument(), tokenOf(goodDocument())
	sign := signed(t, rsaKey(t, 2048), crypto.SHA256, document)
	for want, certificate := range map[string]*x509.Certificate{
		"no certificate":     nil,
		"of type ECDSA":      authority(t, elliptic256),
		"of type Ed25519":    authority(t, edwards),
		"a key of 1023 bits": {PublicKey: short},
		"of type 0, not RSA": {},
	} {
		err := wsaa.VerifySign(certificate, token, sign)
		if err == nil || errors.Is(err, wsaa.ErrSign) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if err != nil && secretsIn(err.Error(), token, sign) != "" {
			t.Errorf("a part of a credential is in: %v", err)
		}
	}
}

// secretsIn returns a part of a credential that is in the text.
func secretsIn(text string, secrets ...wsfev1.Secret) string {
	const window = 8
	for _, s := range secrets {
		for i := range max(0, len(s)-window+1) {
			if part := s.Reveal()[i : i+window]; strings.Contains(text, part) {
				return part
			}
		}
	}
	return ""
}

func TestNoPartOfATokenIsInWhatATicketTells(t *testing.T) {
	document := strings.NewReplacer("CN=fielato", "CN=MARKER-uid", "1234567890", "987MARKER", "wsaahomo", "MARKER-src",
		"reltype=\"4\"", "reltype=\"MARKER\"").Replace(ssoDocument("wsfex", ticketBorn, ticketDies, ticketHolder))
	token := tokenOf(document)
	ticket, ok := wsaa.ReadTicket(token)
	if !ok {
		t.Fatal("not readable")
	}
	told := fmt.Sprintf("%+v %#v", ticket, *ticket)
	for _, now := range []time.Time{ticketBorn.Add(-time.Hour), ticketBorn, ticketDies.Add(time.Hour)} {
		told += ticket.Refusal(ticketHolder, now)
	}
	ticket.Service = "wsfe"
	told += ticket.Refusal(30333333313, ticketBorn)
	if strings.Contains(told, "MARKER") || secretsIn(told, token) != "" {
		t.Errorf("a part of the token is in: %s", told)
	}
}
