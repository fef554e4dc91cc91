package once_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// TestAServiceBehindItsTimeHidesNoRepeat: an approved request is found even if the service
// reports an earlier last number for the series.
func TestAServiceBehindItsTimeHidesNoRepeat(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		for n := range int64(6) {
			if _, err := g.issue(t.Context(), request("100", n+1), nothingLost); err != nil {
				t.Fatal(err)
			}
		}
		turn := enter(t, g, request("100", 8))
		if err := turn.Confirm(t.Context(), saying{&wsfev1.FECompUltimoAutorizadoAnswer{PtoVta: 1, CbteTipo: 6, CbteNro: 1}}); err != nil {
			t.Fatal(err)
		}
		if p := turn.Prediction; p == nil || p.Last != 1 || !p.Sure {
			t.Errorf("%+v, want what the service says", p)
		}
		turn.Leave(once.Result{State: once.NotSent})
		if result, err := g.issue(t.Context(), request("100", 2), nothingLost); err != nil || result.Kept == nil {
			t.Errorf("the same as an approved one: %+v, %v", result, err)
		}
	})
}

// unsearchable is a store that finds nothing any more once it is down.
type unsearchable struct {
	audit.Store
	down bool
}

func (s *unsearchable) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	if s.down {
		return func(yield func(*audit.Record, error) bool) { yield(nil, errDown) }
	}
	return s.Store.Search(ctx, query)
}

// TestNothingIsSentWhileSomethingIsOpen, also by who may send without a journal.
func TestNothingIsSentWhileSomethingIsOpen(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.close()
		store := &unsearchable{Store: g.store}
		*g = *open(t, store, g.service)
		g.sentWith.AllowWithoutJournal = true
		if _, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil {
			t.Fatal(err)
		}
		g.service.set(func(s *fakeService) { s.down = true })
		if result, err := g.issue(t.Context(), request("100", 2), answerLost); err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v", result, err)
		}
		store.down = true
		var unsettled *once.UnsettledError
		for _, number := range []int64{1, 2, 3} {
			if turn, err := g.coordinator.Enter(t.Context(), g.terms(request("200", number)), g.service); !errors.As(err, &unsettled) {
				t.Errorf("number %d: %+v, %v, want an UnsettledError", number, turn, err)
			}
		}
	})
}
