package cosignature

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Signature is the line of a witness that was verified.
type Signature struct {
	// Witness is the name in the witness's key.
	Witness string
	// At is when it has seen the checkpoint, by its own clock.
	At time.Time
}

// Verdict names who has signed a checkpoint.
type Verdict struct {
	// Signatures are by witnesses of the policy, in its order.
	Signatures []Signature
	// Missing are the witnesses of the policy that have not signed.
	Missing []string
	// Unknown are the names on lines by other keys than the log's and the policy's. They show nothing.
	Unknown []string
	// Satisfied: enough witnesses of the policy have signed.
	Satisfied bool
}

// ErrOtherLog: the policy is for other logs.
var ErrOtherLog = errors.New("the policy does not name the key of this log")

// For returns an error that wraps ErrOtherLog if the policy names logs, and none of them has this public key.
func (p *Policy) For(log string) error {
	if len(p.logs) > 0 && !slices.Contains(p.logs, log) {
		return fmt.Errorf("%w, %s", ErrOtherLog, log)
	}
	return nil
}

// Judge verifies the lines under the checkpoint of a log with this public key. It does not look at the text. An error
// says that a line is not by the key that it names, or that the policy is for other logs. A nil policy knows no
// witness and is satisfied.
func (p *Policy) Judge(signed []byte, log string) (v Verdict, err error) {
	if p == nil {
		p = &Policy{}
	}
	if err := p.For(log); err != nil {
		return v, err
	}
	own, err := note.NewVerifier(log)
	if err != nil {
		return v, fmt.Errorf("public key %q: %w", log, err)
	}
	known := []note.Verifier{own}
	for _, w := range p.witnesses {
		known = append(known, w.Key)
	}
	opened, err := note.Open(signed, note.VerifierList(known...))
	if err != nil {
		return v, fmt.Errorf("the signatures under the checkpoint: %w", err)
	}
	by := map[*Verifier]bool{}
	for _, w := range p.witnesses {
		i := slices.IndexFunc(opened.Sigs, func(s note.Signature) bool { return s.Name == w.Key.Name() && s.Hash == w.Key.KeyHash() })
		if i < 0 {
			v.Missing = append(v.Missing, w.Key.Name())
			continue
		}
		at, err := Time(opened.Sigs[i])
		if err != nil {
			return v, err
		}
		by[w.Key] = true
		v.Signatures = append(v.Signatures, Signature{w.Key.Name(), at})
	}
	for _, line := range opened.UnverifiedSigs {
		v.Unknown = append(v.Unknown, line.Name)
	}
	v.Satisfied = p.Satisfied(func(w *Verifier) bool { return by[w] })
	return v, nil
}
