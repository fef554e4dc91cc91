package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func openSQLite(t *testing.T) backend.Ledger {
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ledger.Close() })
	return ledger
}

// fill writes a bit of everything to a ledger, and more than a page each of invoices,
// advance codes and declarations.
func fill(ctx context.Context, tx backend.Tx) error {
	const many = 600
	for i, size := range []int64{many, 3, 1} {
		var invoices []backend.Invoice
		for number := int64(1); number <= size; number++ {
			v := marked(number, fmt.Sprintf(`{"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261106","DocNro":%d}`, number, 7*number))
			v.Code = fmt.Sprintf("86%06d%06d", i, number)
			if i == 1 {
				v.Code, v.EmisionTipo, v.FchVto = "21450000000001", backend.EmisionCAEA, "20261115"
				v.Observaciones = []byte(`{"Obs":[{"Code":10217,"Msg":"ñandú"}]}`)
				v.Detail = fmt.Appendf(nil, `{"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261106","CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":5}]}}`, number)
			}
			invoices = append(invoices, v)
		}
		if err := tx.Append(ctx, seriesOf(i), invoices); err != nil {
			return err
		}
	}
	for i := range many {
		err := tx.AddCAEA(ctx, backend.CAEA{
			Code: fmt.Sprintf("21450000%06d", i), Cuit: seriesOf(i).Cuit, Periodo: 202611, Orden: 1,
			FchVigDesde: "20261101", FchVigHasta: "20261115", FchTopeInf: "20261123", FchProceso: "20261101103015",
		})
		declared := backend.SinMovimiento{CAEA: fmt.Sprintf("21450000%06d", i/3), PtoVta: int32(3 + i%3), FchProceso: "20261116"}
		if err := errors.Join(err, tx.AddSinMovimiento(ctx, declared)); err != nil {
			return err
		}
	}
	return nil
}

func exported(t *testing.T, ledger backend.Ledger) []byte {
	t.Helper()
	var text bytes.Buffer
	if _, err := backend.Export(t.Context(), ledger, &text, nil); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func TestALedgerMovesFromSQLiteAndBack(t *testing.T) {
	from := openSQLite(t)
	if err := from.Update(t.Context(), func(tx backend.Tx) error { return fill(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
	want := exported(t, from)
	moved := open(t, postgrestest.Shared(t).Database(t))
	defer moved.Close()
	back := openSQLite(t)
	text := want
	for _, ledger := range []backend.Ledger{moved, back} {
		done, err := backend.Import(t.Context(), ledger, bytes.NewReader(text), nil)
		if err != nil || done.Invoices != 604 || done.CAEAs != 600 || done.SinMovimiento != 600 {
			t.Fatalf("imported %v: %v", done, err)
		}
		if text = exported(t, ledger); !bytes.Equal(text, want) {
			t.Errorf("%T has %d bytes that are not the %d that were imported", ledger, len(text), len(want))
		}
		checkDerived(t, ledger)
	}
	// A second import fails and leaves nothing.
	if _, err := backend.Import(t.Context(), moved, bytes.NewReader(want), nil); !errors.Is(err, backend.ErrExists) {
		t.Errorf("imported again: %v", err)
	}
	if !bytes.Equal(exported(t, moved), want) {
		t.Error("an import that failed left something")
	}
}

// checkDerived looks for the rows that an import derives from invoices.
func checkDerived(t *testing.T, ledger backend.Ledger) {
	t.Helper()
	err := ledger.View(t.Context(), func(r backend.Reader) error {
		voucher := backend.IssuedVoucher{Cuit: seriesOf(1).Cuit, Voucher: backend.Voucher{CbteTipo: 6, PtoVta: 1, Nro: 5}}
		referring, err := r.Referring(t.Context(), voucher)
		used, usedErr := r.CAEAUsed(t.Context(), "21450000000001", 1)
		if len(referring) != 3 || !used {
			t.Errorf("referring %v, used %v", referring, used)
		}
		return errors.Join(err, usedErr)
	})
	if err != nil {
		t.Error(err)
	}
}
