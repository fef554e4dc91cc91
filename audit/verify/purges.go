package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// openBook reads which purges the log has recorded. What cannot be read is a flaw only
// where something was purged.
func (v *verification) openBook(ctx context.Context) error {
	v.book = NewPurgeBook(v.report.Checkpoint, issuerIn(ctx, v.store, v.log))
	records, err := ReadPurges(ctx, v.store, v.log)
	if isUnsound(err) || errors.Is(err, audit.ErrEncoding) {
		v.bookDamage = err
		return nil
	}
	for _, r := range records {
		if r.Index < v.end { // the tree that is verified has it
			v.book.Enter(r)
		}
	}
	return err
}

// canJudge reports whether a record without content can be judged: nothing else is wrong with it,
// and it was there when the verification began.
func (v *verification) canJudge(index uint64, it *item) bool {
	return it.err == nil && index < v.end && v.bookDamage == nil
}

// checkPurged looks for the purge that permits a record without content, and reports a flaw if there
// is none.
func (v *verification) checkPurged(ctx context.Context, index uint64, it *item) error {
	if !v.canJudge(index, it) {
		return nil
	}
	r := &PurgedRecord{Index: index, Kind: it.kind, Period: audit.PeriodOf(it.time), Cuit: it.cuit, Intent: it.intent}
	permitted, err := v.book.Permits(r)
	if err == nil && !permitted && !v.bookFresh {
		if err = v.readLaterPurges(ctx); err == nil {
			permitted, err = v.book.Permits(r)
		}
	}
	if permitted || err != nil {
		return err
	}
	text, err := v.book.Judge(r)
	if text != "" && err == nil {
		v.flaw(audit.Flaw{Kind: audit.FlawPurged, First: index, Next: index + 1, Detail: text})
	}
	return err
}

// readLaterPurges looks for purges that were recorded after the verification began: one that is at
// work beside it. Such a record is not in the tree that is verified, so that it is proven
// by itself. Once for a piece is enough: a purge is recorded before it takes anything.
func (v *verification) readLaterPurges(ctx context.Context) error {
	v.bookFresh = true
	head, err := v.store.Head(ctx, v.log)
	if err != nil || head.Size <= v.bookSize {
		return unlessUnsound(err)
	}
	v.bookSize = head.Size
	records, err := ReadPurges(ctx, v.store, v.log)
	if err != nil {
		return unlessUnsound(err)
	}
	for _, r := range records {
		if r.Index < v.end || v.book.Has(r.Index) {
			continue
		}
		proven, err := provenRecord(ctx, v.store, v.log, v.report.Verifier, r.Index)
		switch {
		case errors.Is(err, audit.ErrUnproven) || isUnsound(err):
		case err != nil:
			return err
		default:
			v.book.Enter(proven)
		}
	}
	return nil
}

// provenRecord returns a record that the newest checkpoint of its log proves.
func provenRecord(ctx context.Context, store audit.Store, log, verifier string, index uint64) (*audit.Record, error) {
	proof, err := audit.Prove(ctx, store, log, verifier, index)
	if err != nil {
		return nil, err
	}
	return proof.Check(verifier)
}

// closeBook reports the flaws of the purges as a whole.
func (v *verification) closeBook() {
	if v.bookDamage != nil && v.report.Purged > 0 {
		v.flaw(audit.Flaw{Kind: audit.FlawDamaged, Detail: fmt.Sprintf("which purges are recorded cannot be read: %v", v.bookDamage)})
		return
	}
	v.book.Finish(func(first, next uint64, text string) {
		v.flaw(audit.Flaw{Kind: audit.FlawPurged, First: first, Next: next, Detail: text})
	})
	v.report.Unrecorded = v.book.Unrecorded
	v.report.PurgesRecorded, v.report.PurgesFrom = v.book.recorded, v.book.from
	v.report.Acknowledged = v.book.Acknowledged()
}
