package signingkey

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

// Source is where the private key of a log comes from. It is resolved from the configuration
// and never part of it.
type Source struct {
	File   string       // made at first start
	used   keyfile.Used // names the logs that the key has signed
	Origin Origin
	key    *audit.Key     // from a placeholder, nil if there is a file
	agent  *keyfile.Agent // nil if this process has the key
}

// New reads the option key, of which fallback is the default. It refuses the key itself: Caddy's admin API would show it,
// and its autosave keep it.
func New(option, fallback string) (Source, error) {
	if strings.HasPrefix(option, PrivatePrefix) {
		return Source{}, errors.New("key: a private key must not be in the configuration: give its file, {env.NAME} or {file.PATH}")
	}
	if option == "" {
		if fallback == "" {
			return Source{}, errors.New("key: this store has no place for the private key of its log: give a file, {env.NAME} or {file.PATH}")
		}
		return Source{File: fallback, used: keyfile.UsedOf(fallback)}, nil
	}
	if sshagent.IsOption(option) {
		return In(option, fallback)
	}
	// The error names the placeholder, never its value.
	value, err := directive.Resolve(option)
	if err != nil {
		return Source{}, fmt.Errorf("key %s: %w", option, err)
	}
	if value = strings.TrimSpace(value); strings.HasPrefix(value, PrivatePrefix) {
		key, err := audit.ParseKey(value)
		if err != nil {
			return Source{}, fmt.Errorf("key %s: %w", option, err)
		}
		return Source{key: key, used: keyfile.UsedOf(fallback)}, nil
	}
	if strings.HasPrefix(option, "{file.") {
		return Source{}, fmt.Errorf("key %s: the file has no private key of a log", option)
	}
	path, err := filepath.Abs(value)
	if err != nil {
		return Source{}, fmt.Errorf("key %s: %w", option, err)
	}
	return Source{File: path, used: keyfile.UsedOf(path)}, nil
}

// In returns the key in a file, or in the ssh-agent that an option names. fallback is the store's own file.
func In(file, fallback string) (Source, error) {
	if !sshagent.IsOption(file) {
		return Source{File: file}, nil
	}
	agent, err := keyfile.NewAgent(file, fallback)
	return Source{agent: agent, used: keyfile.UsedOf(fallback)}, err
}

// Public returns the public key of the private key that the option key names, and the file
// that holds it; no file if it comes from a placeholder. fallback is the store's own file.
func Public(option, fallback string) (verifier, file string, err error) {
	source, err := New(option, fallback)
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
func (s Source) Tip(log string) sentinel.Tip { return sentinel.TipOf(s.used.Key(), log) }

// verifier returns the public key. It makes no key.
func (s Source) verifier() (string, error) {
	if s.key != nil {
		return s.key.Verifier(), nil
	}
	key, err := readKey(s.File)
	if err != nil {
		return "", err
	}
	return key.Verifier(), nil
}

// Matcher returns a function that reports whether a public key belongs to the private key. It asks no agent.
func (s Source) Matcher() (func(verifier string) bool, error) {
	if s.agent != nil {
		return s.agent.Is, nil
	}
	own, err := s.verifier()
	return func(verifier string) bool { return verifier == own }, err
}

// Named names the key in errors: by its public half, or by its agent.
func (s Source) Named() string {
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
func (s Source) Open(ctx context.Context, store audit.Store, log string) (key *audit.Key, first bool, err error) {
	known, err := KnownVerifier(ctx, store, log)
	if err != nil {
		return nil, false, err
	}
	origin := cmp.Or(string(s.Origin), audit.Origin(log))
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
		err = s.Origin.CheckKey(key)
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

// KeepVerifier stores the public key. It runs after the first checkpoint is durable: a start
// that was interrupted before is a first start again.
func KeepVerifier(ctx context.Context, store audit.Store, name string, key *audit.Key) error {
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

// Agent names the ssh-agent that has the key, empty if this process has it.
func (s Source) Agent() string { return s.agent.String() }

// Secret returns a secret from which other keys may be derived: the private key, or a file in its place if an ssh-agent
// has that.
func (s Source) Secret() ([]byte, error) {
	switch {
	case s.agent != nil:
		return s.agent.Secret()
	case s.key != nil:
		return []byte(s.key.Private()), nil
	}
	key, err := readKey(s.File)
	if err != nil {
		return nil, err
	}
	return []byte(key.Private()), nil
}
