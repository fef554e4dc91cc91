package once_test

import (
	"context"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
)

// searched counts the searches in a store.
type searched struct {
	audit.Store
	times int
}

func (s *searched) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	s.times++
	return s.Store.Search(ctx, query)
}

// TestANewNumberCostsNoSearch, however often its requests are refused; an earlier one does.
func TestANewNumberCostsNoSearch(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.close()
		store := &searched{Store: g.store}
		*g = *open(t, store, g.service)
		if _, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			asked   *once.Request
			repeats bool
			want    int
		}{{request("100", 2), false, 0}, {request("100", 1), true, 1}, {request("101", 1), false, 1}} {
			before := store.times
			if repeats, err := g.coordinator.MayRepeat(t.Context(), test.asked); err != nil || repeats != test.repeats || store.times-before != test.want {
				t.Errorf("number %d: %v, %v, after %d searches", test.asked.Key.Desde, repeats, err, store.times-before)
			}
		}
	})
}
