// Package keepertest is what every keeper.Store must do, as a test.
package keepertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa/keeper"
)

// Store tests a Store that has no entries. pass lets time pass by the store's clock.
func Store(t *testing.T, store keeper.Store, pass func(time.Duration)) {
	t.Helper()
	t.Run("entry", func(t *testing.T) { testEntry(t, store) })
	t.Run("holder", func(t *testing.T) { testHolder(t, store, pass) })
	t.Run("race", func(t *testing.T) { testRace(t, store) })
}

// short is how long a hold lasts that a test waits for.
const short = 100 * time.Millisecond

func testEntry(t *testing.T, store keeper.Store) {
	ctx, name := t.Context(), "wsaa-0123456789abcdef0123456789abcdef"
	load := func(want []byte) {
		t.Helper()
		if got, err := store.Load(ctx, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v, want %d", len(got), err, len(want))
		}
	}
	load(nil)
	if err := store.Save(ctx, name, "a", []byte("early")); !errors.Is(err, keeper.ErrNotHolder) {
		t.Errorf("saved without a hold: %v", err)
	}
	if err := store.Return(ctx, name, "a"); err != nil {
		t.Errorf("to return what nobody has is no error: %v", err)
	}
	hold(t, store, name, "a", time.Minute, true)
	load(nil)
	large := bytes.Repeat([]byte{0, 1, 0xff, '\''}, 1<<19)
	for _, entry := range [][]byte{[]byte("one"), large, {0}, []byte("two")} {
		if err := store.Save(ctx, name, "a", entry); err != nil {
			t.Fatal(err)
		}
		load(entry)
	}
	if err := store.Save(ctx, name, "b", []byte("another's")); !errors.Is(err, keeper.ErrNotHolder) {
		t.Errorf("saved by another: %v", err)
	}
	if err := store.Return(ctx, name, "a"); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(ctx, name, "a", []byte("late")); !errors.Is(err, keeper.ErrNotHolder) {
		t.Errorf("saved after the hold was returned: %v", err)
	}
	load([]byte("two"))
	if got, err := store.Load(ctx, "another"); err != nil || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// hold takes a name, and checks whether it is held.
func hold(t *testing.T, store keeper.Store, name, holder string, long time.Duration, want bool) {
	t.Helper()
	if held, err := store.Take(t.Context(), name, holder, long); err != nil || held != want {
		t.Errorf("%s has %s: %v, %v, want %v", holder, name, held, err, want)
	}
}

func testHolder(t *testing.T, store keeper.Store, pass func(time.Duration)) {
	ctx := t.Context()
	hold(t, store, "lease", "a", time.Minute, true)
	hold(t, store, "lease", "b", time.Minute, false)
	hold(t, store, "lease", "a", time.Minute, true)
	hold(t, store, "other lease", "b", time.Minute, true)
	if err := store.Return(ctx, "lease", "b"); err != nil {
		t.Error(err)
	}
	hold(t, store, "lease", "b", time.Minute, false)
	if err := store.Return(ctx, "lease", "a"); err != nil {
		t.Error(err)
	}
	hold(t, store, "lease", "b", short, true)
	pass(2 * short)
	if err := store.Save(ctx, "lease", "b", []byte("late")); !errors.Is(err, keeper.ErrNotHolder) {
		t.Errorf("saved after the hold had run out: %v", err)
	}
	hold(t, store, "lease", "a", time.Minute, true)
	if err := store.Return(ctx, "lease", "b"); err != nil {
		t.Error(err)
	}
	hold(t, store, "lease", "c", time.Minute, false)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if held, err := store.Take(ended, "lease", "a", time.Minute); err == nil || held {
		t.Errorf("%v, %v after the context has ended", held, err)
	}
	if err := store.Save(ended, "lease", "a", []byte("x")); err == nil {
		t.Error("saved after the context has ended")
	}
	if _, err := store.Load(ended, "lease"); err == nil {
		t.Error("loaded after the context has ended")
	}
}

// testRace lets many take one name at once: one of them gets it.
func testRace(t *testing.T, store keeper.Store) {
	for round := range 5 {
		var all sync.WaitGroup
		var held atomic.Int32
		for i := range 8 {
			all.Go(func() {
				ok, err := store.Take(t.Context(), fmt.Sprintf("race %d", round), fmt.Sprintf("node %d", i), time.Minute)
				if err != nil {
					t.Error(err)
				}
				if ok {
					held.Add(1)
				}
			})
		}
		all.Wait()
		if held.Load() != 1 {
			t.Errorf("%d holders", held.Load())
		}
	}
}
