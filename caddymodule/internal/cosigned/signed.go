package cosigned

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// maxAhead is how far the clock of a witness may be ahead of ours.
const maxAhead = 5 * time.Minute

// Signed is a checkpoint of a log that a witness has cosigned. The signatures of both were verified.
type Signed struct {
	audit.Checkpoint
	// Note is the checkpoint with the signatures of the log and the witness, and lines of unknown keys.
	Note []byte
	// At is the moment of the cosignature, by the witness's clock.
	At time.Time
	// opened has the witness's signature alone among those that are verified.
	opened *note.Note
}

// open verifies a note: it must have the signatures of the log's key and of the witness, whose time must not be ahead
// of now.
func (w *Witness) open(signed []byte, verifier string, now time.Time) (s Signed, err error) {
	if s.opened, err = note.Open(signed, note.VerifierList(w.verifier)); err != nil {
		return s, fmt.Errorf("no signature of the witness %s is on it: %w", w.Name(), err)
	}
	if s.At, err = cosignature.Time(s.opened.Sigs[0]); err != nil {
		return s, err
	}
	if s.At.After(now.Add(maxAhead)) {
		return s, fmt.Errorf("the clock of the witness is ahead: it has signed at %s", s.At.UTC().Format(time.RFC3339))
	}
	s.Note = bytes.Clone(signed)
	if s.Checkpoint, err = audit.OpenCheckpoint(signed, verifier); err != nil {
		return s, fmt.Errorf("the checkpoint under the signature does not count: %v", err) //nolint:errorlint // nothing is wrong with the log
	}
	return s, nil
}

// errText: lines that were meant for another text.
var errText = errors.New("the answer is more than lines of signatures")

// accept verifies the lines that the witness has answered for a checkpoint.
func (w *Witness) accept(checkpoint, lines []byte, verifier string, now time.Time) (Signed, error) {
	s, err := w.open(slices.Concat(checkpoint, lines), verifier, now)
	if err != nil {
		return Signed{}, err
	}
	if s.opened.Text != textOf(checkpoint) {
		return Signed{}, errText
	}
	return s, nil
}

// textOf returns the text of a note, without its signatures.
func textOf(signed []byte) string {
	text, _, _ := bytes.Cut(signed, []byte("\n\n"))
	return string(text) + "\n"
}

// combine returns a checkpoint with the signatures of its log and of the witnesses, and with the lines of unknown
// keys behind them. All are of the same text.
func combine(verifier string, by map[string]Signed, witnesses []*Witness) ([]byte, error) {
	log, err := note.NewVerifier(verifier)
	if err != nil {
		return nil, err
	}
	known := []note.Verifier{log}
	whole := &note.Note{}
	for _, w := range witnesses {
		known = append(known, w.verifier)
	}
	for _, w := range witnesses {
		s, signed := by[w.verifier.String()]
		if !signed {
			continue
		}
		if whole.Text == "" {
			ofLog, err := note.Open(s.Note, note.VerifierList(log))
			if err != nil {
				return nil, err
			}
			whole.Text, whole.Sigs = ofLog.Text, ofLog.Sigs
		}
		whole.Sigs = append(whole.Sigs, s.opened.Sigs...)
		for _, line := range s.opened.UnverifiedSigs {
			if !names(known, line) && !slices.Contains(whole.UnverifiedSigs, line) {
				whole.UnverifiedSigs = append(whole.UnverifiedSigs, line)
			}
		}
	}
	return note.Sign(whole)
}

// names reports whether a line says that one of the keys has made it.
func names(known []note.Verifier, line note.Signature) bool {
	return slices.ContainsFunc(known, func(v note.Verifier) bool { return v.Name() == line.Name && v.KeyHash() == line.Hash })
}

// bare returns the note with the lines of log and witness alone.
func (s Signed) bare(verifier string, w *Witness) ([]byte, error) {
	own := s
	own.opened = &note.Note{Text: s.opened.Text, Sigs: s.opened.Sigs}
	return combine(verifier, map[string]Signed{w.verifier.String(): own}, []*Witness{w})
}
