package sshagent

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Limit bounds how long a signature is waited for.
const Limit = 10 * time.Second

// The errors of a key.
var (
	// ErrUnreachable: nobody answers at the socket, or not as an agent does.
	ErrUnreachable = errors.New("the ssh-agent does not answer")
	// ErrNoKey: the agent has not the key.
	ErrNoKey = errors.New("the ssh-agent does not have the key")
	// ErrRefused: the agent has the key and does not sign.
	ErrRefused = errors.New("the ssh-agent refuses to sign")
	// ErrForged: the agent's answer is no signature by the key.
	ErrForged = errors.New("the ssh-agent has answered with a signature that is not by the key, which was thrown away")
	// ErrType: the key is of a kind that does not sign what it should.
	ErrType = errors.New("the key is of another type")
)

// Key is a key in an ssh-agent. It is safe for concurrent use.
type Key struct {
	// Socket is the path of the agent's Unix socket.
	Socket string
	// Fingerprint names the public key, as ssh-add -l shows it: SHA256:….
	Fingerprint string
	// Limit is how long a signature is waited for, Limit if it is 0.
	Limit time.Duration
}

// word begins an option that names a key in an agent.
const word = "agent"

// form is the fingerprint of a key: 32 bytes in base64 without padding.
var form = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)

// IsOption reports whether the value of an option names a key in an agent: "agent <socket> <fingerprint>".
func IsOption(value string) bool { return strings.HasPrefix(value, word+" ") }

// Option is the value of an option that names the key of a socket and a fingerprint.
func Option(socket, fingerprint string) string { return word + " " + socket + " " + fingerprint }

// Parse reads the value of an option. resolve replaces the placeholders of the socket's path.
func Parse(value string, resolve func(path string) (string, error)) (*Key, error) {
	rest := strings.TrimPrefix(value, word+" ")
	last := strings.LastIndexByte(rest, ' ')
	if !IsOption(value) || last < 1 {
		return nil, errors.New("give the socket of the agent and the fingerprint of the key: agent /run/fielato/agent.sock SHA256:…")
	}
	fingerprint := strings.TrimSpace(rest[last+1:])
	if !form.MatchString(fingerprint) {
		return nil, fmt.Errorf("%q is not the fingerprint of a key: give the one that ssh-add -l shows, SHA256: and 43 characters", fingerprint)
	}
	socket, err := resolve(strings.TrimSpace(rest[:last]))
	if err != nil {
		return nil, err
	}
	if socket, err = filepath.Abs(socket); err != nil {
		return nil, err
	}
	return &Key{Socket: socket, Fingerprint: fingerprint}, nil
}

// String returns the value of an option that names the key, empty for none.
func (k *Key) String() string {
	if k == nil {
		return ""
	}
	return Option(k.Socket, k.Fingerprint)
}

// Is reports whether this is the key with a public half. It does not ask the agent.
func (k *Key) Is(public crypto.PublicKey) bool { return FingerprintOf(public) == k.Fingerprint }

// FingerprintOf returns the fingerprint of a public key, empty if ssh has no such keys.
func FingerprintOf(public crypto.PublicKey) string {
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return ""
	}
	return ssh.FingerprintSHA256(key)
}

// algorithmOf returns the name of the signatures that a public key makes, of those that are asked for here.
func algorithmOf(public crypto.PublicKey) (string, error) {
	switch public.(type) {
	case ed25519.PublicKey:
		return ssh.KeyAlgoED25519, nil
	case *rsa.PublicKey:
		return ssh.KeyAlgoRSASHA256, nil
	}
	return "", fmt.Errorf("%w: %T", ErrType, public)
}
