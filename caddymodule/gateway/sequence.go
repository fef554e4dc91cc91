package gateway

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The values of the option sequence.
const (
	sequenceObserve = "observe"
	sequenceEnforce = "enforce"
	sequenceOff     = "off"
)

// checkSequence predicts whether the service will refuse the number of the request. Other programs
// may issue in the series too: only a prediction that the service has just confirmed refuses. A request
// that may have passed before (Decision.Deferred) is refused here: it is no repeat.
func (x *exchange) checkSequence() bool {
	policy := &x.gateway.policy
	if len(x.in.Deferred) > 0 {
		return x.compose(validate.Refusal(x.in.Request, x.in.Deferred, x.judged))
	}
	if x.seq.turn.Prediction == nil || !policy.predict {
		return true
	}
	if policy.refuseUnsequenced {
		// Without an answer the prediction stays unsure.
		ctx, cancel := x.queryContext()
		_ = x.seq.turn.Confirm(ctx, x.seq.service)
		cancel()
	}
	p := x.seq.turn.Prediction
	if p == nil {
		return true
	}
	finding := validate.Finding{
		Code: strconv.Itoa(int(x.in.Operation.SequenceCode())), Severity: validate.SEQ, Action: validate.ActionObserve, Invoice: 0,
		Pointer: x.numberPointer(), Text: explainSequence(p),
		Expected: strconv.FormatInt(p.Last+1, 10), Got: strconv.FormatInt(p.Sent, 10), Source: "docs/sources.md#severities",
	}
	if policy.refuseUnsequenced && p.Sure {
		finding.Action = validate.ActionRefuse
	}
	x.find([]validate.Finding{finding}, func(f validate.Finding) validate.Action { return f.Action })
	if finding.Action == validate.ActionRefuse {
		return x.compose(validate.Refusal(x.in.Request, []validate.Finding{finding}, x.judged))
	}
	return true
}

func (x *exchange) numberPointer() string {
	return wsfev1.LotOf(x.in.Request.Body).InvoicePointer(0) + "/CbteDesde"
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
