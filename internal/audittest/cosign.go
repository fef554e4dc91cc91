package audittest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// Witness returns the key of a witness, which follows from its name.
func Witness(t testing.TB, name string) *cosignature.Key {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	key, err := cosignature.NewKey(bytes.NewReader(seed[:]), name)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Cosign adds the signatures of witnesses to a checkpoint.
func Cosign(t testing.TB, checkpoint []byte, at time.Time, witnesses ...*cosignature.Key) []byte {
	t.Helper()
	opened, err := note.Open(checkpoint, note.VerifierList())
	if unverified := new(note.UnverifiedNoteError); errors.As(err, &unverified) {
		opened, err = unverified.Note, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var signers []note.Signer
	for _, w := range witnesses {
		signers = append(signers, w.At(at))
	}
	signed, err := note.Sign(opened, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(signed)
}

// CosignNewest has the newest checkpoint of a log cosigned. The store keeps it, as a gateway does, and it is returned.
func CosignNewest(t testing.TB, store audit.Store, log string, at time.Time, witnesses ...*cosignature.Key) []byte {
	t.Helper()
	head, err := store.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	signed := Cosign(t, head.Checkpoint, at, witnesses...)
	if err := store.SetSetting(t.Context(), audit.CosignedSetting(log), signed); err != nil {
		t.Fatal(err)
	}
	return signed
}
