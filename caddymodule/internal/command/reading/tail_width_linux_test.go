package reading

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/internal/testrun"
)

// TestTailFitsTheTerminal: rows come one by one, and the first ones are narrower than those that follow. Numbers, CAEs
// and addresses are whole.
func TestTailFitsTheTerminal(t *testing.T) {
	const columns = 80
	t.Setenv("NO_COLOR", "1")
	for _, kind := range []audit.Kind{0, audit.KindAccess} {
		terminal, shown := testrun.Terminal(t, columns)
		show := (&tailFlags{}).printer(terminal, kind, true)
		for i := range 4 {
			r := &audit.Record{
				Log: "norte", Index: uint64(i), Kind: audit.KindOutcome, Time: time.Date(2026, 11, 15, 12, i, 0, 0, time.UTC), Operation: "FECAESolicitar", Cuit: 30500010912,
				PtoVta: 1, CbteTipo: 6, Outcome: "approved", Certainty: audit.Answered, Vouchers: []audit.Voucher{{CbteDesde: 1, CbteHasta: 1, Code: "76470000000034", Resultado: "A"}},
			}
			if kind != 0 {
				r.Kind, r.ClientIdentity, r.ClientAddress, r.Detail = kind, "contadora@example.com.ar", "2001:db8:1234:5678:9abc:def0:1234:5678", "search --cuit 30500010912 --since 2026-10-01 --outcome rejected --finding 10016"
			}
			if i > 1 {
				r.Log, r.Index, r.Outcome = "facturacion-electronica-norte", 12345678, "rejected_in_part"
				for n := range int64(250) {
					r.Vouchers = append(r.Vouchers, audit.Voucher{CbteDesde: 12345000 + n, CbteHasta: 12345000 + n, Code: "76470000000034", Resultado: "A"})
				}
				r.Vouchers = r.Vouchers[1:]
			}
			if err := show(view.Entry{Exchange: story.ExchangeOf(r)}); err != nil {
				t.Fatal(err)
			}
		}
		got := shown()
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if heads := strings.Count(got, "RECORD"); heads != 2 || !strings.Contains(got, "facturacion-electronica-norte/12345678") {
			t.Errorf("%d heads:\n%s", heads, got)
		}
		if whole := fmt.Sprintf("  %d-%d  76470000000034", 12345000, 12345249); kind == 0 && !strings.Contains(got, whole) {
			t.Errorf("no %q in\n%s", whole, got)
		}
	}
}
