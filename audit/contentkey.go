package audit

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

var (
	// ErrContentKey: the content of a log is sealed with another key than the given one.
	ErrContentKey = errors.New("this is not the encryption key of the trail")
	// ErrContent: a sealed content cannot be opened with the right key. It was changed, or
	// moved from another place.
	ErrContent = errors.New("the sealed content is damaged")

	// errNoContentKey does not quote the text: it may be most of a key.
	errNoContentKey = errors.New("this is not an encryption key: one has 32 bytes, in base64 (44 characters), as `fielato wsfev1 audit new-key` prints it")
)

// ContentKey is the master key of a trail whose content is encrypted at rest. It encrypts
// nothing but data keys. A store has one of those for each log and fiscal period. Destroying a
// data key destroys all that it has sealed, also in copies of the store that do not have the
// data key.
//
// Only content is encrypted (see Record). Summaries stay readable, so that records are found
// and the tree is verified without any key. The file alone still shows who asked for what,
// when, and with what result.
//
// It prints without its secret. It is safe for concurrent use.
type ContentKey struct {
	wrapping *xaes
	id       string
	text     string
	// receivers derives what tells the receivers in sealed content apart.
	receivers []byte
}

// NewContentKey makes a key from 32 bytes of random.
func NewContentKey(random io.Reader) (*ContentKey, error) {
	secret := make([]byte, keyBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return nil, fmt.Errorf("making an encryption key: %w", err)
	}
	return newContentKey(secret)
}

// ParseContentKey reads the text form of a key: its 32 bytes in base64 (RFC 4648,
// section 4). Space around it does not count.
func ParseContentKey(text string) (*ContentKey, error) {
	secret, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(text))
	if err != nil || len(secret) != keyBytes {
		return nil, errNoContentKey
	}
	return newContentKey(secret)
}

func newContentKey(secret []byte) (*ContentKey, error) {
	// Three keys from one: the one that is shown opens nothing.
	wrapping, err := hkdf.Key(sha256.New, secret, nil, "fielato content wrapping 1", keyBytes)
	if err != nil {
		return nil, fmt.Errorf("deriving from an encryption key: %w", err)
	}
	id, err := hkdf.Key(sha256.New, secret, nil, "fielato content id 1", 8)
	if err != nil {
		return nil, fmt.Errorf("deriving from an encryption key: %w", err)
	}
	receivers, err := hkdf.Key(sha256.New, secret, nil, "fielato receivers 1", keyBytes)
	if err != nil {
		return nil, fmt.Errorf("deriving from an encryption key: %w", err)
	}
	k := &ContentKey{receivers: receivers, id: hex.EncodeToString(id), text: base64.StdEncoding.EncodeToString(secret)}
	if k.wrapping, err = newXAES(wrapping); err != nil {
		return nil, err
	}
	return k, nil
}

// ID returns 16 hexadecimal digits that identify the key. It may be shown, and reveals nothing
// of the key. A store keeps it to refuse a wrong key at once.
func (k *ContentKey) ID() string { return k.id }

// Private returns the text form, which is secret.
func (k *ContentKey) Private() string { return k.text }

// String implements fmt.Stringer.
func (k *ContentKey) String() string { return "encryption key " + k.id }

// GoString implements fmt.GoStringer.
func (k *ContentKey) GoString() string { return k.String() }

// ReceiverKey returns the key for the receivers in content that this key has sealed, in a store with this secret. Who
// has the store alone cannot derive it.
func (k *ContentKey) ReceiverKey(secret []byte) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, k.receivers, secret, "fielato receivers of a store 1", keyBytes)
	if err != nil {
		return nil, fmt.Errorf("deriving from an encryption key: %w", err)
	}
	return key, nil
}

// NewDataKey makes the data key of a log and a period. The wrapped form is what a store
// keeps; only this ContentKey opens it.
func (k *ContentKey) NewDataKey(log string, period Period) (key *DataKey, wrapped []byte, err error) {
	var secret [keyBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	if wrapped, err = k.wrapping.seal(nil, secret[:], boundTo("data key", log, uint64(period))); err != nil {
		return nil, nil, err
	}
	key, err = newDataKey(secret[:], log)
	return key, wrapped, err
}

// OpenDataKey reads what NewDataKey wrapped for the same log and period. Errors wrap
// ErrContentKey.
func (k *ContentKey) OpenDataKey(wrapped []byte, log string, period Period) (*DataKey, error) {
	secret, err := k.wrapping.open(wrapped, boundTo("data key", log, uint64(period)))
	if err != nil {
		return nil, fmt.Errorf("%w: the data key of log %q for %s: %w", ErrContentKey, log, period, err)
	}
	return newDataKey(secret, log)
}

// DataKey seals content of one log. It is safe for concurrent use.
type DataKey struct {
	cipher *xaes
	log    string
}

func newDataKey(secret []byte, log string) (*DataKey, error) {
	cipher, err := newXAES(secret)
	if err != nil {
		return nil, err
	}
	return &DataKey{cipher: cipher, log: log}, nil
}

// Seal appends the sealed content to dst: 40 bytes more than content has. It opens at
// the same place only, which is whatever a store chooses, such as the index of the
// first record of a segment.
func (k *DataKey) Seal(dst, content []byte, place uint64) ([]byte, error) {
	return k.cipher.seal(dst, content, boundTo("content", k.log, place))
}

// Open returns what Seal was given. Errors wrap ErrContent.
func (k *DataKey) Open(sealed []byte, place uint64) ([]byte, error) {
	content, err := k.cipher.open(sealed, boundTo("content", k.log, place))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	return content, nil
}

// boundTo is the associated data. What it is for and the number have one length each,
// so that no two places give the same bytes.
func boundTo(what, log string, place uint64) []byte {
	return append(binary.BigEndian.AppendUint64([]byte("fielato "+what+" 1\n"), place), log...)
}

// ContentKeySecret is the name (Store.Secret) under which a store keeps the ID of the
// first ContentKey that it was opened with. There is none as long as no content was
// ever sealed.
const ContentKeySecret = "content-key-id"
