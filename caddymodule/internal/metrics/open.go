package metrics

import (
	"slices"
	"sync"
)

// Live is the set of values in use, which a collector reads when it is scraped.
type Live[T comparable] struct {
	mu  sync.Mutex // guards all
	all []T
}

// Add adds a value.
func (s *Live[T]) Add(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

// Remove removes a value.
func (s *Live[T]) Remove(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(other T) bool { return other == one })
}

// All returns the values. One may be closed while the collector reads it: its methods for
// metrics must allow that.
func (s *Live[T]) All() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}
