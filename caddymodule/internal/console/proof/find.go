package proof

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
)

// found is the store's data about one record, whether it proves anything or not.
type found struct {
	log   string
	index uint64
	// parts are the parts of the proof that could be read. whole: all of them could, so that a browser can
	// check them.
	parts *audit.Proof
	whole bool
	// record is as far as it can be read; nil if it cannot.
	record *audit.Record
	// key is the public key that the store names, empty for none.
	key string
	// flaw is why the server finds no proof; nil if the proof holds.
	flaw error
}

// find returns the source's data about a record. Its error is not about the evidence: there is no such
// record, or the store could not be asked.
func find(ctx context.Context, source *site.Source, log string, index uint64) (*found, error) {
	f := &found{log: log, index: index}
	var err error
	if f.key, err = signingkey.KnownVerifier(ctx, source.Store, log); err != nil {
		return nil, err
	}
	f.parts, err = audit.Gather(ctx, source.Store, log, f.key, index)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		f.whole = true
		f.check()
	case f.isBeyond(err):
		return nil, err
	case isFlaw(err):
		f.flaw = err
	default:
		return nil, err
	}
	f.read()
	return f, nil
}

// isBeyond reports whether the error says that there is no such record yet. One that the signed
// checkpoint counts was cut off.
func (f *found) isBeyond(err error) bool {
	if !errors.Is(err, audit.ErrNotFound) || errors.Is(err, audit.ErrUnproven) || len(f.parts.Form.Summary) > 0 {
		return false
	}
	signed, bad := audit.OpenCheckpoint(f.parts.Checkpoint, f.key)
	return bad != nil || f.index >= signed.Size
}

// check judges the whole proof by the key that the store names.
func (f *found) check() {
	if f.key == "" {
		f.flaw = errNoKey
		return
	}
	if f.record, f.flaw = f.parts.Check(f.key); f.flaw == nil && f.record.Log != f.log {
		f.flaw = fmt.Errorf("%w: the checkpoint is of the log %q", audit.ErrUnproven, f.record.Log)
	}
}

// read reads the record as far as that is possible, for a page about one that is not proven.
func (f *found) read() {
	if f.flaw == nil || len(f.parts.Form.Summary) == 0 {
		return
	}
	record, err := audit.Decode(f.parts.Form)
	if err != nil { // its summary may be readable
		record, err = audit.Decode(audit.Form{Summary: f.parts.Form.Summary, Presence: audit.Purged})
	}
	if f.record = nil; err == nil {
		record.Log, record.Index = f.log, f.index
		f.record = record
	}
}

// errNoKey: nobody has signed the log, or the store has lost the key.
var errNoKey = errors.New("the store names no public key of the log")

// isFlaw reports whether an error of reading is about the evidence, and not about the way to it.
func isFlaw(err error) bool {
	for _, flaw := range []error{audit.ErrUnproven, audit.ErrDamaged, audit.ErrUnsound, audit.ErrEncoding, audit.ErrNotFound} {
		if errors.Is(err, flaw) {
			return true
		}
	}
	return false
}

// flawKey returns the key of the words for a flaw, which explain it to people who know invoices.
func (f *found) flawKey() string {
	switch {
	case f.flaw == nil:
		return "server.sound"
	case errors.Is(f.flaw, errNoKey):
		return "flaw.key"
	case len(f.parts.Form.Summary) == 0 && errors.Is(f.flaw, audit.ErrDamaged):
		return "flaw.damaged"
	case len(f.parts.Form.Summary) == 0:
		return "flaw.missing"
	case len(f.parts.Checkpoint) == 0:
		return "flaw.checkpoint"
	case !f.whole:
		return "flaw.tree"
	case errors.Is(f.flaw, audit.ErrUnproven):
		return "flaw.unproven"
	}
	return "flaw.unread"
}
