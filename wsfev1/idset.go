package wsfev1

import "slices"

// idSet is a set of identifiers from 0 to a few thousand, one bit for each: the
// rules ask for every line of every invoice, and a bit costs less to look up than
// a map. It is not changed once the package is initialised.
type idSet []uint64

func idsOf(ids ...int32) idSet { return idSet(nil).with(ids...) }

func idsOfRows[Row any](rows []Row, id func(Row) int32) idSet {
	ids := make([]int32, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	return idsOf(ids...)
}

// with returns the set with more identifiers, none of them negative.
func (s idSet) with(ids ...int32) idSet {
	s = slices.Clone(s)
	for _, id := range ids {
		if missing := int(id)/64 + 1 - len(s); missing > 0 {
			s = append(s, make(idSet, missing)...)
		}
		s[id/64] |= 1 << (id % 64)
	}
	return s
}

// has reports whether the set holds an identifier, which may be any number.
func (s idSet) has(id int32) bool {
	word := uint32(id) / 64 // a negative one is beyond every set
	return word < uint32(len(s)) && s[word]&(1<<(uint32(id)%64)) != 0
}
