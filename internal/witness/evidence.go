package witness

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

const (
	evidenceHead = "fielato witness evidence 1\n"
	// MaxEvidence is the most bytes of a file with evidence.
	MaxEvidence = 3 * MaxRequest
)

// Evidence is two heads of one log, both signed by the log's key, of which the witness has cosigned the first and
// refused the second.
type Evidence struct {
	// Seen is when the second came, in whole seconds. Nobody has signed this.
	Seen time.Time
	// Signed is the checkpoint that the witness has cosigned, with its line.
	Signed []byte
	// Refused is the other checkpoint, as it came.
	Refused []byte
	// Proof is the consistency proof that came with it.
	Proof tlog.TreeProof
}

var errEvidence = errors.New("this is not evidence of a witness, or it was changed")

// Encode returns the text of a file with the evidence.
func (e Evidence) Encode() []byte {
	text := fmt.Appendf(nil, "%sseen %d\n", evidenceHead, e.Seen.Unix())
	text = appendNote(text, "signed", e.Signed)
	text = appendNote(text, "refused", e.Refused)
	return appendProof(append(text, "proof\n"...), e.Proof)
}

// ParseEvidence reads what Encode writes, and nothing else. It verifies nothing.
func ParseEvidence(text []byte) (e Evidence, err error) {
	if len(text) > MaxEvidence {
		return e, errEvidence
	}
	rest, found := bytes.CutPrefix(text, []byte(evidenceHead))
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	seen, isSeen := strings.CutPrefix(string(line), "seen ")
	if !found || !isSeen {
		return e, errEvidence
	}
	seconds, err := parseSize(seen)
	if err != nil {
		return e, errEvidence
	}
	e.Seen = time.Unix(int64(seconds), 0)
	if e.Signed, rest, err = cutNote(rest, "signed"); err != nil {
		return e, errEvidence
	}
	if e.Refused, rest, err = cutNote(rest, "refused"); err != nil {
		return e, errEvidence
	}
	if rest, found = bytes.CutPrefix(rest, []byte("proof\n")); !found {
		return e, errEvidence
	}
	if e.Proof, rest, err = parseProof(rest); err != nil || len(rest) > 0 {
		return e, errEvidence
	}
	return e, nil
}

// appendNote adds a note behind a line with its kind and length: a note may have empty lines.
func appendNote(text []byte, kind string, note []byte) []byte {
	return append(fmt.Appendf(text, "%s %d\n", kind, len(note)), note...)
}

// cutNote reads what appendNote writes, and returns the rest of the text.
func cutNote(text []byte, kind string) (note, rest []byte, err error) {
	line, rest, found := bytes.Cut(text, []byte("\n"))
	length, isKind := strings.CutPrefix(string(line), kind+" ")
	if !found || !isKind {
		return nil, nil, fmt.Errorf("there is no line %q with a length", kind)
	}
	n, err := parseSize(length)
	if err != nil {
		return nil, nil, fmt.Errorf("the length %w", err)
	}
	if n > uint64(len(rest)) {
		return nil, nil, errors.New("the text is shorter than it says")
	}
	return rest[:n], rest[n:], nil
}

// Verdict is what two signed heads of a log show.
type Verdict string

const (
	// Forked: the log's key has signed two roots for one size.
	Forked Verdict = "forked"
	// Rewritten: the proof shows that the larger head has another tree at the smaller one's size.
	Rewritten Verdict = "rewritten"
	// Unproven: the proof does not lead from one head to the other. Anybody can send a wrong proof with a
	// checkpoint, so it shows nothing against the log.
	Unproven Verdict = "unproven"
	// Consistent: the larger head continues the smaller one.
	Consistent Verdict = "consistent"
)

// Contradicts reports whether the log's key has signed what cannot be true of one log.
func (v Verdict) Contradicts() bool { return v == Forked || v == Rewritten }

// Finding is a verdict and the heads it is about.
type Finding struct {
	Verdict        Verdict
	Older, Refused audit.Checkpoint
	// Other is the root that the tree of the refused head has at the size of the older one, if the verdict is
	// Rewritten.
	Other tlog.Hash
}

// Judge returns the verdict of the evidence. keys are the log's public keys: both heads must be signed by one of them. An
// error wraps a RefusalError: the evidence counts for nothing.
func (e Evidence) Judge(keys []string) (f Finding, err error) {
	logs, err := logsOf(keys)
	if err != nil {
		return f, err
	}
	origin, _, _ := bytes.Cut(e.Signed, []byte("\n"))
	log := logs[string(origin)]
	if log == nil {
		return f, refuse(Unknown, "its first checkpoint is of %.200q, which is not the log of the key", origin)
	}
	older, err := log.open(e.Signed)
	if err != nil {
		return f, fmt.Errorf("its first checkpoint counts for nothing: %w", err)
	}
	refused, err := log.open(e.Refused)
	if err != nil {
		return f, fmt.Errorf("its second checkpoint counts for nothing: %w", err)
	}
	f.Older, f.Refused = older.Checkpoint, refused.Checkpoint
	f.Verdict, f.Other = compare(f.Older, f.Refused, e.Proof)
	return f, nil
}

// compare compares two heads of a log, both signed by its key.
func compare(older, newer audit.Checkpoint, proof tlog.TreeProof) (v Verdict, other tlog.Hash) {
	switch {
	case older.Size == newer.Size && older.Root == newer.Root:
		return Consistent, other
	case older.Size == newer.Size:
		return Forked, other
	case older.Size > newer.Size || older.Size == 0:
		return Unproven, other // the proof that would tell is not asked for
	case tlog.CheckTree(proof, int64(newer.Size), newer.Root, int64(older.Size), older.Root) == nil:
		return Consistent, other
	}
	other, found := prefixRoot(proof, newer.Size, older.Size)
	if found && tlog.CheckTree(proof, int64(newer.Size), newer.Root, int64(older.Size), other) == nil {
		return Rewritten, other
	}
	return Unproven, other
}
