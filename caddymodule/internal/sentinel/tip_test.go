package sentinel

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

const logName = "edge-1"

// written is a log with some records in a store of its own.
func written(t *testing.T, key *audit.Key, records int) (audit.Store, *audit.Writer) {
	t.Helper()
	store := audittest.NewMemory()
	w, err := audit.Open(t.Context(), store, logName, key, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for range records {
		if _, err := w.Append(t.Context(), &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}); err != nil {
			t.Fatal(err)
		}
	}
	return store, w
}

// TestATipIsComparedWithTheLog.
func TestATipIsComparedWithTheLog(t *testing.T) {
	key := audittest.Key(t, logName)
	longer, newest := written(t, key, 5)
	shorter, _ := written(t, key, 2)
	other, _ := written(t, key, 9)
	place := filepath.Join(t.TempDir(), "the.key")
	tip := TipOf(place, logName)
	check := func(store audit.Store) error { return tip.Check(t.Context(), store, logName, key.Verifier()) }
	if err := check(shorter); err != nil {
		t.Errorf("without a tip: %v", err)
	}
	if err := tip.keep(newest.Checkpoint(), true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(string(tip)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := check(longer); err != nil {
		t.Errorf("the same log: %v", err)
	}
	var lost *LostError
	if err := check(shorter); !errors.As(err, &lost) || lost.Had != 5 || lost.Has != 2 || !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("a log without its end: %v", err)
	}
	if err := check(other); errors.As(err, new(*LostError)) || !errors.Is(err, audit.ErrUnsound) {
		t.Errorf("another history: %v", err)
	}
	for name, text := range map[string][]byte{"half a note": newest.Checkpoint()[:20], "nothing": nil} {
		if err := os.WriteFile(string(tip), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := check(shorter); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A key that was put in the place of another one has signed nothing yet.
	if err := tip.keep(newest.Checkpoint(), true); err != nil {
		t.Fatal(err)
	}
	another := audittest.Key(t, "another")
	store, _ := written(t, another, 1)
	if err := tip.Check(t.Context(), store, logName, another.Verifier()); err != nil {
		t.Errorf("the tip of another key: %v", err)
	}
}

// TestTheTipFollowsTheLog, and is whole when the trail is closed. It is not made in a folder that has
// come in place of its own.
func TestTheTipFollowsTheLog(t *testing.T) {
	store, w := written(t, audittest.Key(t, logName), 1)
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	tip := TipOf(filepath.Join(folder, "the.key"), logName)
	s := Start(Settings{Log: logName, Store: store, Checkpoint: w.Checkpoint, Tip: tip, Logger: zap.NewNop(), Every: time.Millisecond})
	grow := func() {
		t.Helper()
		if _, err := w.Append(t.Context(), &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}); err != nil {
			t.Fatal(err)
		}
	}
	follows := func() bool {
		kept, err := os.ReadFile(string(tip))
		return err == nil && bytes.Equal(kept, w.Checkpoint())
	}
	for range 3 {
		grow()
		caddytest.Eventually(t, "the tip follows", follows)
	}
	grow()
	s.Close()
	if !follows() {
		t.Error("it is not whole at the end")
	}
	if err := os.Remove(string(tip)); err != nil {
		t.Fatal(err)
	}
	s = Start(Settings{Log: logName, Store: store, Checkpoint: w.Checkpoint, Tip: tip, Logger: zap.NewNop(), Every: time.Hour})
	caddytest.Eventually(t, "the first tip is there", follows)
	if err := os.Rename(folder, folder+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	grow()
	s.Close()
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}
