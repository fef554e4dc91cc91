package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// accesses are the outcomes of the records that the book is made of.
var accesses = []audit.Outcome{audit.AccessPurge, audit.AccessAcknowledge, audit.AccessHold, audit.AccessRelease}

// PurgeBook is the list of a log's recorded purges. Content that is gone without an entry was
// not removed by audit purge.
type PurgeBook struct {
	// from is the index of the first record from which every purge is in the book
	// (Checkpoint.Purges). recorded: there is one.
	from     uint64
	recorded bool
	// entries are the records of KindAccess that are about purges and holds, in order.
	entries []*purgeEntry
	// issuerOf returns the issuer that an intent names, 0 if it is unknown.
	issuerOf func(intent uint64) (wsfev1.CUIT, error)
	// Unrecorded is what was gone before there was a book, and is in no entry.
	Unrecorded Unrecorded
}

// purgeEntry is one of its records.
type purgeEntry struct {
	index   uint64
	outcome audit.Outcome
	cuit    wsfev1.CUIT
	scope   *audit.PurgeScope
	// gone is how many records without content it answers for.
	gone uint64
}

// Unrecorded counts the records whose content a build removed that did not record its
// purges.
type Unrecorded struct {
	Count uint64
	// Records is the range of them, Before the period after the last of them.
	Records audit.IndexRange
	Before  audit.Period
}

// PurgedRecord is a record without content, as far as a purge depends on it.
type PurgedRecord struct {
	Index  uint64
	Kind   audit.Kind
	Period audit.Period
	Cuit   wsfev1.CUIT
	Intent uint64
}

// NewPurgeBook returns a book without entries. The book is complete from the record on that the
// signed checkpoint names; signed may be nil. issuerOf returns the issuer that an intent names,
// 0 if it is unknown.
func NewPurgeBook(signed *audit.Checkpoint, issuerOf func(intent uint64) (wsfev1.CUIT, error)) *PurgeBook {
	b := &PurgeBook{issuerOf: issuerOf}
	if signed != nil {
		b.from, b.recorded = signed.PurgesFrom, signed.Purges
	}
	return b
}

// Enter adds a record, in any order. A scope that reaches beyond its own record
// permits nothing.
func (b *PurgeBook) Enter(r *audit.Record) {
	if !IsPurgeRecord(r) || b.Has(r.Index) || r.Purge != nil && r.Purge.Next > r.Index {
		return
	}
	e := &purgeEntry{index: r.Index, outcome: r.Outcome, cuit: r.Cuit, scope: r.Purge}
	b.entries = append(b.entries, e)
	slices.SortFunc(b.entries, func(x, y *purgeEntry) int { return cmp.Compare(x.index, y.index) })
}

// Has reports whether the record is an entry.
func (b *PurgeBook) Has(index uint64) bool {
	return slices.ContainsFunc(b.entries, func(e *purgeEntry) bool { return e.index == index })
}

// IsPurgeRecord reports whether a record belongs into the book.
func IsPurgeRecord(r *audit.Record) bool {
	scoped := r.Outcome == audit.AccessPurge || r.Outcome == audit.AccessAcknowledge
	return r.Kind == audit.KindAccess && slices.Contains(accesses, r.Outcome) && scoped == (r.Purge != nil)
}

// Permits looks for the purge that answers for a record without content, the oldest.
func (b *PurgeBook) Permits(r *PurgedRecord) (bool, error) {
	for _, e := range b.entries {
		if e.outcome != audit.AccessPurge {
			continue
		}
		covered, err := b.covers(e, r)
		if err != nil {
			return false, err
		}
		if covered {
			if b.recorded && r.Index >= b.from { // what was gone before the book began was not counted
				e.gone++
			}
			return true, nil
		}
	}
	return false, nil
}

// Judge returns the flaw of a record without content that no purge permits. An empty text means
// that it is older than the book.
func (b *PurgeBook) Judge(r *PurgedRecord) (flaw string, err error) {
	if b.recorded && r.Index >= b.from {
		return "content is gone, and no purge in the log took it", nil
	}
	e := b.acknowledgement()
	if e == nil {
		u := &b.Unrecorded
		u.Count++
		u.Records.Add(r.Index)
		u.Before = max(u.Before, r.Period+1)
		return "", nil
	}
	covered, err := b.covers(e, r)
	if covered {
		e.gone++
	}
	if err != nil || covered {
		return "", err
	}
	return fmt.Sprintf("content is gone, no purge in the log took it, and record %d, which vouches for earlier purges, does not name it", e.index), nil
}

// Acknowledged reports whether an entry vouches for what was before the book.
func (b *PurgeBook) Acknowledged() bool { return b.acknowledgement() != nil }

// acknowledgement is the newest entry that vouches for what was before the book.
func (b *PurgeBook) acknowledgement() (last *purgeEntry) {
	for _, e := range b.entries {
		if e.outcome == audit.AccessAcknowledge {
			last = e
		}
	}
	return last
}

// covers reports whether the content of r may be gone by this entry.
func (b *PurgeBook) covers(e *purgeEntry, r *PurgedRecord) (bool, error) {
	p := e.scope
	switch {
	case r.Index < p.First || r.Index >= p.Next || r.Period >= p.Before:
		return false, nil
	case len(p.Held) == 0:
		return true, nil
	case slices.Contains(p.Held, r.Cuit):
		return false, nil
	case r.Kind != audit.KindOutcome || r.Intent >= r.Index:
		return true, nil
	}
	cuit, err := b.issuerOf(r.Intent)
	return err == nil && !slices.Contains(p.Held, cuit), err
}

// Finish calls flaw for each entry that does not fit the log.
func (b *PurgeBook) Finish(flaw func(first, next uint64, text string)) {
	held := map[wsfev1.CUIT]uint64{}
	for _, e := range b.entries {
		switch e.outcome {
		case audit.AccessHold:
			if _, already := held[e.cuit]; !already {
				held[e.cuit] = e.index
			}
			continue
		case audit.AccessRelease:
			delete(held, e.cuit)
			continue
		case audit.AccessPurge:
			for cuit, since := range held {
				if !slices.Contains(e.scope.Held, cuit) {
					flaw(e.index, e.index+1, fmt.Sprintf("it is a purge that did not keep the issuer %s, which record %d holds and no record has released", cuit, since))
				}
			}
		}
		if e.gone > e.scope.Records {
			flaw(e.scope.First, e.scope.Next, fmt.Sprintf("the content of %d of them is gone, record %d says %d: the others were gone before it", e.gone, e.index, e.scope.Records))
		}
	}
}

// ReadPurges returns the records of a store that belong into the book.
func ReadPurges(ctx context.Context, store audit.Store, log string) (all []*audit.Record, err error) {
	for _, outcome := range accesses {
		for r, err := range store.Search(ctx, audit.Query{Log: log, Kind: audit.KindAccess, Outcome: outcome}) {
			if err != nil {
				return nil, fmt.Errorf("looking for recorded purges: %w", err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// issuerIn returns PurgeBook.issuerOf for a store.
func issuerIn(ctx context.Context, store audit.Store, log string) func(uint64) (wsfev1.CUIT, error) {
	return func(index uint64) (wsfev1.CUIT, error) {
		r, err := store.Get(ctx, log, index)
		if errors.Is(err, audit.ErrNotFound) || errors.Is(err, audit.ErrDamaged) || errors.Is(err, audit.ErrEncoding) {
			return 0, nil // reported elsewhere
		}
		if err != nil {
			return 0, fmt.Errorf("reading record %d: %w", index, err)
		}
		return r.Cuit, nil
	}
}
