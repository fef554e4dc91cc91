package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// TestTheFileRefusesNumbersThatItHas: whoever writes the file, and whatever it believed, no two rows of a series have
// the same number.
func TestTheFileRefusesNumbersThatItHas(t *testing.T) {
	place := t.TempDir()
	ledger := open(t, place)
	defer ledger.Close()
	for i, sizes := range [][]int{{5, 1, 20}, {1}} {
		number := int64(0)
		for _, size := range sizes {
			lot := make([]backend.Invoice, size)
			for k := range lot {
				number++
				lot[k] = backend.Invoice{CbteDesde: number, CbteHasta: number, CbteFch: "20261106", EmisionTipo: backend.EmisionCAE}
			}
			err := ledger.Update(t.Context(), func(tx backend.Tx) error { return tx.Append(t.Context(), crashSeries(i), lot) })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(place, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, numbers := range [][2]int64{{1, 1}, {3, 3}, {5, 5}, {6, 6}, {7, 30}, {20, 26}, {26, 27}, {1, 500}, {2, 2}} {
		_, err := db.Exec(fmt.Sprintf("INSERT INTO invoices SELECT (1 << 27) | %d, %d, cbte_fch, code, emision_tipo, fch_vto, fch_proceso, detail, "+
			"observaciones, lot FROM invoices LIMIT 1", numbers[1], numbers[0]))
		if err == nil || !strings.Contains(err.Error(), "the series has these numbers already") {
			t.Errorf("%d to %d: %v", numbers[0], numbers[1], err)
		}
	}
	if _, err := db.Exec("INSERT INTO invoices SELECT (1 << 27) | 30, 27, '', '', '', '', '', '', '', NULL"); err != nil {
		t.Errorf("the next numbers: %v", err)
	}
}

// TestASeriesMovesOnlyFromItsEnd: the file was changed by something else than a ledger.
func TestASeriesMovesOnlyFromItsEnd(t *testing.T) {
	place := t.TempDir()
	ledger := open(t, place)
	defer ledger.Close()
	number := int64(0)
	next := func() error {
		return ledger.Update(t.Context(), func(tx backend.Tx) error {
			v := backend.Invoice{CbteDesde: number + 1, CbteHasta: number + 1, CbteFch: "20261106"}
			return tx.Append(t.Context(), crashSeries(0), []backend.Invoice{v})
		})
	}
	for ; number < 3; number++ {
		if err := next(); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, filepath.Join(place, "ledger.db"), "UPDATE series SET last = 1")
	if number = 1; next() == nil {
		t.Error("a number was given twice")
	}
	execute(t, filepath.Join(place, "ledger.db"), "UPDATE series SET last = 3")
	if number = 3; next() != nil {
		t.Error("the series does not go on")
	}
}
