package segment

import (
	"slices"

	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/run"
	"github.com/fielato/fielato/internal/segment/term"
)

// tail is the writer's memory of the records after the last block. It belongs to the State.
type tail struct {
	first   uint64 // index of the first record of the tail
	records []keys
	terms   int // in all of records
	shape   run.Shape
	// open has the intents of the block before that had no outcome in it, by their
	// index: the outcomes that come now belong to these.
	open map[uint64]keys
}

func (t *tail) add(k keys) {
	t.records = append(t.records, k)
	t.terms += len(k.terms) / term.Bytes
}

func (t *tail) full() bool { return len(t.records) >= t.shape.Records || t.terms >= t.shape.Terms }

// Block is the inversion of a tail. Its open and late intents are there so that a search
// knows which intents are answered without a look at the records of each block.
type Block struct {
	run.Row
	// Lists are the postings of each bucket.
	Lists [run.Buckets][]byte
}

// invert makes the block of the tail. An outcome has the terms and the time of its intent
// beside its own, because both are to find it; load fetches the intents that the tail does not
// know. An intent that has its outcome in the tail is not to be found, and so has no terms in
// the lists.
func (t *tail) invert(load func(index uint64) (*keys, error)) (*Block, error) {
	open, late := t.unanswered()
	b := &Block{Row: run.Row{
		Part: run.Part{
			First: t.first, Next: t.first + uint64(len(t.records)),
			Oldest: t.records[0].micros, Newest: t.records[0].micros,
		},
		Open: frame.PackIndexes(open), Late: frame.PackIndexes(late),
	}}
	all, by := make([]uint64, 0, 2*(t.terms+len(marks))), withReceivers
	post := func(k *keys, place int) {
		by = min(by, k.build())
		for i := range len(k.terms) / term.Bytes {
			if t := term.At(k.terms, i); !slices.Contains(marks[1:], t) {
				all = append(all, run.Posting(t.Posted(), place))
			}
		}
	}
	for i := range t.records {
		k := &t.records[i]
		b.Oldest, b.Newest = min(b.Oldest, k.micros), max(b.Newest, k.micros)
		if k.isIntent() {
			if _, isOpen := slices.BinarySearch(open, t.first+uint64(i)); !isOpen {
				continue
			}
		}
		post(k, i)
		intent, err := t.intentOf(k, load)
		if err != nil {
			return nil, err
		}
		if intent != nil {
			post(intent, i)
			b.Oldest, b.Newest = min(b.Oldest, intent.micros), max(b.Newest, intent.micros)
		}
	}
	for _, mark := range marks[1 : by+1] { // of all of them: a block with records of an earlier build has to be looked at
		all = append(all, run.Posting(mark.Posted(), int(run.Everywhere)))
	}
	b.Lists = run.Pack(all)
	return b, nil
}

// intentOf returns the intent of an outcome, nil for other records and where there is none.
func (t *tail) intentOf(k *keys, load func(index uint64) (*keys, error)) (*keys, error) {
	if !k.isOutcome() {
		return nil, nil
	}
	if t.contains(k.intent) {
		return &t.records[k.intent-t.first], nil
	}
	if intent, ok := t.open[k.intent]; ok {
		return &intent, nil
	}
	return load(k.intent)
}

// unanswered returns the intents of the tail without an outcome in it, and those from
// before it that have one, in order.
func (t *tail) unanswered() (open, late []uint64) {
	answered := map[uint64]bool{}
	for i := range t.records {
		if k := &t.records[i]; !k.isOutcome() {
			continue
		} else if answered[k.intent] = true; !t.contains(k.intent) {
			late = append(late, k.intent)
		}
	}
	for i := range t.records {
		if index := t.first + uint64(i); t.records[i].isIntent() && !answered[index] {
			open = append(open, index)
		}
	}
	slices.Sort(late)
	return open, late
}

func (t *tail) contains(index uint64) bool {
	return index >= t.first && index-t.first < uint64(len(t.records))
}

// after returns the empty tail that follows the block of t.
func (t *tail) after() *tail {
	open := map[uint64]keys{}
	still, _ := t.unanswered()
	for _, index := range still {
		open[index] = t.records[index-t.first]
	}
	return &tail{first: t.first + uint64(len(t.records)), open: open, shape: t.shape}
}
