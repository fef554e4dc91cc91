package app

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// closingWith is a resource that does something when it is closed.
type closingWith struct{ close func() }

func (c *closingWith) Close() error {
	c.close()
	return nil
}

func closes(do func()) func() (*closingWith, error) {
	return func() (*closingWith, error) { return &closingWith{do}, nil }
}

// TestTheClosingOfAResourceMayWaitForAnother: the closing of a trail waits for a query of its own, which is inside
// the ledger of the built-in service when both are stopped, or comes there later.
func TestTheClosingOfAResourceMayWaitForAnother(t *testing.T) {
	for name, late := range map[string]bool{"inside": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			ledger := NewHandle(caddy.NewUsagePool(), "ledger", closes(func() {}))
			life, endLife := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			trail := NewHandle(caddy.NewUsagePool(), "trail", closes(func() {
				endLife()
				if err := <-ended; err != nil {
					t.Errorf("the query: %v", err)
				}
			}))
			for _, start := range []func() error{ledger.Start, trail.Start} {
				if err := start(); err != nil {
					t.Fatal(err)
				}
			}
			_, leave, err := trail.Enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			entered := make(chan struct{})
			go func() {
				if late {
					<-life.Done()
				}
				_, leaveLedger, err := ledger.Enter(t.Context())
				close(entered)
				<-life.Done()
				if err == nil {
					leaveLedger()
				}
				ended <- err
			}()
			if !late {
				<-entered
			}
			trail.Stop()
			ledger.Stop()
			leave() // closes the trail
			if _, there := ledger.pool.References("ledger"); there {
				t.Error("the ledger is still open")
			}
		})
	}
}

// TestALateRequestWaitsForAResourceThatCloses no longer than it may: the closing may wait for that very request.
func TestALateRequestWaitsForAResourceThatCloses(t *testing.T) {
	pool := caddy.NewUsagePool()
	life, endLife := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	other := NewHandle(pool, "trail", closes(func() {}))
	trail := NewHandle(pool, "trail", closes(func() {
		go func() {
			_, _, err := other.Enter(life)
			ended <- err
		}()
		endLife()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it enters what is being closed: %v", err)
		}
	}))
	for _, start := range []func() error{trail.Start, other.Start} {
		if err := start(); err != nil {
			t.Fatal(err)
		}
	}
	other.Stop()
	trail.Stop() // closes it
	if resource, leave, err := other.Enter(t.Context()); err != nil || resource == nil {
		t.Errorf("once it is closed: %v", err)
	} else {
		leave()
	}
}

// TestResourcesThatExcludeEachOtherOpenAndCloseOneAfterTheOther although their keys differ.
func TestResourcesThatExcludeEachOtherOpenAndCloseOneAfterTheOther(t *testing.T) {
	closing, goOn := make(chan struct{}), make(chan struct{})
	isClosed := false
	before := NewHandle(caddy.NewUsagePool(), "a", closes(func() {
		close(closing)
		<-goOn
		isClosed = true
	}))
	after := NewHandle(caddy.NewUsagePool(), "b", func() (*closingWith, error) {
		if !isClosed {
			t.Error("the other is not closed yet")
		}
		return &closingWith{func() {}}, nil
	})
	before.Excludes, after.Excludes = "store", "store"
	if err := before.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() {
		before.Stop()
		close(stopped)
	}()
	<-closing
	started := make(chan error)
	go func() { started <- after.Start() }()
	for waits := false; !waits; runtime.Gosched() {
		opening.mu.Lock()
		waits = opening.all["store"].users == 2
		opening.mu.Unlock()
	}
	close(goOn)
	if err := <-started; err != nil {
		t.Error(err)
	}
	<-stopped
	after.Stop()
	if len(opening.all) != 0 {
		t.Errorf("locks that nobody uses: %v", opening.all)
	}
}
