package sshagent_test

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/fielato/fielato/internal/sshagent"
	"github.com/fielato/fielato/internal/sshagent/agenttest"
)

var message = []byte("fielato/gw-1\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")

func as(path string) (string, error) { return path, nil }

// TestAnAgentSigns with Ed25519 and RSA, and again after it was started again.
func TestAnAgentSigns(t *testing.T) {
	a := agenttest.New(t)
	file, fingerprint := a.NewKey("ed25519")
	key := &sshagent.Key{Socket: a.Socket, Fingerprint: fingerprint}
	public, err := key.Public()
	if err != nil {
		t.Fatal(err)
	}
	if !key.Is(public) {
		t.Error("it is not its own key")
	}
	wantSigned := func() {
		t.Helper()
		signature, err := key.Sign(public, message)
		if err != nil || !ed25519.Verify(public.(ed25519.PublicKey), message, signature) {
			t.Fatalf("%d bytes, %v", len(signature), err)
		}
	}
	wantSigned()
	a.Stop()
	if _, err := key.Sign(public, message); !errors.Is(err, sshagent.ErrUnreachable) || !strings.Contains(err.Error(), a.Socket) {
		t.Errorf("when it is killed: %v", err)
	}
	a.Start()
	other, another := a.NewKey("ecdsa")
	if _, err := key.Sign(public, message); !errors.Is(err, sshagent.ErrNoKey) || !strings.Contains(err.Error(), another) || !strings.Contains(err.Error(), "fielato of ecdsa") {
		t.Errorf("when it has another key, %s: %v", other, err)
	}
	a.Add(file)
	wantSigned()

	secret, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signer := (&sshagent.Key{Socket: a.Socket, Fingerprint: a.AddKey(secret)}).With(secret.Public())
	wantRSA(t, signer, &secret.PublicKey)
	if _, err := signer.Sign(rand.Reader, make([]byte, 32), crypto.SHA256); err == nil {
		t.Error("a digest was signed")
	}
	if _, err := signer.SignMessage(rand.Reader, message, crypto.SHA512); !errors.Is(err, sshagent.ErrType) {
		t.Errorf("with SHA-512: %v", err)
	}
	a.RemoveAll()
	if _, err := key.Public(); !errors.Is(err, sshagent.ErrNoKey) || !strings.Contains(err.Error(), "none, or it is locked") {
		t.Errorf("without keys: %v", err)
	}
}

func wantRSA(t *testing.T, signer crypto.MessageSigner, public *rsa.PublicKey) {
	t.Helper()
	signature, err := signer.SignMessage(rand.Reader, message, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(message)
	if err := rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature); err != nil {
		t.Error(err)
	}
}

// TestATokenSigns: OpenSSH's helper for PKCS #11 has the key sign that is in a token.
func TestATokenSigns(t *testing.T) {
	a := agenttest.New(t)
	secret, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	wantRSA(t, (&sshagent.Key{Socket: a.Socket, Fingerprint: a.AddToken(secret)}).With(secret.Public()), &secret.PublicKey)
}

// liar is an agent that has a key and signs with another, or another message.
type liar struct {
	agent.ExtendedAgent
	sign func(data []byte) (*ssh.Signature, error)
}

func (l liar) SignWithFlags(_ ssh.PublicKey, data []byte, _ agent.SignatureFlags) (*ssh.Signature, error) {
	return l.sign(data)
}

func (l liar) Sign(_ ssh.PublicKey, data []byte) (*ssh.Signature, error) { return l.sign(data) }

