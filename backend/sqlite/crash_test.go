package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/backend/sqlite"
	"github.com/fielato/fielato/wsfev1"
)

// victimVariable makes the test binary a program that fills the ledger it names
// until it is killed.
const victimVariable = "FIELATO_TEST_LEDGER_VICTIM"

const victims = 8

func crashSeries(i int) backend.Series {
	return backend.Series{Cuit: wsfev1.CUIT(20267565393 + i), PtoVta: 1, CbteTipo: 6}
}

// victim prints series and number of each invoice once it is told that the
// invoice is kept.
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
			for number := int64(1); ; number++ {
				kept := backend.Invoice{CbteDesde: number, CbteHasta: number, CbteFch: "20261106", EmisionTipo: backend.EmisionCAE}
				err := ledger.Update(context.Background(), func(tx backend.Tx) error {
					return tx.Append(context.Background(), crashSeries(i), []backend.Invoice{kept})
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
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), victimVariable+"="+path)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[int]int64{}
	lines := 0
	for scanner := bufio.NewScanner(output); scanner.Scan(); lines++ {
		var i int
		var number int64
		if _, err := fmt.Sscan(scanner.Text(), &i, &number); err != nil {
			break // cut off by the kill
		}
		acknowledged[i] = max(acknowledged[i], number)
		if lines == 500 {
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = process.Wait()
	if lines < 500 {
		t.Fatalf("the process ended after %d invoices", lines)
	}
	ledger, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	for i, number := range acknowledged {
		err := ledger.View(t.Context(), func(r backend.Reader) error {
			_, err := r.Invoice(t.Context(), crashSeries(i), number)
			return err
		})
		if err != nil {
			t.Errorf("invoice %s of series %d was acknowledged: %v", strconv.FormatInt(number, 10), i, err)
		}
	}
}
