package audit

import (
	"context"
	"errors"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// ErrPurging says that somebody else purges the same store.
var ErrPurging = errors.New("another purge is at work on this store")

// Purger takes content away that need not be kept any longer. It may do so while the
// trail is written, from another process too.
//
// A purge touches content alone: summaries, leaf hashes, tiles, checkpoints and what
// records are found by stay as they are, so that the trail verifies as before and says
// which records are Purged.
type Purger interface {
	// Purge removes the content of all records of earlier periods than Before, but for
	// those of an issuer that is held. What it has removed when it returns, with an
	// error too, stays removed; called again, it goes on. ErrPurging: another one is at
	// work.
	Purge(ctx context.Context, request PurgeRequest) (PurgeResult, error)
	// Hold keeps the content of the issuer's records from being purged, those of all
	// logs, from now on until Release. To hold again changes nothing.
	Hold(ctx context.Context, hold Hold) error
	// Release ends the hold of an issuer (ErrNotHeld).
	Release(ctx context.Context, cuit wsfev1.CUIT) error
	// Holds returns the issuers that are held, by ascending CUIT.
	Holds(ctx context.Context) ([]Hold, error)
	// Close releases what the Purger has open.
	Close() error
}

// ErrNotHeld says that there is no hold to release.
var ErrNotHeld = errors.New("this issuer is not held")

// Holds is the set of issuers that are held.
type Holds map[wsfev1.CUIT]bool

// Keep reports whether the content of r is held. The intent is that of an outcome, nil
// for other records.
func (h Holds) Keep(r, intent *Record) bool {
	return h[r.Cuit] || intent != nil && h[intent.Cuit]
}

// Hold is a legal hold: an issuer whose content is kept whatever its age. A record
// belongs to the issuer that it names; an outcome also to the one that its intent
// names. A record of which no issuer is known belongs to none.
type Hold struct {
	Cuit wsfev1.CUIT
	// Since is when it began, kept to the second.
	Since time.Time
}

// PurgeRequest says what is to be removed.
type PurgeRequest struct {
	Log string
	// Before is the first period whose content stays. A record belongs to the period of
	// its Time.
	Before Period
	// DryRun counts and removes nothing.
	DryRun bool
	// Progress is called now and then, by the goroutine that purges, with what was done
	// so far; nil for none.
	Progress func(PurgeResult)
}

// PurgeResult counts what a purge has done, or in a dry run what it would do.
type PurgeResult struct {
	// Periods are counts by period, of those alone that had content to purge or to hold.
	Periods map[Period]PurgeCount
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
