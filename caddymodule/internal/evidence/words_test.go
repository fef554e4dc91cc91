package evidence

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/compare"
	"github.com/fielato/fielato/internal/once/journal"
	"github.com/fielato/fielato/wsfev1"
)

// different is the record that once makes of a number that belongs to another invoice.
func different(t *testing.T) *audit.Record {
	t.Helper()
	var made *audit.Record
	settling := &journal.Journal{
		Log: "gateway-1", Now: func() time.Time { return noon.Add(time.Hour) },
		Write: func(r *audit.Record, _ *once.Pending, _ once.Service) (uint64, error) {
			made = r
			return 2, nil
		},
	}
	pending := &once.Pending{
		Operation: wsfev1.OperationByName("FECAESolicitar"), Log: "gateway-1",
		Key: once.Key{OrderingKey: once.OrderingKey{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6}}, Numbers: []wsfev1.InvoiceRange{{CbteDesde: 5, CbteHasta: 5}},
	}
	settled := &once.Settlement{
		Verdict: once.Different, Differences: []compare.Difference{{Field: "ImpTotal", Sent: "121", Kept: "242"}},
		Invoices: []*wsfev1.FECompConsResult{{}},
	}
	if _, err := settling.Settled(context.Background(), pending, settled, nil); err != nil {
		t.Fatal(err)
	}
	if len(made.Findings) != 1 {
		t.Fatalf("findings: %+v", made.Findings)
	}
	return made
}

// TestSettlementsAreWordedInSpanish, by their outcome and not by their text.
func TestSettlementsAreWordedInSpanish(t *testing.T) {
	for name, change := range map[string]func(*audit.Record){
		"as once records it": func(*audit.Record) {},
		"in other words":     func(r *audit.Record) { r.Findings[0].Text = "another text" },
		"by the text alone":  func(r *audit.Record) { r.Outcome = "another" },
	} {
		record := different(t)
		english := record.Findings[0].Text
		change(record)
		page := pageFor(t, append(unknown(), record)...)
		if !strings.Contains(page, "El número pertenece a otro comprobante.") || strings.Contains(page, english) || strings.Contains(page, "another text") {
			t.Errorf("%s: the page has not %q, or %q:\n%s", name, "El número pertenece a otro comprobante.", english, shown(page))
		}
	}
}
