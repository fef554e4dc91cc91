package backendtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

const (
	writers   = 64
	perWriter = 12
)

// errAgain makes some updates fail after they took a number, which must then be given to
// another update.
var errAgain = errors.New("given up on purpose")

// takeNumbers lets each writer take numbers of the series, and counts the writer's
// numbers into got.
func takeNumbers(ctx context.Context, ledgers []backend.Ledger) (map[int64]int, error) {
	var (
		mu       sync.Mutex // guards got and failures
		got      = map[int64]int{}
		failures []error
		wait     sync.WaitGroup
	)
	for w := range writers {
		wait.Go(func() {
			ledger := ledgers[w%len(ledgers)]
			for i := range perWriter {
				number, err := takeNumber(ctx, ledger, (w+i)%5 == 0)
				mu.Lock()
				if err != nil {
					failures = append(failures, err)
				} else if number > 0 {
					got[number]++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return got, errors.Join(failures...)
}

// takeNumber takes the next number, or gives up on it and returns 0.
func takeNumber(ctx context.Context, ledger backend.Ledger, giveUp bool) (number int64, err error) {
	err = ledger.Update(ctx, func(tx backend.Tx) error {
		state, err := tx.Series(ctx, anySeries)
		if err != nil {
			return err
		}
		number = state.Last + 1
		if err := tx.Append(ctx, anySeries, []backend.Invoice{invoice(number, number, "20261106")}); err != nil {
			return err
		}
		if giveUp {
			return errAgain
		}
		return nil
	})
	if errors.Is(err, errAgain) {
		return 0, nil
	}
	return number, err
}

func checkNumbers(t *testing.T, ledger backend.Ledger, got map[int64]int) {
	t.Helper()
	last := state(t, ledger, anySeries).Last
	if int(last) != len(got) {
		t.Errorf("the series ends at %d and %d numbers were given", last, len(got))
	}
	for number := int64(1); number <= last; number++ {
		if got[number] != 1 {
			t.Errorf("number %d was given %d times", number, got[number])
		}
	}
}

func numbersAreGivenOnce(t *testing.T, open Open) {
	ledger := opened(t, open)
	got, err := takeNumbers(t.Context(), []backend.Ledger{ledger})
	if err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, ledger, got)
}

func twoLedgersShareNumbering(t *testing.T, open Open) {
	place := t.TempDir()
	first, second := open(t, place), open(t, place)
	defer closed(t, first)
	defer closed(t, second)
	got, err := takeNumbers(t.Context(), []backend.Ledger{first, second})
	if err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, first, got)
	checkNumbers(t, second, got)
}

func serialsNeverRepeat(t *testing.T, open Open) {
	place := t.TempDir()
	seen := map[int64]string{}
	for round := range 3 {
		ledger := open(t, place)
		for i := range 4 {
			var serials []int64
			err := ledger.Update(t.Context(), func(tx backend.Tx) (err error) {
				if serials, err = tx.Serials(t.Context(), i+1); err == nil && i == 2 {
					return errAgain
				}
				return err
			})
			if err != nil && !errors.Is(err, errAgain) {
				t.Fatal(err)
			}
			if len(serials) != i+1 {
				t.Errorf("asked for %d serials, got %v", i+1, serials)
			}
			if errors.Is(err, errAgain) {
				continue
			}
			for _, s := range serials {
				if before, ok := seen[s]; ok || s < 1 {
					t.Errorf("serial %d was given before, in %s", s, before)
				}
				seen[s] = fmt.Sprintf("round %d, update %d", round, i)
			}
		}
		closed(t, ledger)
	}
}
