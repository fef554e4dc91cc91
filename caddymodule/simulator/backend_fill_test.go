package simulator_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// fillLedger makes a ledger with so many invoices, as the service would keep them, a
// thousand in each series.
func fillLedger(b *testing.B, path string, invoices int) {
	b.Helper()
	const perSeries = 1000
	kept := issuedOnce(b)
	text := string(kept.Detail)
	place := `"CbteDesde":1,"CbteHasta":1`
	if !strings.Contains(text, place) {
		b.Fatalf("the numbers are not where they are expected: %s", text)
	}
	ledger, err := sqlite.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	for i := range invoices / perSeries {
		lot := make([]backend.Invoice, perSeries)
		for k := range lot {
			n := int64(k) + 1
			lot[k] = *kept
			lot[k].CbteDesde, lot[k].CbteHasta = n, n
			lot[k].Code = fmt.Sprintf("%014d", i*perSeries+k)
			lot[k].Detail = []byte(strings.Replace(text, place, fmt.Sprintf(`"CbteDesde":%d,"CbteHasta":%d`, n, n), 1))
		}
		series := backend.Series{Cuit: caddytest.IssuerOf(i), PtoVta: int32(caddytest.PointOf(i)), CbteTipo: 6}
		if err := ledger.Update(b.Context(), func(tx backend.Tx) error { return tx.Append(b.Context(), series, lot) }); err != nil {
			b.Fatal(err)
		}
	}
	if err := ledger.Close(); err != nil {
		b.Fatal(err)
	}
}

// issuedOnce returns an invoice as the service keeps it.
func issuedOnce(b *testing.B) (kept *backend.Invoice) {
	b.Helper()
	ledger, err := sqlite.Open(filepath.Join(b.TempDir(), "one.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer ledger.Close()
	service, err := backend.New(ledger, backend.Options{})
	if err != nil {
		b.Fatal(err)
	}
	request, found := validate.Decode(wsfev1.OperationByName("FECAESolicitar"), []byte(caddytest.LotText(0, 1, 1)), validate.ARCA)
	if len(found) > 0 {
		b.Fatalf("the request is malformed: %v", found)
	}
	if _, err := service.Answer(b.Context(), request); err != nil {
		b.Fatal(err)
	}
	err = ledger.View(b.Context(), func(r backend.Reader) (err error) {
		kept, err = r.Invoice(b.Context(), backend.Series{Cuit: caddytest.IssuerOf(0), PtoVta: 1, CbteTipo: 6}, 1)
		return err
	})
	if err != nil {
		b.Fatalf("no invoice was issued: %v", err)
	}
	return kept
}

// leaveLog issues invoices in lots, for one round, and kills the service.
func leaveLog(b *testing.B, ledger string) {
	b.Helper()
	address := caddytest.FreeAddress(b)
	process := caddytest.StartService(b, caddytest.ServiceConfig(address, ledger))
	if _, err := process.Ready(); err != nil {
		b.Fatalf("starting the service: %v: %s", err, &process.Stderr)
	}
	load := issuingLoad{Connections: 4, Series: 64, Lot: 250, Addresses: []string{address}}
	startIssuer(b, load)()
	process.Kill()
}

// lastOver asks the service for the last number of the first series.
func lastOver(b *testing.B, address string) int64 {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
		"http://"+address+"/api/wsfev1/FECompUltimoAutorizado", strings.NewReader(caddytest.LastText(0)))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	got, err := caddytest.Try(request)
	if err != nil {
		b.Fatal(err)
	}
	var answer wsfev1.FECompUltimoAutorizadoAnswer
	if err := json.Unmarshal(bytes.TrimSpace(got.Body), &answer); err != nil {
		b.Fatalf("%d %s: %v", got.Status, got.Body, err)
	}
	return answer.CbteNro
}
