package outcome_test

import (
	"net/http"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/wsfev1"
)

// TestThatNothingIsThereIsAnAnswer: a point of sale that was not declared without movement is as much an answer as an
// invoice that does not exist. A code beside it is not.
func TestThatNothingIsThereIsAnAnswer(t *testing.T) {
	for _, test := range []struct {
		operation string
		codes     []int32
		want      audit.Outcome
	}{
		{"FECompConsultar", []int32{602}, audit.OutcomeAnswered},
		{"FECAEAConsultar", []int32{602}, audit.OutcomeAnswered},
		{"FECAEASinMovimientoConsultar", []int32{10102}, audit.OutcomeAnswered},
		{"FECAEASinMovimientoConsultar", []int32{10105}, audit.OutcomeAnswered},
		{"FECAEASinMovimientoConsultar", []int32{10100}, audit.OutcomeRejected},
		{"FECAEASinMovimientoConsultar", []int32{10102, 600}, audit.OutcomeRejected},
		{"FECAEASinMovimientoInformar", []int32{602}, audit.OutcomeRejected},
	} {
		got := outcome.Of(wsfev1.OperationByName(test.operation), http.StatusOK, true, wsfev1.Verdict{Failed: true, Codes: test.codes})
		if got != test.want {
			t.Errorf("%s %v: %s, want %s", test.operation, test.codes, got, test.want)
		}
	}
}
