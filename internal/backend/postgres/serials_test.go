package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// taken asks for serial numbers. With shared it asks for a series first, and so runs in a
// shared transaction.
func taken(ctx context.Context, ledger backend.Ledger, n int, shared bool) (given []int64, err error) {
	err = ledger.Update(ctx, func(tx backend.Tx) error {
		if shared {
			if _, err := tx.Series(ctx, seriesOf(0)); err != nil {
				return err
			}
		}
		given, err = tx.Serials(ctx, n)
		return err
	})
	return given, err
}

func TestSerialsThatOneLedgerSkipsNoOtherGives(t *testing.T) {
	ledgers := twoLedgers(t)
	if _, err := issueMarked(ledgers[0], seriesOf(0), "x", false); err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for round := range 6 {
		// From here on each ledger has reserved numbers.
		for _, ledger := range ledgers {
			if _, err := taken(t.Context(), ledger, 1, round%2 == 0); err != nil {
				t.Fatal(err)
			}
		}
		last += 3500
		err := ledgers[round%2].Update(t.Context(), func(tx backend.Tx) error { return tx.SkipSerials(t.Context(), last) })
		if err != nil {
			t.Fatal(err)
		}
		for _, ledger := range ledgers {
			given, err := taken(t.Context(), ledger, 2, round%2 == 0)
			if err != nil || given[0] <= last || given[1] <= last {
				t.Errorf("%v after %d were skipped: %v", given, last, err)
			}
		}
	}
}

func TestSerialsAreGivenOnceHoweverManyAskForThem(t *testing.T) {
	ledgers := twoLedgers(t)
	if _, err := issueMarked(ledgers[0], seriesOf(0), "x", false); err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	var mu sync.Mutex // guards seen
	seen := map[int64]bool{}
	for c := range 16 {
		asking.Go(func() {
			for i := range 12 {
				given, err := taken(t.Context(), ledgers[c%2], 1+i*60, c%3 != 0)
				if err != nil || len(given) != 1+i*60 {
					t.Errorf("%d of %d: %v", len(given), 1+i*60, err)
				}
				mu.Lock()
				for _, serial := range given {
					if seen[serial] || serial < 1 {
						t.Errorf("serial %d was given before", serial)
					}
					seen[serial] = true
				}
				mu.Unlock()
			}
		})
	}
	asking.Wait()
}