// TestAWrongAnswerNeverGetsOut: signatures of other keys and messages, answers that are cut or are none, silence.
func TestAWrongAnswerNeverGetsOut(t *testing.T) {
	public, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring().(agent.ExtendedAgent)
	if err := ring.Add(agent.AddedKey{PrivateKey: secret}); err != nil {
		t.Fatal(err)
	}
	lying := func(sign func(data []byte) *ssh.Signature) func(net.Conn) {
		return func(c net.Conn) {
			_ = agent.ServeAgent(liar{ring, func(data []byte) (*ssh.Signature, error) {
				signature := sign(data)
				if signature == nil {
					return nil, errors.New("no")
				}
				return signature, nil
			}}, c)
		}
	}
	raw := func(answer string, length uint32) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = c.Write(append(binary.BigEndian.AppendUint32(nil, length), answer...))
		}
	}
	for name, test := range map[string]struct {
		answer func(net.Conn)
		want   error
	}{
		"another key's signature": {lying(func(data []byte) *ssh.Signature {
			return &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: ed25519.Sign(other, data)}
		}), sshagent.ErrForged},
		"of another message": {lying(func([]byte) *ssh.Signature {
			return &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: ed25519.Sign(secret, []byte("another"))}
		}), sshagent.ErrForged},
		"of another form": {lying(func(data []byte) *ssh.Signature {
			return &ssh.Signature{Format: ssh.KeyAlgoRSASHA256, Blob: ed25519.Sign(secret, data)}
		}), sshagent.ErrForged},
		"too short": {lying(func(data []byte) *ssh.Signature {
			return &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: ed25519.Sign(secret, data)[:63]}
		}), sshagent.ErrForged},
		"with bytes behind it": {lying(func(data []byte) *ssh.Signature {
			return &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: append(ed25519.Sign(secret, data), 0)}
		}), sshagent.ErrForged},
		"empty":             {lying(func([]byte) *ssh.Signature { return &ssh.Signature{Format: ssh.KeyAlgoED25519} }), sshagent.ErrForged},
		"a refusal":         {lying(func([]byte) *ssh.Signature { return nil }), sshagent.ErrRefused},
		"a cut answer":      {raw("\x0e\x00\x00", 80), sshagent.ErrUnreachable},
		"a huge answer":     {raw("\x0e", 1<<31), sshagent.ErrUnreachable},
		"an empty answer":   {raw("", 0), sshagent.ErrUnreachable},
		"another protocol":  {func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.2\r\n") }, sshagent.ErrUnreachable},
		"a closed door":     {func(net.Conn) {}, sshagent.ErrUnreachable},
		"silence":           {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, sshagent.ErrUnreachable},
		"half, and silence": {func(c net.Conn) { _, _ = c.Write([]byte{0, 0, 0}); _, _ = io.Copy(io.Discard, c) }, sshagent.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			key := &sshagent.Key{Socket: agenttest.Lying(t, test.answer), Fingerprint: sshagent.FingerprintOf(public), Limit: 300 * time.Millisecond}
			began := time.Now()
			signature, err := key.Sign(public, message)
			if signature != nil || !errors.Is(err, test.want) {
				t.Errorf("%x, %v", signature, err)
			}
			if took := time.Since(began); took > 20*key.Limit {
				t.Errorf("it took %s", took)
			}
			if strings.Contains(name, "silence") && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestOptionsNameAKey.
func TestOptionsNameAKey(t *testing.T) {
	fingerprint := "SHA256:" + strings.Repeat("a", 43)
	for _, socket := range []string{"/run/fielato/agent.sock", "/run/a folder/agent"} {
		key, err := sshagent.Parse(sshagent.Option(socket, fingerprint), as)
		if err != nil || key.Socket != socket || key.Fingerprint != fingerprint || key.String() != sshagent.Option(socket, fingerprint) {
			t.Errorf("%+v, %v", key, err)
		}
	}
	for _, wrong := range []string{"agent /run/agent", "agent " + fingerprint, "agent /run/agent MD5:aa", "agent /run/agent " + fingerprint[:40], "agent  " + fingerprint, "agent /run/agent " + strings.ToLower(fingerprint)} {
		if key, err := sshagent.Parse(wrong, as); err == nil {
			t.Errorf("%s: %+v", wrong, key)
		}
	}
	if sshagent.IsOption("/agent /x") || sshagent.IsOption("agent") || sshagent.IsOption("agents x y") {
		t.Error("a path is taken for an agent")
	}
}

// BenchmarkSign measures what a checkpoint costs more.
func BenchmarkSign(b *testing.B) {
	a := agenttest.New(b)
	_, fingerprint := a.NewKey("ed25519")
	key := &sshagent.Key{Socket: a.Socket, Fingerprint: fingerprint}
	public, err := key.Public()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := key.Sign(public, message); err != nil {
			b.Fatal(err)
		}
	}
}
