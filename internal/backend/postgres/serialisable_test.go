package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// twoLedgers opens one database twice, as two gateways would.
func twoLedgers(t *testing.T) [2]backend.Ledger {
	dsn := postgrestest.Shared(t).Database(t)
	two := [2]backend.Ledger{open(t, dsn), open(t, dsn)}
	t.Cleanup(func() { two[0].Close(); two[1].Close() })
	return two
}

func lastOf(ctx context.Context, r backend.Reader, i int) (int64, error) {
	state, err := r.Series(ctx, seriesOf(i))
	return state.Last, err
}

// TestUpdatesThatReadEachOthersSeriesBehaveAsIfAlone: the sum of two series is limited, and
// each Update reads both but appends only to its own.
func TestUpdatesThatReadEachOthersSeriesBehaveAsIfAlone(t *testing.T) {
	t.Parallel()
	const most = 14
	ledgers := twoLedgers(t)
	full := errors.New("full")
	var running sync.WaitGroup
	for c := range 8 {
		running.Go(func() {
			for err := error(nil); err == nil; {
				err = ledgers[c/2%2].Update(t.Context(), func(tx backend.Tx) error {
					own, err := lastOf(t.Context(), tx, c%2)
					other, otherErr := lastOf(t.Context(), tx, 1-c%2)
					if err := errors.Join(err, otherErr); err != nil {
						return err
					}
					if own+other >= most {
						return full
					}
					return tx.Append(t.Context(), seriesOf(c%2), []backend.Invoice{marked(own+1, "x")})
				})
				if err != nil && !errors.Is(err, full) {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	err := ledgers[0].View(t.Context(), func(r backend.Reader) error {
		a, err := lastOf(t.Context(), r, 0)
		b, otherErr := lastOf(t.Context(), r, 1)
		if a+b != most {
			t.Errorf("the series have %d and %d invoices, which are not %d", a, b, most)
		}
		return errors.Join(err, otherErr)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWhatAnUpdateReliesOnStaysUntilItsCommit: an Update relies on the end of another
// series, or on the absence of an invoice in it.
func TestWhatAnUpdateReliesOnStaysUntilItsCommit(t *testing.T) {
	ledgers := twoLedgers(t)
	for i := range 2 {
		if _, err := issueMarked(ledgers[0], seriesOf(i), "x", false); err != nil {
			t.Fatal(err)
		}
	}
	for name, rely := range map[string]func(backend.Tx) error{
		"the end": func(tx backend.Tx) error {
			_, err := lastOf(t.Context(), tx, 0)
			return err
		},
		"the absence": func(tx backend.Tx) error {
			_, err := tx.Invoice(t.Context(), seriesOf(0), 99)
			if errors.Is(err, backend.ErrNotFound) {
				return nil
			}
			return err
		},
	} {
		issued := make(chan error, 1)
		first := true
		err := ledgers[0].Update(t.Context(), func(tx backend.Tx) error {
			own, err := lastOf(t.Context(), tx, 1)
			if err == nil {
				err = rely(tx)
			}
			if err != nil {
				return err
			}
			if first {
				first = false
				go func() {
					_, err := issueMarked(ledgers[1], seriesOf(0), "x", false)
					issued <- err
				}()
				select {
				case err := <-issued:
					t.Errorf("%s: the series went on before the commit: %v", name, err)
					issued <- err
				case <-time.After(300 * time.Millisecond):
				}
			}
			return tx.Append(t.Context(), seriesOf(1), []backend.Invoice{marked(own+1, "x")})
		})
		if err := errors.Join(err, <-issued); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnUpdateSeesNoOrderThatAnotherOneContradicts: series 0 grows by itself. Each invoice
// of series 1 notes how far series 0 was, each of series 2 how far both were. An invoice of
// series 2 that saw n invoices of series 1 came before the next one there, so it cannot
// have seen more of series 0 than that one did.
func TestAnUpdateSeesNoOrderThatAnotherOneContradicts(t *testing.T) {
	t.Parallel()
	rounds := testrun.Size(t, 10, 20)
	ledgers := twoLedgers(t)
	for i := range 3 {
		if _, err := issueMarked(ledgers[0], seriesOf(i), "0 0", false); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var growing, looking sync.WaitGroup
	for _, ledger := range ledgers {
		growing.Go(func() {
			for ctx.Err() == nil {
				if _, err := issueMarked(ledger, seriesOf(0), "x", false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for c := range 4 {
		looking.Go(func() {
			for range rounds {
				if err := appendWhatIsSeen(t.Context(), ledgers[c/2], 1+c%2); err != nil {
					t.Error(err)
				}
			}
		})
	}
	looking.Wait()
	stop()
	growing.Wait()
	seen := [3][][2]int64{}
	for i := 1; i <= 2; i++ {
		seen[i] = seenBy(t, ledgers[0], i)
	}
	for _, both := range seen[2] {
		if next := both[1]; next < int64(len(seen[1])) && next > 0 && seen[1][next][0] < both[0] {
			t.Errorf("with %d of series 1 there were %d of series 0, and the next one saw %d", next, both[0], seen[1][next][0])
		}
	}
}

// appendWhatIsSeen appends an invoice that notes how far series 0 and 1 are. Series 1 reads
// itself first, series 2 reads the others first.
func appendWhatIsSeen(ctx context.Context, ledger backend.Ledger, to int) error {
	return ledger.Update(ctx, func(tx backend.Tx) error {
		b, err := lastOf(ctx, tx, 1)
		if err != nil {
			return err
		}
		a, err := lastOf(ctx, tx, 0)
		if err != nil {
			return err
		}
		own, err := lastOf(ctx, tx, to)
		if err != nil {
			return err
		}
		return tx.Append(ctx, seriesOf(to), []backend.Invoice{marked(own+1, fmt.Sprint(a, b))})
	})
}

func seenBy(t *testing.T, ledger backend.Ledger, i int) (all [][2]int64) {
	t.Helper()
	err := ledger.View(t.Context(), func(r backend.Reader) error {
		for v, err := range r.AllInvoices(t.Context(), seriesOf(i)) {
			if err != nil {
				return err
			}
			var s [2]int64
			if _, err := fmt.Sscan(string(v.Detail), &s[0], &s[1]); err != nil {
				return err
			}
			all = append(all, s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAReferenceIsSeenOrWaitedFor: a note is written only if no other refers to the voucher,
// so in the end there is exactly one.
func TestAReferenceIsSeenOrWaitedFor(t *testing.T) {
	t.Parallel()
	ledgers := twoLedgers(t)
	for round := range 15 {
		voucher := backend.IssuedVoucher{Cuit: 30000000007, Voucher: backend.Voucher{CbteTipo: 6, PtoVta: 1, Nro: int64(round + 1)}}
		note := fmt.Sprintf(`{"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":%d,"Cuit":"30000000007"}]}}`, round+1)
		var running sync.WaitGroup
		for c := range 4 {
			running.Go(func() {
				err := ledgers[c%2].Update(t.Context(), func(tx backend.Tx) error {
					last, err := lastOf(t.Context(), tx, c)
					if err != nil {
						return err
					}
					referring, err := tx.Referring(t.Context(), voucher)
					if err != nil || len(referring) > 0 {
						return err
					}
					return tx.Append(t.Context(), seriesOf(c), []backend.Invoice{marked(last+1, note)})
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		err := ledgers[0].View(t.Context(), func(r backend.Reader) error {
			referring, err := r.Referring(t.Context(), voucher)
			if len(referring) != 1 {
				t.Errorf("to voucher %d refer %v", round+1, referring)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
