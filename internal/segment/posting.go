package segment

import (
	"slices"
	"sort"
)

// posting is an occurrence of a term in a record of a block: the first bits of the term, and
// below them the record's place in the block. Now and then another term has the same bits, and
// a search looks at a record more.
//
// The sizes go together: a list of a block of single invoices has some 840 bytes, and one of
// more than a thousand would take another page of 4 KiB. A record costs some fifteen bytes of
// index, written in order. In a database index of each key, each new authorisation code would
// dirty a page of its own, as they are spread at random.
type posting uint64

const (
	postingBytes = 5
	placeBits    = 13
	// everywhere is the place of a term that more than manyPlaces records have: a search
	// for it looks at each record of the block.
	everywhere = 1<<placeBits - 1
	manyPlaces = 32

	// Buckets is the number of lists of a block: a search reads one list of each
	// block for each term, a commit that closes a block writes them all.
	Buckets    = 1 << bucketBits
	bucketBits = 6
)

// postingOf returns the posting of a place, which may be everywhere. In a batch larger than a
// block some places do not fit.
func postingOf(t term, place int) posting {
	return posting(t)>>(8*termBytes-8*postingBytes+placeBits)<<placeBits | posting(min(place, everywhere))
}

// about returns the part that is the same for all postings of a term.
func (p posting) about() posting { return p >> placeBits }
func (p posting) place() int     { return int(p & everywhere) }
func (p posting) bucket() int    { return int(p >> (8*postingBytes - bucketBits)) }

func bucketOf(t term) int { return postingOf(t, 0).bucket() }

// markOf returns the bytes with which each posting of the term begins: those that have
// nothing of the place.
func markOf(t term) []byte {
	p := postingOf(t, 0)
	return []byte{byte(p >> 32), byte(p >> 24), byte(p >> 16)}
}

func appendPostings(all []posting, k *keys, place int) []posting {
	for i := range len(k.terms) / termBytes {
		all = append(all, postingOf(termAt(k.terms, i), place))
	}
	return all
}

// packPostings returns the lists of a block: the postings of each bucket in order, each
// once. It works in the memory of all.
func packPostings(all []posting) (lists [Buckets][]byte) {
	slices.Sort(all)
	all = slices.Compact(all)
	for len(all) > 0 {
		about := all[0].about()
		n := sort.Search(len(all), func(i int) bool { return all[i].about() > about })
		of := all[:n]
		if all = all[n:]; n > manyPlaces {
			of = of[:1]
			of[0] |= everywhere
		}
		list := &lists[of[0].bucket()]
		for _, p := range of {
			*list = append(*list, byte(p>>32), byte(p>>24), byte(p>>16), byte(p>>8), byte(p))
		}
	}
	return lists
}

func postingAt(list []byte, i int) posting {
	b := list[i*postingBytes:][:postingBytes]
	return posting(b[0])<<32 | posting(b[1])<<24 | posting(b[2])<<16 | posting(b[3])<<8 | posting(b[4])
}

// placesOf returns the places at which a list has the term, nil if it has not.
func placesOf(list []byte, t term) []int {
	n, about := len(list)/postingBytes, postingOf(t, 0).about()
	i := sort.Search(n, func(i int) bool { return postingAt(list, i).about() >= about })
	var places []int
	for ; i < n && postingAt(list, i).about() == about; i++ {
		places = append(places, postingAt(list, i).place())
	}
	return places
}
