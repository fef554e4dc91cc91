package verify

import (
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
)

// Report is what Log found out about a log.
type Report struct {
	Log string
	// Verifier is the public key that signatures were checked with.
	Verifier string
	// Records is how many were read.
	Records uint64
	// Purged and Sealed are how many of them have no readable content, so that only their
	// summaries could be checked.
	Purged, Sealed uint64
	// Unrecorded are those whose content an earlier build removed, which did not record its
	// purges. Content that was taken out of a store of that time can hide among them, until
	// they are acknowledged. From PurgesFrom on such a record is a flaw, if PurgesRecorded; so
	// is one outside of what was Acknowledged.
	Unrecorded     Unrecorded
	PurgesRecorded bool
	PurgesFrom     uint64
	Acknowledged   bool
	// Checkpoint is the store's own, nil if there is none with a good signature.
	Checkpoint *audit.Checkpoint
	// Kept is the one of Options.Kept, nil if none was given or its signature is
	// not by Verifier.
	Kept *audit.Checkpoint
	// Cosigned is the newest checkpoint with the signatures of witnesses that the store has, and CosignedNote the note;
	// nil if it has none that Verifier has signed. The log was compared with it, the lines of witnesses were not looked at.
	Cosigned     *audit.Checkpoint
	CosignedNote []byte
	// Open are the intents that have no outcome. They are no flaws, and on a log that
	// is being written the newest ones are exchanges under way.
	Open Listing[uint64]
	// Remarks are outcomes that are linked in a way that no gateway links them. The
	// signature is over them as they are: no flaws either.
	Remarks Listing[OddLink]
	// Flaws are what makes the log unsound, by the first record that each is about.
	Flaws Listing[audit.Flaw]
}

// Sound reports whether the whole log is what its checkpoint is over.
func (r *Report) Sound() bool { return r.Flaws.Count == 0 }

// Unfinished reports whether nothing is wrong but that the log is a copy that is not finished.
func (r *Report) Unfinished() bool {
	return r.Flaws.Count == 1 && r.Flaws.Items[0].Kind == audit.FlawUnfinished
}

// Listing counts things and keeps the first of them: memory that does not grow with
// how much is wrong.
type Listing[T any] struct {
	Count uint64
	Items []T
}

// add keeps the item if fewer than limit come before it.
func (l *Listing[T]) add(item T, limit int, compare func(a, b T) int) {
	l.Count++
	at := len(l.Items)
	for at > 0 && compare(item, l.Items[at-1]) < 0 {
		at--
	}
	if at >= limit {
		return
	}
	if l.Items = slices.Insert(l.Items, at, item); len(l.Items) > limit {
		l.Items = l.Items[:limit]
	}
}

// merge takes over what another listing has.
func (l *Listing[T]) merge(other Listing[T], limit int, compare func(a, b T) int) {
	for _, item := range other.Items {
		l.add(item, limit, compare)
	}
	l.Count += other.Count - uint64(len(other.Items))
}

// RemarkKind is an oddity of an outcome.
type RemarkKind string

const (
	// NoIntent: the record that the outcome names is no intent.
	NoIntent RemarkKind = "no_intent"
	// SecondOutcome: another outcome of the same intent stands before.
	SecondOutcome RemarkKind = "second_outcome"
)

// OddLink is about the outcome at Index, which names Intent as its intent.
type OddLink struct {
	Kind          RemarkKind
	Index, Intent uint64
}

// String returns the remark in words.
func (r OddLink) String() string {
	if r.Kind == SecondOutcome {
		return fmt.Sprintf("record %d is one more outcome of the intent %d", r.Index, r.Intent)
	}
	return fmt.Sprintf("record %d is an outcome, but record %d is not its intent", r.Index, r.Intent)
}
