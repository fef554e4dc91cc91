package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/wsfev1"
)

// victimVariable names a ledger. With it set, the test binary fills that ledger until
// it is killed.
const victimVariable = "FIELATO_TEST_LEDGER_VICTIM"

const victims = 8

func crashSeries(i int) backend.Series {
	return backend.Series{Cuit: wsfev1.CUIT(20267565393 + i), PtoVta: 1, CbteTipo: 6}
}

// victim continues each series from its last invoice, with single invoices and with lots. It
// prints the series and the last number once the ledger has acknowledged it.
func victim(path string) {
	ledger, err := sqlite.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	var out sync.Mutex // guards standard output
	var wait sync.WaitGroup
	for i := range victims {
		wait.Go(func() {
			for size := 1; ; size = size%4 + 1 {
				var number int64
				err := ledger.Update(context.Background(), func(tx backend.Tx) error {
					state, err := tx.Series(context.Background(), crashSeries(i))
					if err != nil {
						return err
					}
					number = state.Last
					lot := make([]backend.Invoice, size)
					for k := range lot {
						number++
						lot[k] = backend.Invoice{CbteDesde: number, CbteHasta: number, CbteFch: "20261106", EmisionTipo: backend.EmisionCAE}
					}
					return tx.Append(context.Background(), crashSeries(i), lot)
				})
				if err != nil {
					return
				}
				out.Lock()
				fmt.Println(i, number)
				out.Unlock()
			}
		})
	}
	wait.Wait()
}

func TestKilledProcessLosesNothingThatWasAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	acknowledged := map[int]int64{}
	// Different numbers of invoices: the last kill comes after checkpoints.
	for _, invoices := range []int{20, 500, 6000} {
		killAfter(t, path, invoices, acknowledged)
		verifyCrashed(t, path, acknowledged)
	}
}

// killAfter runs the victim until it has acknowledged the given number of invoices,
// kills it, and records the last acknowledged number of each series.
func killAfter(t *testing.T, path string, invoices int, acknowledged map[int]int64) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), victimVariable+"="+path)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := 0
	scanner := bufio.NewScanner(output)
	for scanner.Scan() {
		var i int
		var number int64
		if _, err := fmt.Sscan(scanner.Text(), &i, &number); err != nil {
			break // cut off by the kill
		}
		if number <= acknowledged[i] {
			t.Errorf("number %d of series %d was given twice", number, i)
		}
		acknowledged[i] = max(acknowledged[i], number)
		if lines++; lines == invoices {
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = process.Wait()
	if lines < invoices {
		t.Fatalf("the process ended after %d invoices: %s", lines, scanner.Text())
	}
}

// verifyCrashed opens the ledger and compares each series with what was acknowledged:
// it must reach as far, with no number missing.
func verifyCrashed(t *testing.T, path string, acknowledged map[int]int64) {
	t.Helper()
	ledger, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	err = ledger.View(t.Context(), func(r backend.Reader) error {
		for i := range victims {
			state, err := r.Series(t.Context(), crashSeries(i))
			if err != nil {
				return err
			}
			if state.Last < acknowledged[i] {
				t.Errorf("series %d ends at %d, and %d was acknowledged", i, state.Last, acknowledged[i])
			}
			next := int64(1)
			for kept, err := range r.AllInvoices(t.Context(), crashSeries(i)) {
				if err != nil {
					return err
				}
				if kept.CbteDesde != next {
					t.Errorf("series %d has %d after %d", i, kept.CbteDesde, next-1)
				}
				next = kept.CbteHasta + 1
			}
			if next != state.Last+1 {
				t.Errorf("series %d should end at %d, but its last invoice is %d", i, state.Last, next-1)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
