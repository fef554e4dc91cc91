package cosignature

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

const (
	hashSize = 4 // the part of a key's hash that begins a signature in a note
	timeSize = 8
)

// errTime: a cosignature with this time would not count.
var errTime = errors.New("a cosignature needs a moment after 1970: is the clock right?")

// errLines: a checkpoint has three lines at least.
var errLines = errors.New("this is no checkpoint: a cosignature is over origin, size and root")

// At returns a signer of notes whose signatures say that the witness has seen the checkpoint at this moment, of
// which only the whole seconds count.
func (k *Key) At(moment time.Time) note.Signer { return &signer{k.public, k.private, moment.Unix()} }

type signer struct {
	*Verifier
	private ed25519.PrivateKey
	seconds int64
}

// Sign implements note.Signer.
func (s *signer) Sign(text []byte) ([]byte, error) {
	if s.seconds <= 0 {
		return nil, errTime
	}
	if !hasLines(text) {
		return nil, errLines
	}
	signature := binary.BigEndian.AppendUint64(nil, uint64(s.seconds))
	return append(signature, ed25519.Sign(s.private, message(text, uint64(s.seconds)))...), nil
}

// Verify implements note.Verifier. A signature without a time does not count.
func (v *Verifier) Verify(text, signature []byte) bool {
	if len(signature) != timeSize+ed25519.SignatureSize || !hasLines(text) {
		return false
	}
	seconds := binary.BigEndian.Uint64(signature)
	return isTime(seconds) && ed25519.Verify(v.key, message(text, seconds), signature[timeSize:])
}

// Time returns when the witness has seen the checkpoint, by its own clock. Only a verified signature tells it.
func Time(verified note.Signature) (time.Time, error) {
	signature, err := base64.StdEncoding.Strict().DecodeString(verified.Base64)
	if err != nil || len(signature) != hashSize+timeSize+ed25519.SignatureSize {
		return time.Time{}, fmt.Errorf("the signature of %s is no cosignature", verified.Name)
	}
	seconds := binary.BigEndian.Uint64(signature[hashSize:])
	if !isTime(seconds) {
		return time.Time{}, errTime
	}
	return time.Unix(int64(seconds), 0), nil
}

func isTime(seconds uint64) bool { return seconds > 0 && seconds <= math.MaxInt64 }

func hasLines(text []byte) bool { return strings.Count(string(text), "\n") >= 3 }

// message returns the text under a cosignature: the whole text of the note, extension lines included.
func message(text []byte, seconds uint64) []byte {
	return fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", seconds, text)
}
