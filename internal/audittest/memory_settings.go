package audittest

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
)

// Secret implements audit.Store.
func (m *Memory) Secret(_ context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	if value, ok := m.secrets[name]; ok {
		return slices.Clone(value), nil
	}
	value, err := create()
	if err != nil {
		return nil, fmt.Errorf("making secret %q: %w", name, err)
	}
	m.secrets[name] = slices.Clone(value)
	return value, nil
}

// Setting implements audit.Store.
func (m *Memory) Setting(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, audit.ErrClosed
	}
	return slices.Clone(m.settings[name]), nil
}

// SetSetting implements audit.Store.
func (m *Memory) SetSetting(_ context.Context, name string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return audit.ErrClosed
	}
	m.settings[name] = append([]byte{}, value...) // nothing is a value too
	return nil
}
