package term

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// Keys are the keys of a store for the receivers of its records, nil where they are not known. Where content is sealed
// the key comes from the trail's content key too: it is not in the store, which tells nothing of the receivers by itself.
// Elsewhere the key is in the store, as the content is.
type Keys struct{ Plain, Sealed Key }

// Of returns the key for content that is sealed, or is not.
func (k *Keys) Of(sealed bool) Key {
	if sealed {
		return k.Sealed
	}
	return k.Plain
}

// secretName is the name (audit.Store.Secret) under which a store keeps the secret that its keys come from.
const secretName = "receiver-secret"

var errNoSecret = errors.New("the store has no secret for receivers")

// KeysOf returns the keys of a store. One that is opened for writing gets a secret if it has none, and one that is
// opened for reading has no keys then.
func KeysOf(ctx context.Context, store audit.Store, content *audit.ContentKey, writing bool) (Keys, error) {
	secret, err := store.Secret(ctx, secretName, func() ([]byte, error) {
		if !writing {
			return nil, errNoSecret
		}
		made := make([]byte, sha256.Size)
		_, _ = rand.Read(made) // never fails
		return made, nil
	})
	if errors.Is(err, errNoSecret) {
		return Keys{}, nil
	}
	if err != nil {
		return Keys{}, fmt.Errorf("reading the secret for receivers: %w", err)
	}
	return Derive(secret, content)
}

// Derive returns the keys of a store with this secret.
func Derive(secret []byte, content *audit.ContentKey) (keys Keys, err error) {
	if keys.Plain, err = hkdf.Key(sha256.New, secret, nil, "fielato receivers 1", sha256.Size); err != nil {
		return keys, fmt.Errorf("deriving the key of receivers: %w", err)
	}
	if content != nil {
		keys.Sealed, err = content.ReceiverKey(secret)
	}
	return keys, err
}
