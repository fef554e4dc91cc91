package audit

import (
	"cmp"
	"fmt"
	"slices"
)

// FlawKind is what happened, as far as the store shows it.
type FlawKind string

// The kinds of flaws, in the order in which the flaws of one record are listed.
const (
	// FlawChanged: the record is not the one that the tree has in this place.
	FlawChanged FlawKind = "changed"
	// FlawRemoved: there is no record in a place where the log had one.
	FlawRemoved FlawKind = "removed"
	// FlawMoved: another record of the log stands in this place, Flaw.From.
	FlawMoved FlawKind = "moved"
	// FlawInserted: there is a record that the log never had in this place.
	FlawInserted FlawKind = "inserted"
	// FlawPurged: the content of the record is gone, and the log has recorded no purge
	// that took it, or a purge contradicts the records of purges and holds.
	FlawPurged FlawKind = "purged"
	// FlawCutOff: the log ends before the size of its checkpoint.
	FlawCutOff FlawKind = "cut_off"
	// FlawUnfinished: the log is a copy that ends before the size of its checkpoint, because it is not finished.
	FlawUnfinished FlawKind = "unfinished"
	// FlawDamaged: the store's data cannot be read.
	FlawDamaged FlawKind = "damaged"
	// FlawCheckpoint: the store's checkpoint is missing, is not signed by the key, or
	// is not the one over these records.
	FlawCheckpoint FlawKind = "checkpoint"
	// FlawKept: the log is not an extension of the checkpoint that was kept, or that one was
	// changed after it was signed.
	FlawKept FlawKind = "kept_checkpoint"
	// FlawHashes: a hash of the tree is not the one that the records give.
	FlawHashes FlawKind = "hashes"
	// FlawIndex: the index that the store keeps is not the one that the records give. The
	// records are proven nevertheless; a search may miss some.
	FlawIndex FlawKind = "index"
)

var flawOrder = []FlawKind{
	FlawChanged, FlawRemoved, FlawMoved, FlawInserted, FlawPurged, FlawCutOff, FlawUnfinished, FlawDamaged, FlawCheckpoint, FlawKept, FlawHashes, FlawIndex,
}

// Flaw is one thing that makes a log unsound.
type Flaw struct {
	Kind FlawKind
	// First <= index < Next are the records that it is about, none if Next is 0.
	First, Next uint64
	// From is the place of the record that stands in the place First; only FlawMoved
	// has one. Of several neighbours it is the place of the first.
	From uint64
	// Detail is what exactly is wrong, and in which part of the store.
	Detail string
}

// String returns what happened to which records, and the detail.
func (f Flaw) String() string {
	text := f.event()
	if f.Detail == "" {
		return text
	}
	if text == "" {
		return f.Detail
	}
	return text + ": " + f.Detail
}

func (f Flaw) event() string {
	which, was, stands := f.records(), "was", "stands"
	if f.Next > f.First+1 {
		was, stands = "were", "stand"
	}
	switch f.Kind {
	case FlawChanged:
		return fmt.Sprintf("%s %s changed", which, was)
	case FlawRemoved:
		return fmt.Sprintf("%s %s removed", which, was)
	case FlawMoved:
		from := Flaw{First: f.From, Next: f.From + f.Next - f.First}
		return fmt.Sprintf("%s %s in the place of %s", from.records(), stands, which)
	case FlawInserted:
		return fmt.Sprintf("%s %s inserted", which, was)
	case FlawPurged:
		return which
	case FlawCutOff:
		return fmt.Sprintf("%s %s cut off at the end", which, was)
	case FlawUnfinished:
		return fmt.Sprintf("%s %s not copied yet", which, was)
	case FlawDamaged:
		if f.Next > 0 {
			return which + " cannot be read"
		}
	}
	return ""
}

func (f Flaw) records() string {
	if f.Next <= f.First+1 {
		return fmt.Sprintf("record %d", f.First)
	}
	return fmt.Sprintf("records %d to %d", f.First, f.Next-1)
}

// Continues reports whether g is the same flaw as f, of the records that follow.
func (f Flaw) Continues(g Flaw) bool {
	return f.Kind == g.Kind && f.Kind != FlawChanged && f.Next == g.First && g.Next > 0 && f.Detail == g.Detail &&
		(f.Kind != FlawMoved || g.From-f.From == g.First-f.First)
}

// CompareFlaws puts flaws of records first, in the order of the records, and flaws of the search
// index last: most often they follow from the others.
func CompareFlaws(a, b Flaw) int {
	return cmp.Or(cmp.Compare(a.class(), b.class()), cmp.Compare(a.First, b.First), cmp.Compare(a.order(), b.order()))
}

func (f Flaw) order() int { return slices.Index(flawOrder, f.Kind) }

func (f Flaw) class() int {
	switch f.Kind {
	case FlawCheckpoint, FlawKept:
		return 1
	case FlawHashes:
		return 2
	case FlawIndex:
		return 3
	}
	return 0
}
