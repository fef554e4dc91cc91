package audit

import (
	"context"
	"errors"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// ErrPurging: another process purges the same store.
var ErrPurging = errors.New("another purge of this store is running")

// Purger removes content that need not be kept any longer. It may run while the log is written,
// from another process too.
//
// A purge touches content alone. Summaries, leaf hashes, tiles, checkpoints and the search
// index stay as they are: the log verifies as before, and its records are marked as Purged.
type Purger interface {
	// Purge removes the content of all records of periods before Before, except the records of held
	// issuers. It is for PurgeRecorded alone, which respects the retention, and writes the record
	// that a verification requires. Removed content stays removed, even if Purge returns an
	// error; another call continues. ErrPurging: another purge is running.
	Purge(ctx context.Context, request PurgeRequest) (PurgeResult, error)
	// Hold keeps the content of the issuer's records in all logs from being purged, from now on
	// until Release. To hold again changes nothing.
	Hold(ctx context.Context, hold Hold) error
	// Release ends the hold of an issuer (ErrNotHeld).
	Release(ctx context.Context, cuit wsfev1.CUIT) error
	// Holds returns the issuers that are held, by ascending CUIT.
	Holds(ctx context.Context) ([]Hold, error)
	// Close releases the Purger's resources.
	Close() error
}

// ErrNotHeld: there is no hold to release.
var ErrNotHeld = errors.New("this issuer is not held")

// Holds is the set of issuers that are held.
type Holds map[wsfev1.CUIT]bool

// Keep reports whether the content of r is held. intent is the intent of an outcome, nil for
// other records.
func (h Holds) Keep(r, intent *Record) bool {
	return h[r.Cuit] || intent != nil && h[intent.Cuit]
}

// Hold is a legal hold: the content of an issuer is kept whatever its age. A record belongs to
// the issuer that it names; an outcome also to the one that its intent names. A record without
// an issuer belongs to none.
type Hold struct {
	Cuit wsfev1.CUIT
	// Since is when it began, kept to the second.
	Since time.Time
}

// PurgeRequest is what a purge removes.
type PurgeRequest struct {
	Log string
	// Before is the first period whose content stays. A record belongs to the period of
	// its Time.
	Before Period
	// Records are those that may lose their content, nil for all. The content of the issuers
	// in Held stays, and the content of issuers with a Hold.
	Records *IndexRange
	Held    []wsfev1.CUIT
	// DryRun counts and removes nothing.
	DryRun bool
	// Now is the moment by which PurgeRecorded reckons the retention; zero is its own.
	Now time.Time
	// Override is why content goes although it must still be kept, empty for no such wish
	// (CheckOverride). It stands in the record of the purge.
	Override string
	// Progress is called now and then, by the goroutine that purges, with what was done
	// so far; nil for none.
	Progress func(PurgeResult)
}

// IndexRange is the records First <= index < Next.
type IndexRange struct{ First, Next uint64 }

// Holds reports whether the record is one of them. A nil range has all.
func (r *IndexRange) Holds(index uint64) bool {
	return r == nil || r.First <= index && index < r.Next
}

// Add makes the range reach to the record.
func (r *IndexRange) Add(index uint64) {
	if r.Next == 0 {
		r.First = index
	}
	r.First, r.Next = min(r.First, index), max(r.Next, index+1)
}

// PurgeResult counts what a purge has done, or in a dry run what it would do.
type PurgeResult struct {
	// Periods are counts by period, of those alone that had content to purge or to hold.
	Periods map[Period]PurgeCount
	// Records is the range of those whose content was removed.
	Records IndexRange
	// Bytes is how much the removed content took in the store.
	Bytes int64
	// Keys is the number of data keys that were destroyed.
	Keys int
}

// PurgeCount counts the records of a period.
type PurgeCount struct {
	// Purged are those whose content was removed, Held those whose content stays for a
	// legal hold.
	Purged, Held uint64
}

// Count adds to the counts of a period.
func (r *PurgeResult) Count(period Period, purged, held uint64) {
	if purged == 0 && held == 0 {
		return
	}
	if r.Periods == nil {
		r.Periods = map[Period]PurgeCount{}
	}
	count := r.Periods[period]
	count.Purged, count.Held = count.Purged+purged, count.Held+held
	r.Periods[period] = count
}

// Total returns the sum over all periods.
func (r PurgeResult) Total() (total PurgeCount) {
	for _, count := range r.Periods {
		total.Purged, total.Held = total.Purged+count.Purged, total.Held+count.Held
	}
	return total
}
