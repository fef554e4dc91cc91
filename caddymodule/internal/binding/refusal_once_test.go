package binding

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// TestARefusalNamesWhatWasAskedFor: requests about advance codes have no number of an invoice, and reported invoices are
// issued already.
func TestARefusalNamesWhatWasAskedFor(t *testing.T) {
	for _, test := range []struct {
		operation     string
		key           once.Key
		named, undone string
	}{
		{"FECAESolicitar", once.Key{Desde: 7}, "(comprobante 7)", "no se emitió"},
		{"FECAEARegInformativo", once.Key{Desde: 7}, "(comprobante 7)", "no se informó"},
		{"FECAEASolicitar", once.Key{OrderingKey: once.OrderingKey{Operation: "FECAEASolicitar"}, Periodo: 202612, Orden: 1}, "(CAEA de 202612, quincena 1)", "no se otorgó"},
		{"FECAEASinMovimientoInformar", once.Key{OrderingKey: once.OrderingKey{Operation: "FECAEASinMovimientoInformar", PtoVta: 4}}, "(punto de venta 4 sin movimiento)", "no se informó"},
	} {
		op := wsfev1.OperationByName(test.operation)
		err := &once.UnsettledError{Pending: &once.Pending{Operation: op, Key: test.key}}
		for _, sent := range []*once.Request{{Operation: op}, {Operation: op, Key: test.key}} {
			if text := NoTurn(sent, err).items[0].Msg; !strings.Contains(text, test.named) {
				t.Errorf("%s: %s", test.operation, text)
			}
		}
		for _, answered := range []bool{true, false} {
			if text := NotIssued(op, answered).items[0].Msg; !strings.HasSuffix(text, "lo pedido no consta: "+test.undone+" y puede enviarse de nuevo.") {
				t.Errorf("%s: %s", test.operation, text)
			}
		}
	}
}
