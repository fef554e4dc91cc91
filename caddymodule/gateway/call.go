package gateway

import (
	"bytes"
	"crypto/sha256"
	"net/http"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// A client may speak SOAP. Its request is then read into the same typed request, and from there on
// the exchange is one in JSON: so a repeat is a repeat whatever form it comes in, and the next
// handler gets JSON. The last thing before the record is that the reply is written in SOAP. The
// record has both.

// isCall reports whether a request is of a client that speaks SOAP.
func (g *Gateway) isCall(r *http.Request) bool {
	return g.policy.soap && binding.MeansSOAP(r.URL)
}

// admitCall is admit for a client that speaks SOAP.
func (x *exchange) admitCall(admission binding.Admission) *binding.Refusal {
	x.call = binding.NewSOAPCall(x.r)
	op, twin, f := admission.AdmitSOAP(x.w, x.r, x.call)
	if x.in.operation = op; f != nil {
		return f
	}
	x.r = twin
	return nil
}

// decode reads the typed request.
func (x *exchange) decode() (*validate.Request, []validate.Finding) {
	if x.call == nil {
		return validate.DecodeUpTo(x.in.operation, x.in.body, x.gateway.contract, x.gateway.invoicesToRead())
	}
	request, findings := x.call.Decode(x.in.operation, x.gateway.contract, x.gateway.invoicesToRead())
	if len(findings) > 0 {
		return request, findings
	}
	body, err := json.Marshal(request.Body)
	if err != nil { // the types write what they have read
		x.gateway.logger.Error("writing a request as JSON", x.named(), zap.Error(err))
		return request, []validate.Finding{validate.UnknownOperation()}
	}
	x.in.body, x.in.digest = body, sha256.Sum256(body)
	return request, nil
}

// refuseMalformed refuses a request that is not of the operation's shape.
func (x *exchange) refuseMalformed(findings []validate.Finding) bool {
	if x.call == nil {
		return x.refuse(binding.Malformed(findings))
	}
	if answer := x.call.Incomplete(); answer != nil {
		x.compose(answer)
		x.outcome = audit.OutcomeMalformed
		return false
	}
	return x.refuse(x.call.Malformed(findings))
}

// answerCall writes the reply in SOAP for a client that speaks it.
func (x *exchange) answerCall() {
	if x.call == nil {
		return
	}
	if err := panics.Do("writing an answer in SOAP", x.writeCall); err != nil {
		x.gateway.logger.Error("composing an answer", x.named(), zap.Error(err))
		x.call.Refuse(binding.Internal(err))
	}
}

func (x *exchange) writeCall() error {
	if x.refusal != nil {
		x.call.Refuse(x.refusal)
		return nil //nolint:nilerr // the refusal is the answer
	}
	if leg := x.passedOn(); leg != nil {
		x.call.Pass(leg)
		return nil
	}
	body := new(wsfev1.ErrorBody)
	switch {
	case x.reply.Status != http.StatusOK:
		if len(validate.DecodeAnswer(wsfev1.ErrorBodyShape, x.reply.Body, body)) > 0 {
			body = nil
		}
		x.call.RefuseAnswer(x.reply, body)
		return nil
	case x.outcome == audit.OutcomeUpstreamError:
		x.call.RefuseAnswer(x.reply, nil)
		return nil
	}
	answer := x.typedReply()
	if answer == nil {
		x.call.RefuseAnswer(x.reply, nil)
		return nil
	}
	if err := x.call.Answer(x.in.operation, answer, x.info()); err != nil {
		return err
	}
	if age := x.reply.Header.Get("Age"); age != "" { // of a cached answer
		x.call.Reply.Header.Set("Age", age)
	}
	return nil
}

// typedReply returns the reply as an answer of the operation, nil if it is no document.
func (x *exchange) typedReply() any {
	if body := x.reply.Body; x.answer.wellFormed && len(body) > 0 && len(body) == len(x.answer.read) && &body[0] == &x.answer.read[0] {
		return x.answer.typed // it is still the one that was read
	}
	answer := x.in.operation.NewAnswer()
	if deviations := validate.DecodeAnswer(x.in.operation.Answer, x.reply.Body, answer); !isReadable(deviations) {
		return nil
	}
	return answer
}

// info returns the header of an answer in SOAP, which the service's own has: by the clock of
// FchProceso.
func (x *exchange) info() soap.Info {
	return soap.InfoAt(serverInfo, x.gateway.clock.At(x.gateway.now()), x.id)
}

// serverInfo is who answers, in that header.
const serverInfo = "Fielato"

// clientReply returns the reply in the client's form. record is the address of the record, empty for none.
func (x *exchange) clientReply(record string) binding.Reply {
	if x.call != nil {
		return x.call.Sent(record)
	}
	return x.reply
}

// clientLeg returns the client's side of the exchange as it is recorded, nil if it is the exchange
// itself. The rest of the record is complete.
func (x *exchange) clientLeg(r *audit.Record) *audit.Leg {
	c := x.call
	if c == nil || c.Body == nil && r.Kind != audit.KindIntent && c.Reply.Body == nil {
		return nil
	}
	l := &audit.Leg{Form: c.Form(), RequestType: c.MediaType, RequestLength: int64(len(c.Body))}
	if c.Body != nil {
		l.RequestDigest = x.mask.Digest(c.Digest)
		if r.Kind != audit.KindOutcome { // the intent holds it
			l.Request, _ = x.mask.XML(c.Body, c.Charset, true, x.in.credentials...)
		}
	}
	if r.Kind == audit.KindIntent {
		return l
	}
	l.AnswerLength, l.AnswerDigest = int64(len(c.Reply.Body)), x.mask.Digest(sha256.Sum256(c.Reply.Body))
	l.Answer = x.redactReply(r)
	return l
}

// redactReply returns the reply in SOAP without credentials and hidden fields.
func (x *exchange) redactReply(r *audit.Record) []byte {
	if x.passedOn() == nil && x.refusal == nil && x.answer.wellFormed && bytes.Equal(r.Answer, x.reply.Body) {
		return x.call.Reply.Body // the same texts, in which there was nothing to replace
	}
	kept, _ := x.mask.XML(x.call.Reply.Body, "utf-8", false, x.in.credentials...)
	return kept
}
