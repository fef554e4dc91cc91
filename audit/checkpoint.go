package audit

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// ErrUnsound: the log is not what its checkpoint is over. Something in the store was changed,
// removed or put back from an older copy.
var ErrUnsound = errors.New("the trail is not sound")

// Checkpoint is the state of a log at one moment. A signed one that was kept shows later
// whether any record before it was touched.
type Checkpoint struct {
	Origin string // Origin of the log
	Size   uint64
	Root   tlog.Hash
	// Purges: the records from PurgesFrom on lose their content by recorded purges only
	// (PurgeScope). A new log has it from its first record on. A log that an earlier build
	// began has it from the first record that this build wrote.
	Purges     bool
	PurgesFrom uint64
}

// purgesLine begins the line that holds PurgesFrom. The signature is over it: access to the
// store alone does not move the limit.
const purgesLine = "purges recorded from "

// Sign returns the checkpoint as a signed note, in the form of C2SP's tlog-checkpoint:
// origin, size and root hash in base64, a line each, and Purges as an extension.
func (c Checkpoint) Sign(key *Key) ([]byte, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root)
	if c.Purges {
		text += fmt.Sprintf("%s%d\n", purgesLine, c.PurgesFrom)
	}
	signed, err := note.Sign(&note.Note{Text: text}, key.signer)
	if err != nil {
		return nil, fmt.Errorf("signing the checkpoint of %s at %d: %w", c.Origin, c.Size, err)
	}
	return signed, nil
}

// OpenCheckpoint reads a signed checkpoint, whose signature must be by the key with
// this public part (Key.Verifier). Errors wrap ErrUnsound, unless the verifier is invalid.
func OpenCheckpoint(signed []byte, verifier string) (Checkpoint, error) {
	by, err := newVerifier(verifier)
	if err != nil {
		return Checkpoint{}, err
	}
	opened, err := note.Open(signed, note.VerifierList(by))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: the checkpoint is not signed by the key %s: %w", ErrUnsound, verifier, err)
	}
	for _, signature := range slices.Concat(opened.Sigs, opened.UnverifiedSigs) {
		if !isCanonicalBase64(signature.Base64) {
			return Checkpoint{}, fmt.Errorf("%w: a signature of the checkpoint is not written as it was", ErrUnsound)
		}
	}
	return parseCheckpoint(opened.Text)
}

// ParseCheckpoint reads the text of a checkpoint, which is the note without its signatures: the caller has
// verified these. Errors wrap ErrUnsound.
func ParseCheckpoint(text string) (Checkpoint, error) { return parseCheckpoint(text) }

// parseCheckpoint reads the text of a checkpoint. Lines after the third are extensions; unknown
// ones are ignored.
func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 4 || lines[0] == "" {
		return Checkpoint{}, fmt.Errorf("%w: the checkpoint has not the lines of one", ErrUnsound)
	}
	size, err := strconv.ParseUint(lines[1], 10, 63)
	if err != nil || strconv.FormatUint(size, 10) != lines[1] {
		return Checkpoint{}, fmt.Errorf("%w: the size %q of the checkpoint is not a number", ErrUnsound, lines[1])
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Checkpoint{}, fmt.Errorf("%w: the root %q of the checkpoint is not a hash", ErrUnsound, lines[2])
	}
	c := Checkpoint{Origin: lines[0], Size: size, Root: tlog.Hash(root)}
	for extension := range strings.Lines(lines[3]) {
		from, ok := strings.CutPrefix(strings.TrimSuffix(extension, "\n"), purgesLine)
		if !ok {
			continue
		}
		c.Purges = true
		if c.PurgesFrom, err = strconv.ParseUint(from, 10, 63); err != nil || strconv.FormatUint(c.PurgesFrom, 10) != from {
			return Checkpoint{}, fmt.Errorf("%w: the checkpoint says that purges are recorded from %q, which is not a number", ErrUnsound, from)
		}
	}
	return c, nil
}

// checkHead compares a log with its checkpoint, and returns that.
func checkHead(ctx context.Context, store Store, head Head, tree *Tree, log, verifier string) (Checkpoint, error) {
	if head.Checkpoint == nil {
		return Checkpoint{}, fmt.Errorf("%w: log %q has %d records and no checkpoint, although it was signed before", ErrUnsound, log, head.Size)
	}
	checkpoint, err := OpenCheckpoint(head.Checkpoint, verifier)
	switch {
	case err != nil:
		return Checkpoint{}, err
	case !IsOrigin(checkpoint.Origin, log):
		return Checkpoint{}, fmt.Errorf("%w: the checkpoint of log %q is one of %q", ErrUnsound, log, checkpoint.Origin)
	case checkpoint.Size != head.Size:
		return Checkpoint{}, wrongSize(ctx, store, log, head, checkpoint)
	case checkpoint.Root != tree.Root():
		return Checkpoint{}, fmt.Errorf("%w: the hashes of log %q give the root %s, its checkpoint says %s",
			ErrUnsound, log, tree.Root(), checkpoint.Root)
	}
	return checkpoint, nil
}

// successor returns the part of the newest checkpoint, which was found sound before, that the next ones have too: the origin,
// and the first record from which on the log records its purges. A log of an earlier build does so from its next one on.
func (c Checkpoint) successor() Checkpoint {
	if !c.Purges {
		c.Purges, c.PurgesFrom = true, c.Size
	}
	return c
}

// OpenLogCheckpoint reads the checkpoint that a store has of a log: it must be there, be
// signed by the key with this public part, and name the log. Errors wrap ErrUnsound.
func OpenLogCheckpoint(signed []byte, verifier, log string) (Checkpoint, error) {
	if signed == nil {
		return Checkpoint{}, fmt.Errorf("%w: the store has no checkpoint of log %q", ErrUnsound, log)
	}
	opened, err := OpenCheckpoint(signed, verifier)
	if err == nil && !IsOrigin(opened.Origin, log) {
		err = fmt.Errorf("%w: the checkpoint of log %q is one of %q", ErrUnsound, log, opened.Origin)
	}
	return opened, err
}

var (
	// errOtherKey: the checkpoint is of the log, but signed by another key. To sign a history
	// anew takes a key.
	errOtherKey = fmt.Errorf("%w: the checkpoint that was kept is of this log, but is not signed by the key that the log is signed with now", ErrUnsound)
	// errAltered: the log's key has signed a checkpoint, but not with this text.
	errAltered = fmt.Errorf("%w: the checkpoint that was kept was changed after it was signed, and no longer shows what the log was then: give an unchanged copy", ErrUnsound)
)

// OpenKeptCheckpoint reads a checkpoint of a log that was kept outside of its store. Errors
// wrap ErrUnsound where the log or the checkpoint was tampered with; others mean that the
// text is no checkpoint of this log.
func OpenKeptCheckpoint(signed []byte, verifier, log string) (Checkpoint, error) {
	kept, err := OpenLogCheckpoint(signed, verifier, log)
	if err == nil {
		return kept, nil
	}
	if other := new(note.UnverifiedNoteError); errors.As(err, &other) {
		if kept, err := parseCheckpoint(other.Note.Text); err == nil && IsOrigin(kept.Origin, log) {
			return kept, errOtherKey
		}
	}
	if bad := new(note.InvalidSignatureError); errors.As(err, &bad) {
		return kept, errAltered
	}
	return kept, fmt.Errorf("this is not a checkpoint of the log %q: give one as it was printed or posted", log)
}
