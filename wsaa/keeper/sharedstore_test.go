package keeper_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/fielato/fielato/wsaa/keeper"
)

// store is the nodes' common store. It remembers all that was ever saved.
type store struct {
	keeper.Memory
	mu    sync.Mutex
	saved [][]byte
	// failing are the methods that fail, by their names.
	failing []string
	asked   int
	named   string
}

var errStore = errors.New("no connection to the database")

func (s *store) fail(methods ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = methods
}

func (s *store) refusal(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if slices.Contains(s.failing, method) {
		return errStore
	}
	return nil
}

// has reports whether any entry that was ever saved holds a text.
func (s *store) has(text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.saved, func(entry []byte) bool { return bytes.Contains(entry, text) })
}

// nodeStore is the store as a node reaches it: not at all, once it is dead.
type nodeStore struct{ n *node }

func (s *nodeStore) refusal(method string) error {
	if s.n.isDead() {
		return errDead
	}
	return s.n.w.store.refusal(method)
}

func (s *nodeStore) Take(ctx context.Context, name, holder string, long time.Duration) (bool, error) {
	if err := s.refusal("Take"); err != nil {
		return false, err
	}
	return s.n.w.store.Take(ctx, name, holder, long)
}

func (s *nodeStore) Return(ctx context.Context, name, holder string) error {
	if err := s.refusal("Return"); err != nil {
		return err
	}
	return s.n.w.store.Return(ctx, name, holder)
}

func (s *nodeStore) Load(ctx context.Context, name string) ([]byte, error) {
	if err := s.refusal("Load"); err != nil {
		return nil, err
	}
	return s.n.w.store.Load(ctx, name)
}

func (s *nodeStore) Save(ctx context.Context, name, holder string, entry []byte) error {
	if err := s.refusal("Save"); err != nil {
		return err
	}
	s.n.w.store.mu.Lock()
	s.n.w.store.saved, s.n.w.store.named = append(s.n.w.store.saved, bytes.Clone(entry)), name
	s.n.w.store.mu.Unlock()
	return s.n.w.store.Save(ctx, name, holder, entry)
}

// name returns the name of the one entry that was asked for.
func (s *store) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.named
}
