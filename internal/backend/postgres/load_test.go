package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// load issues invoices until it is ended and remembers the outcome of each.
type load struct {
	t      *testing.T
	stop   context.CancelFunc
	client sync.WaitGroup

	mu sync.Mutex // guards the fields below
	// told is the outcome of each invoice by its mark: its number, 0 if it failed, -1 if
	// the outcome is uncertain.
	told  map[string]int64
	acked int
	// goal is the number of acknowledged invoices at which reached is closed.
	goal    int
	reached chan struct{}
}

const loadClients, loadSeries = 16, 5

// newLoad starts clients, spread over the ledgers in turn.
func newLoad(t *testing.T, ledgers ...backend.Ledger) *load {
	ctx, stop := context.WithCancel(t.Context())
	l := &load{t: t, stop: stop, told: map[string]int64{}}
	for c := range loadClients {
		l.client.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				marks := []string{fmt.Sprintf("%d-%d", c, i)}
				for k := range i % 4 {
					marks = append(marks, fmt.Sprintf("%d-%d-%d", c, i, k))
				}
				number, err := issueLot(ledgers[c%len(ledgers)], seriesOf((c+i)%loadSeries), marks, i%7 == 3)
				for k, mark := range marks {
					l.tell(mark, number+int64(k), err)
				}
				if errors.Is(err, backend.ErrClosed) {
					return
				}
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

// issueMarked issues an invoice with the mark in its detail.
func issueMarked(ledger backend.Ledger, series backend.Series, mark string, asking bool) (number int64, err error) {
	return issueLot(ledger, series, []string{mark}, asking)
}

// issueLot issues invoices with these marks in their details, and returns the first number. With asking it reads more
// than its own series and so runs alone.
func issueLot(ledger backend.Ledger, series backend.Series, marks []string, asking bool) (number int64, err error) {
	ctx := context.Background()
	err = ledger.Update(ctx, func(tx backend.Tx) error {
		state, err := tx.Series(ctx, series)
		if err != nil {
			return err
		}
		if asking {
			if _, err := tx.CAEA(ctx, "46450000000010"); err != nil && !errors.Is(err, backend.ErrNotFound) {
				return err
			}
		}
		number = state.Last + 1
		lot := make([]backend.Invoice, len(marks))
		for i, mark := range marks {
			lot[i] = marked(number+int64(i), mark)
		}
		return tx.Append(ctx, series, lot)
	})
	return number, err
}

func marked(number int64, mark string) backend.Invoice {
	return backend.Invoice{
		CbteDesde: number, CbteHasta: number, CbteFch: "20261106", Code: "96450000000012", EmisionTipo: backend.EmisionCAE,
		FchVto: "20261116", FchProceso: "20261106103015", Detail: []byte(mark),
	}
}

func (l *load) tell(mark string, number int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.told[mark] = number
		if l.acked++; l.acked == l.goal {
			close(l.reached)
		}
	case errors.Is(err, backend.ErrUncertain):
		l.told[mark] = -1
	default:
		l.told[mark] = 0
	}
}

// await waits until more invoices have been issued.
func (l *load) await(more int) {
	l.t.Helper()
	l.mu.Lock()
	l.goal, l.reached = l.acked+more, make(chan struct{})
	reached := l.reached
	l.mu.Unlock()
	<-reached
}

func (l *load) end() {
	l.stop()
	l.client.Wait()
}

// verify ends the load and compares the outcomes with the ledger.
func (l *load) verify(ledger backend.Ledger) {
	l.t.Helper()
	l.end()
	found := map[string]int64{}
	err := ledger.View(l.t.Context(), func(r backend.Reader) error {
		for i := range loadSeries {
			state, err := r.Series(l.t.Context(), seriesOf(i))
			if err != nil {
				return err
			}
			next := int64(1)
			for v, err := range r.AllInvoices(l.t.Context(), seriesOf(i)) {
				if err != nil {
					return err
				}
				if v.CbteDesde != next {
					l.t.Errorf("series %d has %d after %d", i, v.CbteDesde, next-1)
				}
				if _, twice := found[string(v.Detail)]; twice {
					l.t.Errorf("%s is there twice", v.Detail)
				}
				found[string(v.Detail)] = v.CbteDesde
				next = v.CbteHasta + 1
			}
			if next != state.Last+1 {
				l.t.Errorf("series %d should end at %d, but its last invoice is %d", i, state.Last, next-1)
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	outcomes := map[string]int{}
	for mark, number := range l.told {
		at, there := found[mark]
		switch {
		case number > 0 && at != number:
			l.t.Errorf("%s was issued as %d, and is at %d", mark, number, at)
		case number == 0 && there:
			l.t.Errorf("%s failed, and is at %d", mark, at)
		}
		outcomes[[]string{"uncertain", "failed", "issued"}[1+min(number, 1)]]++
	}
	for mark := range found {
		if _, known := l.told[mark]; !known {
			l.t.Errorf("%s is in the ledger but was never issued", mark)
		}
	}
	l.t.Logf("%v", outcomes)
}
