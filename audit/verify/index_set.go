package verify

import "math/bits"

// indexPage is how many indexes a page of an IndexSet has.
const indexPage = 4096

// IndexSet is a set of indexes in order: at worst a bit for each record of a log, and
// next to nothing where intents get their outcomes. The zero IndexSet is empty.
type IndexSet struct {
	count uint64
	pages map[uint64]*[indexPage / 64]uint64
	// last is the largest index that was ever added.
	last uint64
}

func (s *IndexSet) Add(index uint64) {
	page := s.pages[index/indexPage]
	if page == nil {
		page = new([indexPage / 64]uint64)
		if s.pages == nil {
			s.pages = map[uint64]*[indexPage / 64]uint64{}
		}
		s.pages[index/indexPage] = page
	}
	if word := &page[index%indexPage/64]; *word>>(index%64)&1 == 0 {
		*word |= 1 << (index % 64)
		s.count, s.last = s.count+1, max(s.last, index)
	}
}

// Has reports whether the index is there.
func (s *IndexSet) Has(index uint64) bool {
	page := s.pages[index/indexPage]
	return page != nil && page[index%indexPage/64]>>(index%64)&1 == 1
}

// remove reports whether the index was there.
func (s *IndexSet) remove(index uint64) bool {
	page := s.pages[index/indexPage]
	if page == nil {
		return false
	}
	word := &page[index%indexPage/64]
	if *word>>(index%64)&1 == 0 {
		return false
	}
	*word &^= 1 << (index % 64)
	s.count--
	if *word == 0 && *page == ([indexPage / 64]uint64{}) {
		delete(s.pages, index/indexPage)
	}
	return true
}

// each gives the indexes in order, until more returns false.
func (s *IndexSet) each(more func(uint64) bool) {
	for n := uint64(0); len(s.pages) > 0 && n <= s.last/indexPage; n++ {
		page := s.pages[n]
		if page == nil {
			continue
		}
		for i, word := range page {
			for ; word != 0; word &= word - 1 {
				if !more(n*indexPage + uint64(i*64+bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
