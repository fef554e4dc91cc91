package metrics

import (
	"slices"
	"sync"
)

// Live is what a collector reads when it is scraped: the values that are at work now.
type Live[T comparable] struct {
	mu  sync.Mutex // guards all
	all []T
}

func (s *Live[T]) Add(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

func (s *Live[T]) Remove(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(other T) bool { return other == one })
}

// All returns them. One of them may be closed meanwhile: what metrics ask for can be asked
// all the same.
func (s *Live[T]) All() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}
