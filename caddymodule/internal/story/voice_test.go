package story_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// TestACAEAOfAReportAuthorisesNothingByItself: the request names it, so it stands in the record whatever became of it.
func TestACAEAOfAReportAuthorisesNothingByItself(t *testing.T) {
	voice := story.Voice{Lang: story.Spanish}
	for _, test := range []struct {
		operation        string
		word             audit.Outcome
		whole, resultado string
		want             string
	}{
		{"FECAEARegInformativo", audit.OutcomeApproved, "A", "A", "aprobado · CAEA 36470000000001"},
		{"FECAEARegInformativo", audit.OutcomeRejected, "R", "R", "rechazado por el servicio"},
		{"FECAEARegInformativo", audit.OutcomeBusy, "", "", "ocupado"},
		{"FECAEARegInformativo", audit.OutcomeUnknown, "", "", "sin respuesta"},
		{"FECAEARegInformativo", audit.OutcomeRecovered, "A", "", "recuperado · CAEA 36470000000001"},
		{"FECAEASinMovimientoInformar", audit.OutcomeNotIssued, "", "", "no emitido"},
		{"FECAEASinMovimientoInformar", audit.OutcomeApproved, "A", "", "aprobado · CAEA 36470000000001"},
		{"FECAEASolicitar", audit.OutcomeApproved, "", "", "aprobado · CAEA 36470000000001"},
		{"FECAESolicitar", audit.OutcomeApproved, "A", "A", "aprobado · CAE 36470000000001"},
	} {
		r := record(audit.KindOutcome, 1, test.word, audit.Answered)
		r.Operation, r.Resultado = test.operation, test.whole
		r.Vouchers = []audit.Voucher{{CbteDesde: 5, CbteHasta: 5, Code: "36470000000001", Resultado: test.resultado}}
		if got := voice.Verdict(r); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.operation, test.word, got, test.want)
		}
		if _, code := voice.Granted(r, r.Vouchers[0]); (code == "") != (voice.Authorisation(r) == "") {
			t.Errorf("%s %s: the voucher's code is %q", test.operation, test.word, code)
		}
	}
}
