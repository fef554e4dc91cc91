package caddymodule

import (
	"slices"
	"sync"
)

// atWork are what metrics ask when they are scraped, as long as that is at work.
type atWork[T comparable] struct {
	mu  sync.Mutex // guards all
	all []T
}

func (s *atWork[T]) add(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

func (s *atWork[T]) remove(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(other T) bool { return other == one })
}

// open returns them. One of them may be closed meanwhile: what metrics ask for can be asked
// all the same.
func (s *atWork[T]) open() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}
