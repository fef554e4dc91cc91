package run

import (
	"fmt"
	"slices"
	"sort"

	"github.com/fielato/fielato/internal/segment/frame"
)

// Term is what postings have of a term: its first bits. Now and then another term has the same ones,
// and a search looks at a record more.
type Term uint32

// TermBits is the number of bits of a Term.
const TermBits = 27

// posting is an occurrence of a term in a record: the bits of the term that the level's buckets do not
// need to tell, and below them the record's place. In a block these are all bits of the term.
//
// The sizes go together: a list of a block of single invoices has some 740 bytes, and one of
// more than a thousand would take another page of 4 KiB. A record costs some 25 bytes of
// index on each level, written in order. In a database index of each key, each new authorisation code would
// dirty a page of its own, as they are spread at random.
type posting = uint64

const (
	postingBytes = 5
	// placeBits are the bits of a place in a block.
	placeBits = 13
	// manyPlaces: a term that more records of a block have is Everywhere in it.
	manyPlaces = 32

	// Buckets is the number of lists of a block: a commit that closes a block writes them all.
	Buckets    = 1 << bucketBits
	bucketBits = 6
)

// Place is the place of a record in a run: its place in its block, and above that the number of the block
// in the run.
type Place uint64

// Everywhere is the place in a block of a term that many of the block's records have: a search for it looks
// at each of them.
const Everywhere Place = 1<<placeBits - 1

// inBlock is the place without the number of the block.
func (p Place) inBlock() Place { return p & Everywhere }

// block is the number of the block.
func (p Place) block() uint64 { return uint64(p >> placeBits) }

// Shape are the measures of an index. Format has the measures of each store; tests have smaller ones.
type Shape struct {
	// Bits is how many bits number the parts of a run.
	Bits int
	// A block is closed when it has so many records, or terms.
	Records, Terms int
	// Tail is how many records may be without a block at most: an earlier build closed larger blocks.
	Tail int
}

// Format is the shape that every store has.
var Format = Shape{Bits: 4, Records: 2048, Terms: 1 << 16, Tail: 3584}

// Parts is the number of parts of a run.
func (s Shape) Parts() int { return 1 << s.Bits }

// Levels is the highest level: above it the buckets would need more bits than a Term has.
func (s Shape) Levels() int { return (TermBits - bucketBits - 1) / s.Bits }

// Buckets is the number of lists of a run.
func (s Shape) Buckets(level int) int { return 1 << (bucketBits + s.Bits*level) }

// Bucket returns the bucket of a term.
func (s Shape) Bucket(t Term, level int) int {
	return int(t >> (TermBits - bucketBits - s.Bits*level))
}

// placeBits are the bits of a place in a run.
func (s Shape) placeBits(level int) int { return placeBits + s.Bits*level }

// termBits are the bits of the term in a posting.
func (s Shape) termBits(level int) int { return TermBits - s.Bits*level }

// Posting returns the posting of a place in a block. In a batch larger than a block some places do not
// fit.
func Posting(t Term, place int) uint64 {
	return posting(t)<<placeBits | min(posting(place), posting(Everywhere))
}

// Pack returns the lists of a block: the postings of each bucket in order, each once. It works in the
// memory of all.
func Pack(all []uint64) (lists [Buckets][]byte) {
	sortPostings(all)
	all = slices.Compact(all)
	memory := make([]byte, 0, len(all)*postingBytes) // of all lists: they follow each other
	for len(all) > 0 {
		about := all[0] >> placeBits
		n := sort.Search(len(all), func(i int) bool { return all[i]>>placeBits > about })
		of := all[:n]
		if all = all[n:]; n > manyPlaces {
			of = of[:1]
			of[0] |= posting(Everywhere)
		}
		list, start := &lists[about>>(TermBits-bucketBits)], len(memory)
		for _, p := range of {
			memory = appendPosting(memory, p)
		}
		*list = memory[start-len(*list) : len(memory) : len(memory)]
	}
	return lists
}

func appendPosting(list []byte, p posting) []byte {
	return append(list, byte(p>>32), byte(p>>24), byte(p>>16), byte(p>>8), byte(p))
}

func postingAt(list []byte, i int) posting {
	b := list[i*postingBytes:][:postingBytes]
	return posting(b[0])<<32 | posting(b[1])<<24 | posting(b[2])<<16 | posting(b[3])<<8 | posting(b[4])
}

// Places returns the places at which a list of the term's bucket has the term, in order; nil if it has not.
func (s Shape) Places(list []byte, t Term, level int) (places []Place) {
	bits := s.placeBits(level)
	n, about := len(list)/postingBytes, posting(t)&(1<<s.termBits(level)-1)
	i := sort.Search(n, func(i int) bool { return postingAt(list, i)>>bits >= about })
	for ; i < n && postingAt(list, i)>>bits == about; i++ {
		places = append(places, Place(postingAt(list, i)&(1<<bits-1)))
	}
	return places
}

// splitter splits lists in memory that it uses again and again.
type splitter struct {
	postings []posting
	lists    []byte
}

// split merges the lists that the parts of a run have in one bucket. It appends the lists of the run's buckets
// that this one becomes to lists, and returns where each of them ends. level is the level of the parts.
func (sp *splitter) split(s Shape, level int, parts [][]byte) (ends []int, err error) {
	bits, left := s.placeBits(level), s.termBits(level)-s.Bits
	for _, list := range parts {
		if len(list)%postingBytes != 0 {
			return nil, fmt.Errorf("a list of %d bytes: %w", len(list), frame.ErrDamaged)
		}
	}
	ends = make([]int, s.Parts())
	for bucket := range ends {
		sp.postings = sp.postings[:0]
		for i, list := range parts {
			// The list is in order, so that the bucket's postings stand together. Of one that is not, which
			// others find, the result does not matter.
			of := func(j int) posting { return postingAt(list, j) >> (bits + left - bucketBits) & (1<<s.Bits - 1) }
			n := len(list) / postingBytes
			for j := sort.Search(n, func(j int) bool { return of(j) >= posting(bucket) }); j < n && of(j) == posting(bucket); j++ {
				p := postingAt(list, j)
				term, place := p>>bits, p&(1<<bits-1)
				sp.postings = append(sp.postings, term&(1<<left-1)<<(bits+s.Bits)|posting(i)<<bits|place)
			}
		}
		sortPostings(sp.postings)
		for _, p := range sp.postings {
			sp.lists = appendPosting(sp.lists, p)
		}
		ends[bucket] = len(sp.lists)
	}
	return ends, nil
}
