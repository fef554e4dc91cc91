package sshagent

import (
	"cmp"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// maxListed is how many keys of an agent an error lists.
const maxListed = 10

// session is a connection to the agent, good until its deadline.
type session struct {
	agent.ExtendedAgent
	key  *Key
	conn *watched
}

// watched is a connection that remembers its first error: the client's own errors do not wrap it.
type watched struct {
	net.Conn
	err error
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (n int, err error) {
	n, err = w.Conn.Read(p)
	w.note(err)
	return n, err
}

// Write implements io.Writer.
func (w *watched) Write(p []byte) (n int, err error) {
	n, err = w.Conn.Write(p)
	w.note(err)
	return n, err
}

func (w *watched) note(err error) {
	if w.err == nil && err != nil {
		if w.err = err; errors.Is(err, io.EOF) {
			w.err = errClosed
		}
	}
}

// errClosed: the agent ended, or is none.
var errClosed = errors.New("it has closed the connection")

// open connects with the agent.
func (k *Key) open() (*session, error) {
	limit := cmp.Or(k.Limit, Limit)
	end := time.Now().Add(limit)
	conn, err := (&net.Dialer{Deadline: end}).Dial("unix", k.Socket)
	if err != nil {
		return nil, k.unreachable(err)
	}
	if err := conn.SetDeadline(end); err != nil {
		return nil, errors.Join(k.unreachable(err), conn.Close())
	}
	// Without Close the client starts no goroutine, and ends with the connection.
	w := &watched{Conn: conn}
	return &session{agent.NewClient(struct{ io.ReadWriter }{w}), k, w}, nil
}

func (s *session) close() { _ = s.conn.Close() }

// unreachable explains an error of the connection.
func (k *Key) unreachable(err error) error {
	cure := "start it, and let this process reach its socket"
	switch {
	case errors.Is(err, os.ErrPermission):
		cure = "let this process's user reach the socket"
	case errors.Is(err, os.ErrDeadlineExceeded):
		cure = fmt.Sprintf("nothing came within %s: it may wait for a touch or a confirmation, so give it a key that needs none", cmp.Or(k.Limit, Limit))
	}
	return fmt.Errorf("%w at %s: %w: %s", ErrUnreachable, k.Socket, err, cure)
}

// find returns the key of the agent with the fingerprint.
func (s *session) find() (*agent.Key, error) {
	all, err := s.List()
	if err != nil {
		return nil, s.key.unreachable(cmp.Or(s.conn.err, err))
	}
	var has []string
	for _, one := range all {
		if ssh.FingerprintSHA256(one) == s.key.Fingerprint {
			return one, nil
		}
		if len(has) < maxListed {
			has = append(has, fmt.Sprintf("%s (%s, %.40q)", ssh.FingerprintSHA256(one), one.Type(), one.Comment))
		}
	}
	if has == nil {
		has = []string{"none, or it is locked"}
	}
	return nil, fmt.Errorf("%w %s at %s: add it with ssh-add, or name one that it has: %s", ErrNoKey, s.key.Fingerprint, s.key.Socket, strings.Join(has, ", "))
}

// Public returns the public half of the key. It asks the agent, which signs nothing for that.
func (k *Key) Public() (crypto.PublicKey, error) {
	s, err := k.open()
	if err != nil {
		return nil, err
	}
	defer s.close()
	found, err := s.find()
	if err != nil {
		return nil, err
	}
	parsed, err := ssh.ParsePublicKey(found.Blob)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is of type %s", ErrType, k.Fingerprint, found.Format)
	}
	plain, ok := parsed.(ssh.CryptoPublicKey)
	if !ok {
		return nil, fmt.Errorf("%w: %s is of type %s", ErrType, k.Fingerprint, found.Format)
	}
	return plain.CryptoPublicKey(), nil
}

// Sign returns the signature of a message by the key with this public half: 64 bytes of Ed25519, or RSA PKCS #1 v1.5 with
// SHA-256. It is verified. Errors wrap one of those of this package.
func (k *Key) Sign(public crypto.PublicKey, message []byte) ([]byte, error) {
	algorithm, err := algorithmOf(public)
	if err != nil {
		return nil, err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrType, err)
	}
	s, err := k.open()
	if err != nil {
		return nil, err
	}
	defer s.close()
	var flags agent.SignatureFlags
	if algorithm == ssh.KeyAlgoRSASHA256 {
		flags = agent.SignatureFlagRsaSha256
	}
	signature, err := s.SignWithFlags(key, message, flags)
	if err != nil {
		return nil, s.explain(err)
	}
	if signature.Format != algorithm || key.Verify(message, signature) != nil {
		return nil, fmt.Errorf("%w: %s at %s", ErrForged, k.Fingerprint, k.Socket)
	}
	return padded(public, signature.Blob), nil
}

// explain returns why the agent has not signed: the connection, the key, or the agent's own reasons.
func (s *session) explain(err error) error {
	if s.conn.err != nil {
		return s.key.unreachable(s.conn.err)
	}
	if _, missing := s.find(); missing != nil {
		return missing
	}
	return fmt.Errorf("%w with %s at %s: %w: a key that asks for a confirmation cannot be used", ErrRefused, s.key.Fingerprint, s.key.Socket, err)
}

// padded returns a signature by RSA as long as its modulus: ssh leaves zeros at its beginning away.
func padded(public crypto.PublicKey, signature []byte) []byte {
	of, ok := public.(*rsa.PublicKey)
	if !ok || len(signature) >= of.Size() {
		return signature
	}
	return append(make([]byte, of.Size()-len(signature)), signature...)
}

// errDigest: an agent computes digests itself.
var errDigest = errors.New("an ssh-agent signs messages, not their digests")

// Signer is a key in an agent whose public half is known. It implements crypto.MessageSigner.
type Signer struct {
	key    *Key
	public crypto.PublicKey
}

// With returns the signer of the key with this public half.
func (k *Key) With(public crypto.PublicKey) *Signer { return &Signer{k, public} }

// Public implements crypto.Signer.
func (s *Signer) Public() crypto.PublicKey { return s.public }

// Sign implements crypto.Signer. It always fails: SignMessage signs.
func (s *Signer) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return nil, errDigest }

// SignMessage implements crypto.MessageSigner, with SHA-256 for RSA.
func (s *Signer) SignMessage(_ io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if _, ok := s.public.(*rsa.PublicKey); ok && (opts == nil || opts.HashFunc() != crypto.SHA256) {
		return nil, fmt.Errorf("%w: RSA with another digest than SHA-256", ErrType)
	}
	return s.key.Sign(s.public, message)
}

// Interface guard
var _ crypto.MessageSigner = (*Signer)(nil)
