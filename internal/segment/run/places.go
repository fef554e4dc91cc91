package run

import (
	"slices"
	"sort"
)

// merge returns the places that any of several terms has, which stand one after the other, in order. It works in
// their memory. Where many records of a block have one of the terms, each of the block is looked at.
func merge(all []Place) []Place {
	slices.Sort(all)
	all = slices.Compact(all)
	merged := all[:0]
	for len(all) > 0 {
		block := all[0].block()
		n := sort.Search(len(all), func(i int) bool { return all[i].block() > block })
		if n > manyPlaces {
			merged = append(merged, Place(block)<<placeBits|Everywhere)
		} else {
			merged = append(merged, all[:n]...)
		}
		all = all[n:]
	}
	return merged
}

// union returns the places that one of two terms has, in order. It may use the memory of a.
func union(a, b []Place) []Place {
	if len(a) == 0 {
		return b
	}
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}

// intersect returns the places that two terms have together. A term that is Everywhere in a block has each
// place in it. All places are in order.
func intersect(a, b []Place) (both []Place) {
	for len(a) > 0 && len(b) > 0 {
		block := max(a[0].block(), b[0].block())
		var ofA, ofB []Place
		ofA, a = takeBlock(a, block)
		ofB, b = takeBlock(b, block)
		switch {
		case len(ofA) == 0 || len(ofB) == 0:
		case isEverywhere(ofA):
			both = append(both, ofB...)
		case isEverywhere(ofB):
			both = append(both, ofA...)
		default:
			for _, place := range ofA {
				if _, ok := slices.BinarySearch(ofB, place); ok {
					both = append(both, place)
				}
			}
		}
	}
	return both
}

// takeBlock returns the places in a block, and those in later ones.
func takeBlock(places []Place, block uint64) (in, after []Place) {
	from := sort.Search(len(places), func(i int) bool { return places[i].block() >= block })
	to := sort.Search(len(places), func(i int) bool { return places[i].block() > block })
	return places[from:to], places[to:]
}

// isEverywhere reports whether places in one block, at least one, are all of it: Everywhere is the last.
func isEverywhere(places []Place) bool { return places[len(places)-1].inBlock() == Everywhere }

// others returns Everywhere in each block of a run in which the places are not so.
func (s Shape) others(places []Place, level int) (others []Place) {
	for block := uint64(0); block < 1<<(s.Bits*level); block++ {
		everywhere := Place(block)<<placeBits | Everywhere
		if _, ok := slices.BinarySearch(places, everywhere); !ok {
			others = append(others, everywhere)
		}
	}
	return others
}

// within returns the places that are in a part of a run, as places in the part. level is the run's.
func (s Shape) within(places []Place, level, part int) (within []Place) {
	bits := s.placeBits(level - 1)
	from := sort.Search(len(places), func(i int) bool { return int(places[i]>>bits) >= part })
	for ; from < len(places) && int(places[from]>>bits) == part; from++ {
		within = append(within, places[from]&(1<<bits-1))
	}
	return within
}

// narrowed returns the places in a block that a query is narrowed to, nil if that is any of them.
func narrowed(places []Place) []Place {
	if len(places) == 0 || isEverywhere(places) {
		return nil
	}
	return places
}
