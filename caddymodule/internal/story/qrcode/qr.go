package qrcode

import (
	"bytes"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// Code is the QR code of an approved invoice.
type Code struct {
	wsfev1.InvoiceRange
	// Address is the text of the code; where there is none, Missing says why.
	Address string
	Missing Missing
}

// Missing is why an invoice has no QR code; empty where it has one. story has the words, by qr. and this.
type Missing string

// The reasons.
const (
	Test  Missing = "test"  // the built-in service has authorised it
	Range Missing = "range" // it is a range, of which only the sum is known
	Unfit Missing = "unfit" // the records do not have all that the code states
)

// In explains in a language why there is no QR code.
func (m Missing) In(l story.Lang) string { return l.T("qr." + string(m)) }

// All returns the QR codes of the invoices that an answer approves. request is the record
// with the request, answer the one with the answer; they may be the same. A record that was
// purged or sealed, or whose fields were hidden, has none.
func All(request, answer *audit.Record, isTest bool) (all []Code) {
	for _, q := range statedBy(request, answer) {
		one := Code{InvoiceRange: q.InvoiceRange}
		address, err := q.Address()
		switch {
		case isTest:
			one.Missing = Test
		case err == nil:
			one.Address = address
		case q.CbteDesde != q.CbteHasta:
			one.Missing = Range
		default:
			one.Missing = Unfit
		}
		all = append(all, one)
	}
	return all
}

// statedBy reads the contents of the QR codes. An answer that is not the operation's, or not the request's,
// approves nothing.
func statedBy(request, answer *audit.Record) []qr.Content {
	if request == nil || answer == nil || len(request.Request) == 0 || len(answer.Answer) == 0 {
		return nil
	}
	op, word := wsfev1.OperationByName(request.Operation), answer.Outcome
	if op == nil || word == audit.OutcomeUpstreamError || word == audit.OutcomeUnknown || bytes.Contains(answer.Answer, []byte(`"hmac-sha256:`)) {
		return nil
	}
	asked, findings := validate.Decode(op, request.Request, validate.ARCA)
	if len(findings) > 0 { // as where a figure was hidden
		return nil
	}
	typed := op.NewAnswer()
	validate.DecodeAnswer(op.Answer, answer.Answer, typed)
	return qr.Of(asked.Body, typed)
}
