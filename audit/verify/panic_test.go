package verify_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/panics"
)

// TestAPanicWhileReadingIsNotTakenForTheEnd: half of a log that verifies is not a log that does.
func TestAPanicWhileReadingIsNotTakenForTheEnd(t *testing.T) {
	memory := audittest.NewMemory()
	key := audittest.Key(t, "edge")
	trail, err := audit.Open(t.Context(), memory, "edge", key, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	for range 3 {
		if _, err := trail.Append(t.Context(), &audit.Record{Kind: audit.KindExchange}); err != nil {
			t.Fatal(err)
		}
	}
	for name, store := range map[string]audit.Store{
		"a scan":  &halting{memory},
		"a piece": &audittest.Twisted{Store: memory, OnScan: func(uint64, audit.Form) []audit.Form { panic("in a piece") }},
	} {
		if _, err := verify.Log(t.Context(), store, "edge", key.Verifier(), verify.Options{}); !errors.As(err, new(*panics.Error)) {
			t.Errorf("%s that cannot be read to its end: %v", name, err)
		}
	}
}

// halting is a store that panics after the first piece of a scan.
type halting struct{ audit.Store }

func (p *halting) Scan(ctx context.Context, log string, from uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range p.Store.Scan(ctx, log, from) {
			if yield(piece, err) {
				panic("in the middle of a scan")
			}
			return
		}
	}
}
