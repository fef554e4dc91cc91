package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// TestAFullDiskLosesNothingAndTakesNothing: lots that do not fit fail as a whole, whatever part of them was written, and
// their numbers go to the next ones.
func TestAFullDiskLosesNothingAndTakesNothing(t *testing.T) {
	place := t.TempDir()
	ledger := open(t, place)
	random := rand.New(rand.NewPCG(35, 5))
	series, last := crashSeries(0), int64(0)
	lot := func() error {
		invoices := make([]backend.Invoice, 1+random.IntN(60))
		for i := range invoices {
			number := last + int64(i) + 1
			detail := fmt.Appendf(nil, `{"CbteDesde":%d,"filler":"`, number)
			for range 40 { // not to be compressed
				detail = fmt.Appendf(detail, "%016x", random.Uint64())
			}
			invoices[i] = backend.Invoice{
				CbteDesde: number, CbteHasta: number, CbteFch: "20261106", EmisionTipo: backend.EmisionCAE, Detail: append(detail, `"}`...),
			}
		}
		err := ledger.Update(t.Context(), func(tx backend.Tx) error { return tx.Append(t.Context(), series, invoices) })
		if err == nil {
			last += int64(len(invoices))
		}
		return err
	}
	for range 20 {
		if err := lot(); err != nil {
			t.Fatal(err)
		}
	}
	for more := range 12 {
		free := fill(t, filepath.Join(place, "ledger.db-wal"), int64(more)*9_000)
		var err error
		for err == nil {
			err = lot()
		}
		if errors.Is(err, backend.ErrUncertain) || errors.Is(err, backend.ErrSequence) {
			t.Errorf("on a full disk: %v", err)
		}
		free()
		if err := lot(); err != nil {
			t.Errorf("with space again: %v", err)
		}
	}
	if err := ledger.Close(); err != nil {
		t.Error(err)
	}
	verifyCrashed(t, filepath.Join(place, "ledger.db"), map[int]int64{0: last})
}

// fill lets the files of this process grow by so much over the size of one, until the function that it returns is
// called.
func fill(t *testing.T, path string, more int64) (free func()) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(info.Size() + more), Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}
}
