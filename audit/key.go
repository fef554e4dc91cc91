package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// errKey does not quote the text: it may be most of a key.
var errKey = errors.New("this is not the private key of a log: one has the form PRIVATE+KEY+<name>+<hash>+<key>, as in the file that the first start makes: give the one that the log began with")

// errPublicKey does not quote the text: it may be a private key, given by mistake.
var errPublicKey = errors.New("this is not the public key of a log: one has the form <name>+<hash>+<key>, and the gateway logs it when it starts")

// Key signs the checkpoints of a log: an Ed25519 key with a name, as in signed notes.
// It prints without its secret.
type Key struct {
	signer   note.Signer
	verifier string
	text     string
}

// NewKey makes the key of a log from 32 bytes of random.
func NewKey(random io.Reader, log string) (*Key, error) { return NewOriginKey(random, Origin(log)) }

// NewOriginKey is NewKey for a log whose origin is not the usual one (SplitOrigin): the logs that the key signs first have
// the same beginning.
func NewOriginKey(random io.Reader, origin string) (*Key, error) {
	text, _, err := note.GenerateKey(random, origin)
	if err != nil {
		return nil, fmt.Errorf("making the key of %q: %w", origin, err)
	}
	return ParseKey(text)
}

// ParseKey reads the text form of a key. Space around it does not count.
func ParseKey(text string) (*Key, error) {
	text = strings.TrimSpace(text)
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, errKey
	}
	// NewSigner has checked the form: the last part is the algorithm's number and the seed.
	secret, err := base64.StdEncoding.DecodeString(text[len(text)-base64.StdEncoding.EncodedLen(1+ed25519.SeedSize):])
	if err != nil {
		return nil, errKey
	}
	public := ed25519.NewKeyFromSeed(secret[1:]).Public().(ed25519.PublicKey)
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), public)
	if err != nil {
		return nil, errKey
	}
	return &Key{signer: signer, verifier: verifier, text: text}, nil
}

// VerifierOf returns the public key of the log with an origin in its text form, for a key whose public half is known.
func VerifierOf(origin string, public ed25519.PublicKey) (string, error) {
	verifier, err := note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		return "", fmt.Errorf("the key of %q: %w", origin, err)
	}
	return verifier, nil
}

// ExternalKey is a key that another program or a device has, by its public key. sign returns the 64 bytes of an Ed25519
// signature, which it has verified.
func ExternalKey(verifier string, sign func(message []byte) ([]byte, error)) (*Key, error) {
	by, err := newVerifier(verifier)
	if err != nil {
		return nil, err
	}
	return &Key{signer: &externalSigner{by, sign}, verifier: verifier}, nil
}

// externalSigner is a note.Signer.
type externalSigner struct {
	note.Verifier
	sign func(message []byte) ([]byte, error)
}

// Sign implements note.Signer.
func (s *externalSigner) Sign(message []byte) ([]byte, error) { return s.sign(message) }

// PublicKey returns the Ed25519 key of a log's public key in its text form.
func PublicKey(verifier string) (ed25519.PublicKey, error) {
	if _, err := newVerifier(verifier); err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(verifier[len(verifier)-base64.StdEncoding.EncodedLen(1+ed25519.PublicKeySize):])
	if err != nil {
		return nil, errPublicKey
	}
	return ed25519.PublicKey(key[1:]), nil
}

// newVerifier reads a public key.
func newVerifier(text string) (note.Verifier, error) {
	verifier, err := note.NewVerifier(text)
	if err != nil || !isCanonicalVerifier(text, verifier) {
		return nil, errPublicKey
	}
	return verifier, nil
}

// isCanonicalVerifier reports whether a public key is written as Verifier writes it: note.NewVerifier takes
// capital letters in its hash too, and base64 of other spellings.
func isCanonicalVerifier(text string, verifier note.Verifier) bool {
	rest, ok := strings.CutPrefix(text, fmt.Sprintf("%s+%08x+", verifier.Name(), verifier.KeyHash()))
	return ok && isCanonicalBase64(rest)
}

// isCanonicalBase64 reports whether a text is base64 as it is written: readers take line breaks within it, and
// bits behind its end that are not 0.
func isCanonicalBase64(text string) bool {
	plain, err := base64.StdEncoding.DecodeString(text)
	return err == nil && base64.StdEncoding.EncodeToString(plain) == text
}

// CheckVerifier returns an error if the text is no public key of a log. The error does not
// quote the text, which may be a private key.
func CheckVerifier(text string) error {
	_, err := newVerifier(text)
	return err
}

// Verifier returns the public key, <name>+<hash>+<key>. Checkpoints are checked with it, and it
// is no secret.
func (k *Key) Verifier() string { return k.verifier }

// Private returns the text form, which is secret. It is empty for an ExternalKey.
func (k *Key) Private() string { return k.text }

// String implements fmt.Stringer.
func (k *Key) String() string { return k.verifier }

// GoString implements fmt.GoStringer.
func (k *Key) GoString() string { return k.verifier }
