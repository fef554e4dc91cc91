package once_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// TestWhatWasNotDeclaredIsNotAskedAgain: the settlement of a point of sale without movement is
// found in its queue, even if the outcome was that nothing was done.
func TestWhatWasNotDeclaredIsNotAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		r := requestOf(wsfev1.OperationByName("FECAEASinMovimientoInformar"), &wsfev1.FECAEASinMovimientoRequest{
			Auth: g.service.Auth(), PtoVta: 3, CAEA: "36470000000005",
		})
		for _, kind := range []audit.Kind{audit.KindIntent, audit.KindOutcome} {
			record := g.record(r, kind)
			record.Vouchers = []audit.Voucher{{Code: r.Key.CAEA}}
			if _, err := g.write(record); err != nil {
				t.Fatal(err)
			}
		}
		journal := &once.AuditJournal{Store: g.store, Log: logName, Write: g.writeSettled, Now: time.Now}
		memory, err := journal.Recall(t.Context(), r.Key.OrderingKey)
		if err != nil || len(memory.Open) != 1 {
			t.Fatalf("%+v, %v", memory, err)
		}
		if _, err := journal.Settled(t.Context(), memory.Open[0], &once.Settlement{Verdict: once.NotIssued}, g.service); err != nil {
			t.Fatal(err)
		}
		if memory, err = journal.Recall(t.Context(), r.Key.OrderingKey); err != nil || len(memory.Open) != 0 {
			t.Errorf("when it is settled: %+v, %v", memory, err)
		}
	})
}
