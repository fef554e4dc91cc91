package cms_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"io"
	"testing"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/internal/cms"
)

// device is a key that only signs, as one in a token or a key service.
type device struct{ key *rsa.PrivateKey }

func (d device) Public() crypto.PublicKey { return d.key.Public() }

func (d device) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	return d.key.Sign(random, digest, options)
}

// messages is a device that computes digests itself.
type messages struct{ device }

func (*messages) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return nil, errDevice }

// SignMessage implements crypto.MessageSigner.
func (m *messages) SignMessage(random io.Reader, message []byte, options crypto.SignerOpts) ([]byte, error) {
	digest := sha256.Sum256(message)
	return m.device.Sign(random, digest[:], options)
}

// TestWhatIsSignedIsVerified, with the certificate inside and SHA-256, from a key in memory and from
// one in a device.
func TestWhatIsSignedIsVerified(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for name, key := range map[string]crypto.Signer{"memory": client.Key, "device": device{wsaatest.SharedKey(t)}, "whole messages": &messages{device{wsaatest.SharedKey(t)}}} {
		message, err := cms.Sign(content, client.Certificate, key)
		if err != nil {
			t.Fatal(name, err)
		}
		signed, err := cms.Verify(message)
		if err != nil || !bytes.Equal(signed.Content, content) || !signed.Signer.Equal(client.Certificate) || len(signed.Certificates) != 1 {
			t.Errorf("%s: %+v, %v", name, signed, err)
		}
		digest := sha256.Sum256(content)
		if !bytes.Contains(message, digest[:]) {
			t.Errorf("%s: no SHA-256 of the content", name)
		}
	}
}

// TestAKeyThatCannotSignIsRefused before anything is signed with it.
func TestAKeyThatCannotSignIsRefused(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	another, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		client *wsaatest.Client
		key    crypto.Signer
	}{
		"elliptic": {wsaatest.NewClient(t, wsaatest.Spec{Key: curve}), curve},
		"another":  {client, another},
	} {
		message, err := cms.Sign(content, test.client.Certificate, test.key)
		if message != nil || !errors.Is(err, cms.ErrKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// brokenDevice cannot be reached.
type brokenDevice struct{ device }

var errDevice = errors.New("no device")

func (brokenDevice) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return nil, errDevice }

// brokenMessages cannot be reached either.
type brokenMessages struct{ device }

func (brokenMessages) SignMessage(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errDevice
}

// TestADeviceThatFailsIsAnError, its own.
func TestADeviceThatFailsIsAnError(t *testing.T) {
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for _, key := range []crypto.Signer{brokenDevice{device{wsaatest.SharedKey(t)}}, brokenMessages{device{wsaatest.SharedKey(t)}}} {
		if message, err := cms.Sign(content, client.Certificate, key); message != nil || !errors.Is(err, errDevice) {
			t.Error(err)
		}
	}
}
