package audit

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// ErrUnproven: a proof does not hold. It was damaged or made up, or the key is not the one of
// its log.
var ErrUnproven = errors.New("the proof does not hold")

// Proof shows to any holder of the log's public key that a record is in the log and is what was
// written. Checking it needs no store. Its contents count for nothing before Check has returned
// no error.
type Proof struct {
	// Index is the position of the record in its log, counted from 0.
	Index uint64
	// Form is the record. It is not proved that a missing content was purged, or is sealed: any
	// copy of a proof can leave it out.
	Form Form
	// Hashes lead from the record's leaf to the root of the tree, the sibling of the leaf
	// first (RFC 6962, section 2.1.1).
	Hashes tlog.RecordProof
	// Checkpoint is the signed note over that tree.
	Checkpoint []byte
}

// Prove makes the proof of a record, and checks it by the log's public key (Key.Verifier) before it hands it out. The
// proof is against the newest checkpoint that witnesses have cosigned if that covers the record, so that it carries
// their signatures, and against the log's newest one if not. Errors wrap
// ErrNotFound where the log has no such record, and ErrUnproven where the store's data proves
// nothing: verify the log then.
func Prove(ctx context.Context, store Store, log, verifier string, index uint64) (*Proof, error) {
	p, err := Gather(ctx, store, log, verifier, index)
	if err != nil {
		return nil, err
	}
	record, err := p.Check(verifier)
	if err == nil && record.Log != log {
		err = fmt.Errorf("%w: the checkpoint of log %q is one of %q", ErrUnproven, log, record.Log)
	}
	if err != nil {
		return nil, fmt.Errorf("proving record %d of log %q: %w", index, log, err)
	}
	return p, nil
}

// Gather is Prove without the check: it returns the store's data, which may prove nothing. It is
// for callers that show why. With an error it returns the parts that could be read.
func Gather(ctx context.Context, store Store, log, verifier string, index uint64) (*Proof, error) {
	p := &Proof{Index: index}
	head, err := store.Head(ctx, log)
	if err != nil {
		return p, fmt.Errorf("reading the head of log %q: %w", log, err)
	}
	p.Checkpoint = head.Checkpoint
	if index >= head.Size {
		return p, fmt.Errorf("record %d of log %q, which has %d: %w", index, log, head.Size, ErrNotFound)
	}
	form, err := formOf(ctx, store, log, index)
	if err != nil {
		return p, err
	}
	if length := form.Len(); length > maxProvenRecord {
		return p, fmt.Errorf("record %d of log %q has %d bytes, a proof takes %d", index, log, length, maxProvenRecord)
	}
	p.Form = form
	size := head.Size
	cosigned, signed, err := Cosigned(ctx, store, log, verifier)
	if err != nil {
		return p, err
	}
	if index < cosigned.Size && cosigned.Size <= head.Size {
		size, p.Checkpoint = cosigned.Size, signed
	}
	if p.Hashes, err = tlog.ProveRecord(int64(size), int64(index), HashReader(ctx, store, log, size)); err != nil {
		return p, fmt.Errorf("proving record %d of log %q: %w", index, log, err)
	}
	return p, nil
}

// formOf returns a record as the store keeps it: one whose content is gone cannot be
// encoded again.
func formOf(ctx context.Context, store Store, log string, index uint64) (Form, error) {
	for piece, err := range store.Scan(ctx, log, index) {
		if err != nil {
			return Form{}, fmt.Errorf("reading record %d of log %q: %w", index, log, err)
		}
		forms, err := piece.Unpack()
		if err != nil {
			return Form{}, fmt.Errorf("reading record %d of log %q: %w", index, log, err)
		}
		if index < piece.First || index-piece.First >= uint64(len(forms)) {
			break
		}
		return forms[index-piece.First], nil
	}
	return Form{}, fmt.Errorf("%w: record %d of log %q is missing", ErrUnproven, index, log)
}

// Check returns the record, with its log and index, if the proof holds: the checkpoint is
// signed by the key with this public part, the record is in the tree at its index, and the
// content is the one that was written. Errors wrap ErrUnproven if it does not hold; any other
// error leaves that open.
func (p *Proof) Check(verifier string) (*Record, error) {
	checkpoint, err := p.Tree(verifier)
	if err != nil {
		return nil, err
	}
	_, log, ok := SplitOrigin(checkpoint.Origin)
	if !ok {
		return nil, fmt.Errorf("%w: its checkpoint is of %q, which is not the log of a gateway", ErrUnproven, checkpoint.Origin)
	}
	if p.Index >= checkpoint.Size {
		return nil, fmt.Errorf("%w: its record %d is none of the %d in the tree", ErrUnproven, p.Index, checkpoint.Size)
	}
	err = tlog.CheckRecord(p.Hashes, int64(checkpoint.Size), checkpoint.Root, int64(p.Index), p.Form.Leaf())
	if err != nil {
		return nil, fmt.Errorf("%w: the record, its index or its hashes are not those of the tree: %w", ErrUnproven, err)
	}
	record, err := Decode(p.Form)
	switch {
	case err == nil:
		record.Log, record.Index = log, p.Index
		return record, nil
	case errors.Is(err, ErrNewer): // it is in the tree: a newer build can read it
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", ErrUnproven, err)
}

// Tree returns the checkpoint, whose signature must be by the key with this public part;
// errors are as in Check. It does not look at the record.
func (p *Proof) Tree(verifier string) (Checkpoint, error) {
	by, err := note.NewVerifier(verifier)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("public key %q: %w", verifier, err)
	}
	opened, err := note.Open(p.Checkpoint, note.VerifierList(by))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: its checkpoint is not signed by the key %s: %w", ErrUnproven, verifier, err)
	}
	// What package note lets pass: bits after the last of the signature. A proof is to be
	// written in one way.
	for _, signature := range opened.Sigs {
		if _, err := base64.StdEncoding.Strict().DecodeString(signature.Base64); err != nil {
			return Checkpoint{}, fmt.Errorf("%w: its signature was changed", ErrUnproven)
		}
	}
	checkpoint, err := parseCheckpoint(opened.Text)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	return checkpoint, nil
}
