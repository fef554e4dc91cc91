package rules

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// ErrOperation is wrapped by the error of Judge for an operation that the contract does not
// have.
var ErrOperation = errors.New("no such operation")

// Options are how Judge judges. With the zero Options it applies the rules of the service, as
// of the time at which it is called.
type Options struct {
	// Contract is the set of operations and members that are allowed, validate.ARCA if it is
	// empty.
	Contract validate.Contract
	// Rules judge the request; nil works as NewRules does without settings.
	Rules *Rules
	// Now returns the time as of which the request is judged; nil is time.Now.
	Now func() time.Time
}

// Verdict is what Judge finds out about a request.
type Verdict struct {
	// Findings are the mistakes: in the shape, or else by the rules, in the order of Rules.Judge.
	Findings []validate.Finding
	// Refused: a gateway would not let the request pass (mode enforce).
	Refused bool

	request *validate.Request
	now     time.Time
}

// Judge reads the body of a request, in JSON, and judges it by its shape and by the rules, as
// a gateway does before it forwards anything. It sends nothing, and looks at no credential but
// the issuer's CUIT. A request that is wrong has findings; an error means that there is no
// verdict: the operation or the contract does not exist.
func Judge(operation string, body []byte, options Options) (Verdict, error) {
	if options.Contract == "" {
		options.Contract = validate.ARCA
	}
	contract, err := validate.ParseContract(string(options.Contract))
	if err != nil {
		return Verdict{}, fmt.Errorf("judging: %w", err)
	}
	op := contract.Operation(operation)
	if op == nil {
		return Verdict{}, fmt.Errorf("judging %s: %w in contract %s%s", validate.Printable(operation), ErrOperation, contract, meant(contract, operation))
	}
	now := options.Now
	if now == nil {
		now = time.Now
	}
	v := Verdict{now: now()}
	v.request, v.Findings = validate.Decode(op, body, contract)
	if len(v.Findings) > 0 {
		for i := range v.Findings {
			v.Findings[i].Action = validate.ActionRefuse
		}
	} else if finding, wrong := validate.IssuerFinding(wsfev1.AuthOf(v.request.Body).Cuit); wrong && op.Family != wsfev1.FamilyHealth {
		v.Findings = []validate.Finding{finding}
	} else {
		v.Findings = options.Rules.Judge(v.request, v.now)
	}
	v.Refused = validate.Refuses(v.Findings)
	return v, nil
}

// meant names the operation whose name differs from this one in case alone.
func meant(contract validate.Contract, name string) string {
	for _, op := range wsfev1.Operations {
		if strings.EqualFold(op.Name, name) && contract.Operation(op.Name) != nil {
			return "; names are exact: " + op.Name
		}
	}
	return ""
}

// Refusal returns the answer with which a gateway refuses the request, to be written as JSON:
// a pointer to the operation's own answer type (HTTP 200), or a *wsfev1.ErrorBody (HTTP 400)
// where the shape is wrong. It returns nil for a request that is not refused.
func (v Verdict) Refusal() any {
	if !v.Refused {
		return nil
	}
	var refusing []validate.Finding
	for _, f := range v.Findings {
		switch {
		case f.Severity == validate.Shape:
			return validate.Malformed(v.Findings)
		case f.Code == validate.TicketCode:
			return validate.Unauthenticated(v.request, f)
		case f.Action == validate.ActionRefuse:
			refusing = append(refusing, f)
		}
	}
	return validate.Refusal(v.request, refusing, v.now)
}
