package witness

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// Head is the newest state of a log that the witness has cosigned.
type Head struct {
	Origin string
	Size   uint64
	Root   tlog.Hash
	// Signed is the checkpoint with the log's signatures and the witness's own.
	Signed []byte
	// Time is the moment of the cosignature.
	Time time.Time
}

// log is one that the witness knows.
type log struct {
	origin string
	keys   []note.Verifier
	texts  []string
}

// SplitLog returns the origin and the public key of a log that a witness is to know: a public key, whose name is the
// origin, or an origin, a space and a public key of another name. A gateway that goes on in a new log signs that with the
// key of the one before.
func SplitLog(text string) (origin, key string, err error) {
	at := strings.LastIndexByte(text, ' ')
	if key = text[at+1:]; at < 0 {
		origin = audit.KeyName(key)
	} else if origin = text[:at]; !isGateways(origin) {
		return "", "", fmt.Errorf("%q is not the origin of a gateway's log: it is the first line of its checkpoints", origin)
	}
	return origin, key, audit.CheckVerifier(key)
}

func isGateways(origin string) bool {
	_, _, ok := audit.SplitOrigin(origin)
	return ok
}

// logsOf sorts logs, as SplitLog reads them, by their origins: a log may have several keys.
func logsOf(keys []string) (map[string]*log, error) {
	if len(keys) == 0 {
		return nil, errors.New("no log is named: a witness needs the public key of one")
	}
	logs := map[string]*log{}
	for _, text := range keys {
		origin, public, err := SplitLog(text)
		if err != nil {
			return nil, err
		}
		key, err := note.NewVerifier(public)
		if err != nil {
			return nil, err
		}
		l := logs[origin]
		if l == nil {
			l = &log{origin: origin}
			logs[origin] = l
		}
		if slices.Contains(l.texts, text) {
			continue
		}
		if slices.ContainsFunc(l.keys, func(other note.Verifier) bool { return other.Name() == key.Name() && other.KeyHash() == key.KeyHash() }) {
			return nil, fmt.Errorf("two keys of the log %s have the hash %08x: no signature says by which it is", l.origin, key.KeyHash())
		}
		l.keys, l.texts = append(l.keys, key), append(l.texts, text)
	}
	return logs, nil
}

// signedHead is a checkpoint that a log's own key has signed.
type signedHead struct {
	audit.Checkpoint
	note *note.Note
}

// open verifies and reads a signed checkpoint. Signatures by other keys do not count.
func (l *log) open(signed []byte) (*signedHead, error) {
	opened, err := note.Open(signed, note.VerifierList(l.keys...))
	if unverified := new(note.UnverifiedNoteError); errors.As(err, &unverified) {
		return nil, refuse(Untrusted, "no key that this witness knows of the log %s has signed it", l.origin)
	}
	if invalid := new(note.InvalidSignatureError); errors.As(err, &invalid) {
		return nil, refuse(Untrusted, "it is not what the key of the log %s has signed", l.origin)
	}
	if err != nil {
		return nil, refuse(Malformed, "the checkpoint is not a signed note")
	}
	for _, signature := range opened.Sigs {
		if _, err := base64.StdEncoding.Strict().DecodeString(signature.Base64); err != nil {
			return nil, refuse(Malformed, "a signature of the checkpoint is not written as it was")
		}
	}
	checkpoint, err := audit.ParseCheckpoint(opened.Text)
	if err != nil || checkpoint.Origin != l.origin {
		return nil, refuse(Malformed, "the text that was signed is not a checkpoint of the log %s", l.origin)
	}
	return &signedHead{checkpoint, opened}, nil
}

// cosign returns the head with the witness's signature, and the line that holds it.
func (h *signedHead) cosign(key *cosignature.Key, moment time.Time) (head Head, line []byte, err error) {
	signed, err := note.Sign(&note.Note{Text: h.note.Text, Sigs: h.note.Sigs}, key.At(moment))
	if err != nil {
		return Head{}, nil, fmt.Errorf("cosigning %s at %d: %w", h.Origin, h.Size, err)
	}
	before := bytes.LastIndexByte(signed[:len(signed)-1], '\n') + 1
	return Head{h.Origin, h.Size, h.Root, signed, time.Unix(moment.Unix(), 0)}, signed[before:], nil
}

// readHead reads what cosign has made.
func readHead(signed []byte, by *cosignature.Verifier) (Head, error) {
	opened, err := note.Open(signed, note.VerifierList(by))
	if err != nil {
		return Head{}, fmt.Errorf("a checkpoint is not one that this witness has cosigned: %w", err)
	}
	checkpoint, err := audit.ParseCheckpoint(opened.Text)
	if err != nil {
		return Head{}, fmt.Errorf("what this witness has cosigned is no checkpoint: %v", err) //nolint:errorlint // nothing is wrong with a trail
	}
	moment, err := cosignature.Time(opened.Sigs[0])
	if err != nil {
		return Head{}, err
	}
	return Head{checkpoint.Origin, checkpoint.Size, checkpoint.Root, signed, moment}, nil
}
