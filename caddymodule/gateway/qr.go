package gateway

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1/qr"
)

// qrHeader is the header with the texts of the QR codes of an answer, one line for each
// approved invoice.
const qrHeader = "Wsfev1-Qr"

// maxQRs is how many QR codes the header of an answer has: ten of them are 3 kB. Many clients
// and proxies refuse a header of more than 8 kB.
const maxQRs = 10

// qrInHeader is the value of the option qr that is not off.
const qrInHeader = "header"

// addQRs adds the texts of the QR codes to the header of the answer, whose body stays as it is.
// The lines are in the order of the approved invoices, so there are all of them or none.
//
// Codes of the built-in service have none: an invoice printed with one would look real.
func (x *exchange) addQRs() {
	if !x.gateway.policy.qr || x.sent.Upstream == audit.BuiltInUpstream || x.trail.IsInvented() ||
		x.outcome == audit.OutcomeUpstreamError || !x.in.WellFormed || x.in.Request == nil || len(x.reply.Body) == 0 {
		return
	}
	answer := x.in.Operation.NewAnswer()
	validate.DecodeAnswer(x.in.Operation.Answer, x.reply.Body, answer)
	all := qr.Of(x.in.Request.Body, answer)
	if len(all) == 0 || len(all) > maxQRs {
		return
	}
	lines := make([]string, len(all))
	for i, q := range all {
		var err error
		if lines[i], err = q.Address(); err != nil {
			return
		}
	}
	x.w.Header()[qrHeader] = lines
}
