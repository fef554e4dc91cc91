package exchange

import (
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1/qr"
)

// The headers of an answer: the address of the exchange's record, log/index; its outcome, one word; of an
// answer without a durable record pending or lost, and then the exchange's identifier, by which the record can
// be found later; the member that was filled in, and how many invoices got it by which rule; and the texts of
// the QR codes, one line for each approved invoice.
const (
	recordHeader     = "Wsfev1-Record"
	outcomeHeader    = "Wsfev1-Outcome"
	unrecordedHeader = "Wsfev1-Unrecorded"
	filledHeader     = "Wsfev1-Filled"
	qrHeader         = "Wsfev1-Qr"
)

// maxQRs is how many QR codes the header of an answer has: ten of them are 3 kB. Many clients
// and proxies refuse a header of more than 8 kB.
const maxQRs = 10

// reply sends the reply.
func (x *exchange) reply() error {
	header := x.w.Header()
	x.HeaderMask().Hide(header, nil) // the headers that the handlers in front have set
	address := x.RecordAddress()
	values := [...]string{string(x.Result.Outcome), address} // of both headers, in one piece of memory
	header[outcomeHeader] = values[0:1:1]
	if address != "" {
		header[recordHeader] = values[1:2:2]
	}
	if x.Place.State != "" {
		header.Set(unrecordedHeader, x.Place.State+"; exchange="+x.ID)
	}
	if x.way.Policy.QR && !x.trail.IsInvented() {
		if lines := qrLines(&x.Facts); len(lines) > 0 {
			header[qrHeader] = lines
		}
	}
	if completed := x.Decision.Completed; completed != nil && x.Result.Certainty != audit.NotSent {
		header.Set(filledHeader, completed.Filled.String())
	}
	x.release()
	if err := x.Form.Sent(x.Result.Reply, address).Write(x.w); err != nil {
		if c := x.way.Logger.Check(zap.DebugLevel, "the client has left"); c != nil {
			c.Write(x.Field(), zap.Error(err))
		}
	}
	return nil
}

// qrLines returns the texts of the QR codes of an answer, whose body stays as it is. The lines are in the
// order of the approved invoices, so there are all of them or none.
//
// Codes of the built-in service have none: an invoice printed with one would look real.
func qrLines(f *record.Facts) []string {
	if f.Sent.Upstream == audit.BuiltInUpstream || f.Result.Outcome == audit.OutcomeUpstreamError ||
		!f.Decision.WellFormed || f.Decision.Request == nil || len(f.Result.Reply.Body) == 0 {
		return nil
	}
	answer := f.Decision.Operation.NewAnswer()
	validate.DecodeAnswer(f.Decision.Operation.Answer, f.Result.Reply.Body, answer)
	all := qr.Of(f.Decision.Request.Body, answer)
	if len(all) > maxQRs {
		return nil
	}
	lines := make([]string, len(all))
	for i, q := range all {
		var err error
		if lines[i], err = q.Address(); err != nil {
			return nil
		}
	}
	return lines
}

// observe turns the exchange into metrics and log fields, once. The access log has one line for
// a request, so it gets the fields of the exchange that answers.
func (x *exchange) observe() {
	x.Count(x.way.Now())
	if sender := x.Sender; sender != nil && sender.Result != "" && x.fallback == nil {
		x.way.Book.Clients.Count(sender.Client, sender.Result)
	}
	x.LogNews(x.way.Logger)
	fields, ok := x.r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields)
	server, _ := x.r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	// Adding a field costs an allocation even if the server writes no access log.
	if ok && x.fallback == nil && (server == nil || server.Logs != nil) {
		// One addition: each of them empties a cache of Caddy's.
		fields.Add(zap.Inline(zapcore.ObjectMarshalerFunc(x.LogFields)))
	}
	x.Warn(x.way.Logger)
}
