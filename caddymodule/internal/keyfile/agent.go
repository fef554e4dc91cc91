package keyfile

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/sshagent"
)

// secretSuffix ends the name of the file from which other keys are derived while an ssh-agent has the log's own.
const secretSuffix = ".secret"

// Agent is the private key of a log that an ssh-agent has.
type Agent struct {
	key *sshagent.Key
	// secret is the path of a file, made when it is first needed; empty if there is no place for it.
	secret string
}

// NewAgent reads an option that names a key in an ssh-agent. fallback is the store's own file of a key, beside which a log
// keeps more; empty for none.
func NewAgent(option, fallback string) (*Agent, error) {
	key, err := sshagent.Parse(option, directive.ResolvePath)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	a := &Agent{key: key}
	if fallback != "" {
		a.secret = fallback + secretSuffix
	}
	return a, nil
}

// String returns the option, with the path of the socket; empty for nil.
func (a *Agent) String() string {
	if a == nil {
		return ""
	}
	return a.key.String()
}

// Is reports whether the key is the one of a log's public key. It does not ask the agent.
func (a *Agent) Is(verifier string) bool {
	public, err := audit.PublicKey(verifier)
	return err == nil && a.key.Is(public)
}

// Look asks the agent for the key's public half. It has nothing signed.
func (a *Agent) Look() (ed25519.PublicKey, error) {
	public, err := a.key.Public()
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return ofLog(a.key, public)
}

func ofLog(key *sshagent.Key, public crypto.PublicKey) (ed25519.PublicKey, error) {
	if own, ok := public.(ed25519.PublicKey); ok {
		return own, nil
	}
	return nil, fmt.Errorf("key: %w: a log is signed with Ed25519, and %s is a %T: make one with ssh-keygen -t ed25519", sshagent.ErrType, key.Fingerprint, public)
}

// Open returns the key for a log. The agent must have it. known is the log's public key, empty if it was never signed:
// the key gets the log's origin as its name then.
func (a *Agent) Open(log, origin, known string) (*audit.Key, error) {
	if known != "" && !a.Is(known) {
		return nil, fmt.Errorf("the log %s is signed with the key %s, but %s was given: give the one it began with", log, known, a)
	}
	public, err := a.Look()
	if err != nil {
		return nil, err
	}
	if known == "" {
		if known, err = audit.VerifierOf(origin, public); err != nil {
			return nil, err
		}
	}
	return audit.ExternalKey(known, func(message []byte) ([]byte, error) { return a.key.Sign(public, message) })
}

// Secret returns what other keys are derived from: the content of a file, as the agent shows nothing secret.
func (a *Agent) Secret() ([]byte, error) {
	const what = "the secret that seals tickets"
	if a.secret == "" {
		return nil, errors.New("there is no place for " + what + ": set encryption_key")
	}
	parse := func(text string) ([]byte, error) {
		if len(text) < 32 {
			return nil, errors.New("this is too short for a secret: put its copy back, or remove it for a new one")
		}
		return []byte(text), nil
	}
	secret, err := Read(what, a.secret, parse)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if _, err := Make(what, a.secret, []byte(rand.Text()+rand.Text()+"\n")); err != nil {
		return nil, err
	}
	return Read(what, a.secret, parse) // another process may have been faster
}
