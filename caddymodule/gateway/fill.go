package gateway

import (
	"errors"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
)

// filledHeader is the header of an answer to a request that was sent completed: the member, and how
// many invoices got it by which rule.
const filledHeader = "Wsfev1-Filled"

// forgiveFilled lets a question not compare what was filled in. The request may have been sent before
// with another value, if the operator has declared something else since.
func forgiveFilled(pending *once.Pending) {
	pending.Redacted = map[string]bool{fill.Member: true}
}

// filledLeg returns the service's side of an intent, nil if it gets what came. Its form on the wire is
// not known yet.
func (x *exchange) filledLeg() *audit.Leg {
	if x.in.Completed == nil {
		return nil
	}
	return x.completedLeg()
}

// addFilled adds the header about what was filled in, if it was sent.
func (x *exchange) addFilled() {
	if x.in.Completed != nil && x.sent.Certainty != audit.NotSent {
		x.w.Header().Set(filledHeader, x.in.Completed.Filled.String())
	}
}

var errFillsBase = errors.New("fill needs contract arca: in contract base invoices have no " + fill.Member)

// provisionFill reads the source of the values to fill in.
func (g *Gateway) provisionFill() (err error) {
	if g.Contract == string(validate.Base) {
		return errFillsBase
	}
	g.filler, err = g.Fill.source()
	return err
}
