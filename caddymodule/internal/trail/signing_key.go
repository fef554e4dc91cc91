package trail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/logorigin"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/internal/sshagent"
)

// VerifierKey is the name under which a store keeps the public key of its log. A log without one
// was never signed. Where a store holds the logs of several gateways, the log's name follows.
const VerifierKey = "verifier-key"

// VerifierKeyOf returns VerifierKey for one log of several.
func VerifierKeyOf(log string) string { return VerifierKey + "/" + log }

// PrivatePrefix is how the text of a private key begins.
const PrivatePrefix = "PRIVATE+KEY+"

// KeySource is where the private key of a log comes from. It is resolved from the configuration
// and never part of it.
type KeySource struct {
	File   string       // made at first start
	used   keyfile.Used // names the logs that the key has signed
	origin logorigin.Option
	key    *audit.Key     // from a placeholder, nil if there is a file
	agent  *keyfile.Agent // nil if this process has the key
}

// newKeySource reads the option key, of which fallback is the default. It refuses the key itself: Caddy's admin API would show it,
// and its autosave keep it.
func newKeySource(option, fallback string) (KeySource, error) {
	if strings.HasPrefix(option, PrivatePrefix) {
		return KeySource{}, errors.New("key: a private key must not be in the configuration: give its file, {env.NAME} or {file.PATH}")
	}
	if option == "" {
		if fallback == "" {
			return KeySource{}, errors.New("key: this store has no place for the private key of its log: give a file, {env.NAME} or {file.PATH}")
		}
		return KeySource{File: fallback, used: keyfile.UsedOf(fallback)}, nil
	}
	if sshagent.IsOption(option) {
		return KeyIn(option, fallback)
	}
	// The error names the placeholder, never its value.
	value, err := directive.Resolve(option)
	if err != nil {
		return KeySource{}, fmt.Errorf("key %s: %w", option, err)
	}
	if value = strings.TrimSpace(value); strings.HasPrefix(value, PrivatePrefix) {
		key, err := audit.ParseKey(value)
		if err != nil {
			return KeySource{}, fmt.Errorf("key %s: %w", option, err)
		}
		return KeySource{key: key, used: keyfile.UsedOf(fallback)}, nil
	}
	if strings.HasPrefix(option, "{file.") {
		return KeySource{}, fmt.Errorf("key %s: the file has no private key of a log", option)
	}
	path, err := filepath.Abs(value)
	if err != nil {
		return KeySource{}, fmt.Errorf("key %s: %w", option, err)
	}
	return KeySource{File: path, used: keyfile.UsedOf(path)}, nil
}

// KeyIn returns the key in a file, or in the ssh-agent that an option names. fallback is the store's own file.
func KeyIn(file, fallback string) (KeySource, error) {
	if !sshagent.IsOption(file) {
		return KeySource{File: file}, nil
	}
	agent, err := keyfile.NewAgent(file, fallback)
	return KeySource{agent: agent, used: keyfile.UsedOf(fallback)}, err
}

// SigningKey returns the public key of the private key that the option key names, and the file
// that holds it; no file if it comes from a placeholder. fallback is the store's own file.
func SigningKey(option, fallback string) (verifier, file string, err error) {
	source, err := newKeySource(option, fallback)
	if err != nil {
		return "", "", err
	}
	if source.agent != nil {
		return "", "", errors.New("an ssh-agent has the key")
	}
	verifier, err = source.verifier()
	return verifier, source.File, err
}

// Tip returns the file with the newest checkpoint of a log, beside the key.
func (s KeySource) Tip(log string) sentinel.Tip { return sentinel.TipOf(s.used.Key(), log) }

// verifier returns the public key. It makes no key.
func (s KeySource) verifier() (string, error) {
	if s.key != nil {
		return s.key.Verifier(), nil
	}
	key, err := readKey(s.File)
	if err != nil {
		return "", err
	}
	return key.Verifier(), nil
}

// matcher returns a function that reports whether a public key is that of the private key. It asks no agent.
func (s KeySource) matcher() (func(verifier string) bool, error) {
	if s.agent != nil {
		return s.agent.Is, nil
	}
	own, err := s.verifier()
	return func(verifier string) bool { return verifier == own }, err
}

// named names the key in errors: by its public half, or by its agent.
func (s KeySource) named() string {
	if s.agent != nil {
		return s.agent.String()
	}
	verifier, err := s.verifier()
	if err != nil {
		return s.File
	}
	return verifier
}

// Open returns the key of a log, and whether the log was never signed. A signed log must
// continue with the same key: with a new key, one could write a new history.
func (s KeySource) Open(ctx context.Context, store audit.Store, log string) (key *audit.Key, first bool, err error) {
	known, err := KnownVerifier(ctx, store, log)
	if err != nil {
		return nil, false, err
	}
	origin := cmp.Or(string(s.origin), audit.Origin(log))
	switch key = s.key; {
	case s.agent != nil:
		if key, err = s.agent.Open(log, origin, known); err != nil {
			return nil, false, err
		}
	case key == nil:
		key, err = readKey(s.File)
		if errors.Is(err, fs.ErrNotExist) {
			if known != "" {
				return nil, false, fmt.Errorf("the private key of the log %s is not at %s: put it back, its public key is %s", log, s.File, known)
			}
			key, err = makeKey(s.File, origin)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if known != "" && known != key.Verifier() {
		return nil, false, fmt.Errorf("the log %s is signed with the key %s, but %s was given: give the one it began with", log, known, key.Verifier())
	}
	if known == "" {
		err = s.origin.CheckKey(key)
	}
	return key, known == "", err
}

// errUnsigned: the store has no public key yet.
var errUnsigned = errors.New("the log was never signed")

// KnownVerifier returns the public key of a log, empty if it was never signed.
func KnownVerifier(ctx context.Context, store audit.Store, log string) (string, error) {
	for _, name := range []string{VerifierKeyOf(log), VerifierKey} {
		value, err := store.Secret(ctx, name, func() ([]byte, error) { return nil, errUnsigned })
		if err == nil {
			return string(value), nil
		}
		if !errors.Is(err, errUnsigned) {
			return "", fmt.Errorf("reading the log's public key: %w", err)
		}
	}
	return "", nil
}

// keepVerifier stores the public key. It runs after the first checkpoint is durable: a start
// that was interrupted before is a first start again.
func keepVerifier(ctx context.Context, store audit.Store, name string, key *audit.Key) error {
	kept, err := store.Secret(ctx, name, func() ([]byte, error) { return []byte(key.Verifier()), nil })
	if err == nil && !bytes.Equal(kept, []byte(key.Verifier())) {
		err = fmt.Errorf("another gateway has signed it with %s", kept)
	}
	if err != nil {
		return fmt.Errorf("keeping the log's public key: %w", err)
	}
	return nil
}

// readKey reads the private key of a log.
func readKey(file string) (*audit.Key, error) {
	return keyfile.Read("the private key", file, audit.ParseKey)
}

// makeKey writes a new key to the file. It never replaces one: two processes that start at the same
// time both get the key of the first. The key is durable before anything is signed with it.
func makeKey(file, origin string) (*audit.Key, error) {
	key, err := audit.NewOriginKey(rand.Reader, origin)
	if err != nil {
		return nil, err
	}
	made, err := keyfile.Make("the private key of the log", file, []byte(key.Private()+"\n"))
	if err != nil {
		return nil, err
	}
	if !made {
		return readKey(file)
	}
	return key, nil
}
