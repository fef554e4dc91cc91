package exchange

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// checkSequence predicts whether the service will refuse the number of the request. Other programs
// may issue in the series too: only a prediction that the service has just confirmed refuses. A request
// that is refused unless it is a repeat (Decision.Deferred) is refused here: it is none.
func (x *exchange) checkSequence() bool {
	policy, turn := &x.way.Policy, x.lane.turn
	if len(x.Decision.Deferred) > 0 {
		return x.Result.Compose(validate.Refusal(x.Decision.Request, x.Decision.Deferred, x.Effective))
	}
	if turn.Prediction == nil || !policy.Predict {
		return true
	}
	if policy.RefuseUnsequenced {
		// Without an answer the prediction stays unsure.
		ctx, cancel := x.detachedFor(policy.QueryTime)
		_ = turn.Confirm(ctx, x.lane.service)
		cancel()
	}
	p := turn.Prediction
	if p == nil {
		return true
	}
	finding := validate.Finding{
		Code: strconv.Itoa(int(x.Decision.Operation.SequenceCode())), Severity: validate.SEQ, Action: validate.ActionObserve, Invoice: 0,
		Pointer: wsfev1.LotOf(x.Decision.Request.Body).InvoicePointer(0) + "/CbteDesde", Text: explainSequence(p),
		Expected: strconv.FormatInt(p.Last+1, 10), Got: strconv.FormatInt(p.Sent, 10), Source: "docs/sources.md#severities",
	}
	if policy.RefuseUnsequenced && p.Sure {
		finding.Action = validate.ActionRefuse
	}
	x.Find([]validate.Finding{finding}, func(f validate.Finding) validate.Action { return f.Action })
	if finding.Action == validate.ActionRefuse {
		return x.Result.Compose(validate.Refusal(x.Decision.Request, []validate.Finding{finding}, x.Effective))
	}
	return true
}

func explainSequence(p *once.Prediction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Se envió el número %d y el último autorizado es %d", p.Sent, p.Last)
	if len(p.Waiting) > 0 {
		var waiting []string
		for _, n := range p.Waiting[:min(5, len(p.Waiting))] {
			waiting = append(waiting, strconv.FormatInt(n, 10))
		}
		fmt.Fprintf(&b, " (en espera: %s)", strings.Join(waiting, ", "))
	}
	fmt.Fprintf(&b, ": corresponde el %d", p.Last+1)
	return b.String()
}
