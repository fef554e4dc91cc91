package app

import (
	"errors"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// opened is a resource that knows whether it is open.
type opened struct{ open bool }

func (o *opened) Close() error {
	o.open = false
	return nil
}

func newOpened() (*opened, error) { return &opened{open: true}, nil }

// TestLeaseServesWhoComesAfterTheReload: the old server may read one more request
// after its configuration was cleaned up.
func TestLeaseServesWhoComesAfterTheReload(t *testing.T) {
	pool := caddy.NewUsagePool()
	l := NewHandle(pool, "key", newOpened)
	if err := l.Start(); err != nil {
		t.Fatal(err)
	}
	first, leaveFirst, err := l.Enter(t.Context())
	if err != nil || !first.open {
		t.Fatalf("%v %+v", err, first)
	}
	l.Stop()
	if !first.open {
		t.Fatal("closed while somebody is inside")
	}
	second, leaveSecond, err := l.Enter(t.Context())
	if err != nil || second != first {
		t.Fatalf("a newcomer beside the last one: %v", err)
	}
	leaveFirst()
	leaveSecond()
	if first.open {
		t.Fatal("still open after the last has left")
	}
	late, leave, err := l.Enter(t.Context())
	if err != nil || !late.open {
		t.Fatalf("the one who comes later: %v %+v", err, late)
	}
	leave()
	if _, there := pool.References("key"); late.open || there {
		t.Error("what the late one took is still held")
	}
}

// TestLeaseSharesWhatTheNewConfigurationHolds: the same key is the same resource.
func TestLeaseSharesWhatTheNewConfigurationHolds(t *testing.T) {
	pool := caddy.NewUsagePool()
	before, after := NewHandle(pool, "key", newOpened), NewHandle(pool, "key", newOpened)
	for _, l := range []*Handle[*opened]{before, after} {
		if err := l.Start(); err != nil {
			t.Fatal(err)
		}
	}
	before.Stop()
	late, leaveLate, err := before.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	current, leaveCurrent, err := after.Enter(t.Context())
	if err != nil || current != late {
		t.Fatalf("two resources under one key: %v", err)
	}
	leaveLate()
	if !current.open {
		t.Error("the late one has closed what the new configuration holds")
	}
	leaveCurrent()
	after.Stop()
	if current.open {
		t.Error("still open after the last configuration has gone")
	}
}

// TestLeaseThatNeverStartedTurnsAway: its error is the one of the opening, or that
// there was none.
func TestLeaseThatNeverStartedTurnsAway(t *testing.T) {
	failure := errors.New("the disk is gone")
	failing := NewHandle(caddy.NewUsagePool(), "key", func() (*opened, error) { return nil, failure })
	if err := failing.Start(); !errors.Is(err, failure) {
		t.Errorf("started: %v", err)
	}
	if _, _, err := failing.Enter(t.Context()); !errors.Is(err, failure) {
		t.Errorf("entered: %v", err)
	}
	failing.Stop()
	unstarted := NewHandle(caddy.NewUsagePool(), "key", newOpened)
	unstarted.Stop()
	if _, _, err := unstarted.Enter(t.Context()); !errors.Is(err, errNotOpen) {
		t.Errorf("entered: %v", err)
	}
}
