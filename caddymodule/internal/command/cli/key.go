package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
)

const KeyFlagUsage = "The public key of the log, NAME+HASH+KEY, or a file that holds it (default: the one that the store names)"

// PublicKey is the key that signatures are checked with.
type PublicKey struct {
	Text string
	// FromFlag: the key was given with --key. Stored is the one that the store names.
	FromFlag bool
	Stored   string
}

// VerifierOf returns the key that --key gives, or else the one that the store names.
func VerifierOf(ctx context.Context, flag string, store audit.Store, log string) (key PublicKey, err error) {
	if key.Stored, err = signingkey.KnownVerifier(ctx, store, log); err != nil {
		return key, err
	}
	key.Text = key.Stored
	if flag != "" {
		key.FromFlag = true
		key.Text, err = ParseVerifier(flag)
	} else if key.Text == "" {
		err = errors.New("no public key is known: the store names none; give it with --key")
	}
	return key, err
}

// ParseVerifier reads a public key, or a file with one. Its errors do not quote a text that
// is not a public key: it may be a private one.
func ParseVerifier(flag string) (string, error) {
	text := strings.TrimSpace(flag)
	if _, err := note.NewVerifier(text); err == nil {
		return text, nil
	}
	if strings.HasPrefix(text, signingkey.PrivatePrefix) {
		return "", errors.New("--key: this is a private key: give the public one")
	}
	content, err := os.ReadFile(flag) //nolint:gosec // the caller names the file, and may read it
	if err != nil && looksLikeKey(text) {
		return "", errors.New("--key: this has the form of a public key, but its checksum is wrong: was it copied whole?")
	}
	if err != nil {
		return "", fmt.Errorf("--key: this is neither a public key of the form NAME+HASH+KEY nor a file that can be read: %w", err)
	}
	text = strings.TrimSpace(string(content))
	if strings.HasPrefix(text, signingkey.PrivatePrefix) {
		return "", fmt.Errorf("--key: %s holds the private key: give the public one", flag)
	}
	if _, err := note.NewVerifier(text); err != nil && looksLikeKey(text) {
		return "", fmt.Errorf("--key: %s holds what has the form of a public key, but its checksum is wrong: was it copied whole?", flag)
	}
	if _, err := note.NewVerifier(text); err != nil {
		return "", fmt.Errorf("--key: %s holds no public key of the form NAME+HASH+KEY", flag)
	}
	return text, nil
}

// keyForm is NAME+HASH+KEY.
var keyForm = regexp.MustCompile(`^\S+\+[0-9a-fA-F]{1,8}\+[A-Za-z0-9+/=]+$`)

// looksLikeKey reports whether a text that is no public key has the form of one.
func looksLikeKey(text string) bool { return keyForm.MatchString(text) }
