package sqlite

import (
	"slices"
	"sort"
)

const (
	// A block is closed when it has so many records, or terms.
	blockRecords = 4096
	blockTerms   = 1 << 16
	// buckets is the number of lists of a block: a search reads one list of each
	// block for each term, a commit that closes a block writes them all.
	buckets = 64
)

func bucketOf(t term) int { return int(t >> (8*termBytes - 6)) }

// tail is what the writer remembers of the records after the last block. It
// belongs to whoever holds the store's write lock.
type tail struct {
	first   uint64 // index of the first record of the tail
	records []keys
	terms   int // in all of records
	// open has the intents of the block before that had no outcome in it, by their
	// index: the outcomes that come now belong to these.
	open map[uint64]keys
}

func (t *tail) add(k keys) {
	t.records = append(t.records, k)
	t.terms += len(k.terms)
}

func (t *tail) full() bool { return len(t.records) >= blockRecords || t.terms >= blockTerms }

// block is the inversion of a tail.
type block struct {
	first, next    uint64
	oldest, newest int64 // of the records' times, in microseconds since 1970
	// lists has the terms of each bucket, sorted, each once, in the packed form.
	lists [buckets][]byte
}

// invert makes the block of the tail. An outcome counts with the terms and the
// time of its intent besides its own, because it is to be found by both: load
// fetches the intents that the tail does not know.
func (t *tail) invert(load func(index uint64) (*keys, error)) (*block, error) {
	b := &block{
		first: t.first, next: t.first + uint64(len(t.records)),
		oldest: t.records[0].micros, newest: t.records[0].micros,
	}
	all := make([]term, 0, t.terms)
	include := func(k *keys) {
		all = append(all, k.terms...)
		b.oldest, b.newest = min(b.oldest, k.micros), max(b.newest, k.micros)
	}
	for i := range t.records {
		k := &t.records[i]
		include(k)
		if !k.isOutcome() || t.contains(k.intent) {
			continue // the intent's own turn includes it
		}
		if intent, ok := t.open[k.intent]; ok {
			include(&intent)
			continue
		}
		intent, err := load(k.intent)
		if err != nil {
			return nil, err
		}
		if intent != nil {
			include(intent)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for bucket := range b.lists {
		end := sort.Search(len(all), func(i int) bool { return bucketOf(all[i]) > bucket })
		b.lists[bucket] = appendTerms(make([]byte, 0, end*termBytes), all[:end])
		all = all[end:]
	}
	return b, nil
}

func (t *tail) contains(index uint64) bool {
	return index >= t.first && index-t.first < uint64(len(t.records))
}

// after returns the empty tail that follows the block of t.
func (t *tail) after() *tail {
	open := map[uint64]keys{}
	for i := range t.records {
		switch k := &t.records[i]; {
		case k.isIntent():
			open[t.first+uint64(i)] = *k
		case k.isOutcome():
			delete(open, k.intent)
		}
	}
	return &tail{first: t.first + uint64(len(t.records)), open: open}
}

// listHas reports whether a packed list has the term.
func listHas(list []byte, t term) bool {
	n := len(list) / termBytes
	i := sort.Search(n, func(i int) bool { return termAt(list, i) >= t })
	return i < n && termAt(list, i) == t
}
