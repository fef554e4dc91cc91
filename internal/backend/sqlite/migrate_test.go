package sqlite_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

func TestLedgerOfTheFirstSchemaKnowsWhoRefersToAVoucher(t *testing.T) {
	place := t.TempDir()
	ledger := open(t, place)
	notes := backend.Series{Cuit: 20267565393, PtoVta: 1, CbteTipo: 8}
	var invoices []backend.Invoice
	for i, detail := range []string{
		`{"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":7},{"Tipo":6,"PtoVta":1,"Nro":7}]}}`,
		`{"Opcionales":{"Opcional":[{"Id":"23","Valor":"CbtesAsoc"}]}}`,
		`{"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":7,"Cuit":"30000000007"}]}}`,
		`{"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":7,"Cuit":"+3000000000"},{"Tipo":6,"PtoVta":1,"Nro":8,"Cuit":"20267565393"}]}}`,
		`{"ImpTotal":121}`,
	} {
		number := int64(i) + 1
		invoices = append(invoices, backend.Invoice{
			CbteDesde: number, CbteHasta: number, CbteFch: "20261106", EmisionTipo: backend.EmisionCAE, Detail: []byte(detail),
		})
	}
	for i := range invoices { // the first schema had no lots
		err := ledger.Update(t.Context(), func(tx backend.Tx) error { return tx.Append(t.Context(), notes, invoices[i:i+1]) })
		if err != nil {
			t.Fatal(err)
		}
	}
	asked := []backend.IssuedVoucher{
		{Cuit: 20267565393, Voucher: backend.Voucher{CbteTipo: 6, PtoVta: 1, Nro: 7}},
		{Cuit: 20267565393, Voucher: backend.Voucher{CbteTipo: 6, PtoVta: 1, Nro: 8}},
		{Cuit: 30000000007, Voucher: backend.Voucher{CbteTipo: 6, PtoVta: 1, Nro: 7}},
	}
	want := [][]backend.Referrer{
		{{Series: notes, CbteHasta: 1}, {Series: notes, CbteHasta: 4}}, {{Series: notes, CbteHasta: 4}}, {{Series: notes, CbteHasta: 3}},
	}
	if got := referring(t, ledger, asked); !reflect.DeepEqual(got, want) {
		t.Fatalf("referring %+v, want %+v", got, want)
	}
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, filepath.Join(place, "ledger.db"), "DROP TRIGGER invoices_follow; ALTER TABLE invoices DROP COLUMN lot; DROP TABLE asoc; PRAGMA user_version=1")
	ledger = open(t, place)
	defer ledger.Close()
	if got := referring(t, ledger, asked); !reflect.DeepEqual(got, want) {
		t.Errorf("after the migration referring %+v, want %+v", got, want)
	}
}

func referring(t *testing.T, ledger backend.Ledger, asked []backend.IssuedVoucher) (found [][]backend.Referrer) {
	t.Helper()
	err := ledger.View(t.Context(), func(r backend.Reader) error {
		for _, voucher := range asked {
			got, err := r.Referring(t.Context(), voucher)
			if err != nil {
				return err
			}
			found = append(found, got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
