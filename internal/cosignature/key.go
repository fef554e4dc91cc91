package cosignature

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// algorithm is the type of the keys, the first of their bytes.
const algorithm = 0x04

// private begins the text of a private key.
const private = "PRIVATE+KEY+"

var (
	// errName refuses a name that a line of signatures could not have.
	errName = errors.New("a witness has a name without spaces and plus signs, such as ejemplo.com.ar/testigo")
	// errKey does not quote the text: it may be most of a key.
	errKey = errors.New("this is not the private key of a witness: one has the form PRIVATE+KEY+<name>+<hash>+<key>, as in the file that the first start makes")
	// errVerifier does not quote the text: it may be a private key, given by mistake.
	errVerifier = errors.New("this is not the public key of a witness: one has the form <name>+<hash>+<key>, and the witness prints it when it starts")
)

// Key is the private key of a witness. It prints without its secret.
type Key struct {
	public  *Verifier
	private ed25519.PrivateKey
}

// NewKey makes a key from 32 bytes of random.
func NewKey(random io.Reader, name string) (*Key, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("making the key of witness %q: %w", name, err)
	}
	return keyOf(name, seed)
}

func keyOf(name string, seed []byte) (*Key, error) {
	secret := ed25519.NewKeyFromSeed(seed)
	public, err := newVerifier(name, secret.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	return &Key{public, secret}, nil
}

// ParseKey reads the text form of a key. Space around it does not count.
func ParseKey(text string) (*Key, error) {
	text = strings.TrimSpace(text)
	rest, found := strings.CutPrefix(text, private)
	name, seed, err := split(rest)
	if !found || err != nil {
		return nil, errKey
	}
	key, err := keyOf(name, seed)
	if err != nil || key.Private() != text {
		return nil, errKey
	}
	return key, nil
}

// Private returns the text form, which is secret.
func (k *Key) Private() string {
	return private + join(k.public.name, k.public.hash, k.private.Seed())
}

// Verifier returns the public key.
func (k *Key) Verifier() *Verifier { return k.public }

// String implements fmt.Stringer.
func (k *Key) String() string { return k.public.String() }

// GoString implements fmt.GoStringer.
func (k *Key) GoString() string { return k.public.String() }

// Verifier is the public key of a witness, and a note.Verifier.
type Verifier struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

// ParseVerifier reads a public key, which must be written as String writes it.
func ParseVerifier(text string) (*Verifier, error) {
	name, key, err := split(text)
	if err != nil {
		return nil, errVerifier
	}
	v, err := newVerifier(name, key)
	if err != nil || v.String() != text {
		return nil, errVerifier
	}
	return v, nil
}

func newVerifier(name string, key ed25519.PublicKey) (*Verifier, error) {
	if !isName(name) {
		return nil, errName
	}
	hash := sha256.Sum256(append([]byte(name+"\n"), append([]byte{algorithm}, key...)...))
	return &Verifier{name, binary.BigEndian.Uint32(hash[:]), key}, nil
}

// isName reports whether a signed note can carry the name.
func isName(name string) bool {
	unfit := func(r rune) bool { return r == '+' || unicode.IsSpace(r) || unicode.IsControl(r) }
	return name != "" && utf8.ValidString(name) && strings.IndexFunc(name, unfit) < 0
}

// String returns the key as <name>+<hash>+<key>.
func (v *Verifier) String() string { return join(v.name, v.hash, v.key) }

// Name implements note.Verifier.
func (v *Verifier) Name() string { return v.name }

// KeyHash implements note.Verifier.
func (v *Verifier) KeyHash() uint32 { return v.hash }

func join(name string, hash uint32, key []byte) string {
	return fmt.Sprintf("%s+%08x+%s", name, hash, base64.StdEncoding.EncodeToString(append([]byte{algorithm}, key...)))
}

// split reads what join writes. It does not check the hash.
func split(text string) (name string, key []byte, err error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) < 3 {
		return "", nil, errVerifier
	}
	if _, err := strconv.ParseUint(parts[1], 16, 32); err != nil {
		return "", nil, errVerifier
	}
	key, err = base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != algorithm {
		return "", nil, errVerifier
	}
	return parts[0], key[1:], nil
}
