package idset

import "slices"

// Set is a set of identifiers from 0 to a few thousand, one bit for each: the
// rules ask for every line of every invoice, and a bit costs less to look up than
// a map. Nothing changes a set.
type Set []uint64

// Of returns the set of these identifiers.
func Of(ids ...int32) Set { return Set(nil).With(ids...) }

// OfRows returns the set of the identifiers of rows.
func OfRows[Row any](rows []Row, id func(Row) int32) Set {
	ids := make([]int32, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	return Of(ids...)
}

// With returns the set with more identifiers, none of them negative.
func (s Set) With(ids ...int32) Set {
	s = slices.Clone(s)
	for _, id := range ids {
		if missing := int(id)/64 + 1 - len(s); missing > 0 {
			s = append(s, make(Set, missing)...)
		}
		s[id/64] |= 1 << (id % 64)
	}
	return s
}

// Has reports whether the set holds an identifier, which may be any number.
func (s Set) Has(id int32) bool {
	word := uint32(id) / 64 // a negative one is beyond every set
	return word < uint32(len(s)) && s[word]&(1<<(uint32(id)%64)) != 0
}
