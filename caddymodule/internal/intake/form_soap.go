package intake

import (
	"fmt"
	"net/http"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// inSOAP is the form of a client that speaks SOAP. Its request is read into the same typed request as in
// JSON, and the last thing before the record is that the reply is written in SOAP.
type inSOAP struct{ call *binding.SOAPCall }

// InSOAP returns the form of a call.
func InSOAP(call *binding.SOAPCall) Form { return &inSOAP{call} }

func (f *inSOAP) Admit(a binding.Admission, w http.ResponseWriter, r *http.Request) (*wsfev1.Operation, *http.Request, *binding.Refusal) {
	op, twin, refusal := a.AdmitSOAP(w, r, f.call)
	if refusal != nil {
		return op, r, refusal
	}
	return op, twin, nil
}

func (f *inSOAP) Arrived() []byte { return f.call.Body }

func (f *inSOAP) Weight() int64 { return binding.MostWeight(f.call.Body, true) }

func (f *inSOAP) Decode(op *wsfev1.Operation, contract validate.Contract, invoices int) (*validate.Request, []byte, []validate.Finding, error) {
	request, findings := f.call.Decode(op, contract, invoices)
	if len(findings) > 0 {
		return request, nil, findings, nil
	}
	// It was read without findings, and so is of that type. XML takes nearly twice the bytes.
	v, _ := typed.Of(op.Request, request.Body)
	body, err := typed.AppendJSON(make([]byte, 0, len(f.call.Body)*3/5), op.Request, v)
	if err != nil { // the types write what they have read
		return request, nil, nil, fmt.Errorf("writing a request as JSON: %w", err)
	}
	return request, body, nil, nil
}

func (f *inSOAP) Malformed(findings []validate.Finding) (any, *binding.Refusal) {
	if answer := f.call.Incomplete(); answer != nil {
		return answer, nil
	}
	return nil, f.call.Malformed(findings)
}

func (f *inSOAP) Passes(leg *binding.UpstreamLeg) bool {
	return leg.Read != binding.LegUnread && leg.Ambiguous == 0 && leg.Version == f.call.Version
}

func (f *inSOAP) Answer(a Answer) (binding.Reply, error) {
	err := panics.Do("writing an answer in SOAP", func() error { return f.write(a) })
	if err != nil {
		f.call.Refuse(binding.Internal(err))
	}
	return f.call.Reply, err
}

func (f *inSOAP) write(a Answer) error {
	switch {
	case a.Refusal != nil:
		f.call.Refuse(a.Refusal)
		return nil //nolint:nilerr // the refusal is the answer
	case a.Passed != nil:
		f.call.Pass(a.Passed)
		return nil
	case a.Reply.Status != http.StatusOK:
		body := new(wsfev1.ErrorBody)
		if len(validate.DecodeAnswer(wsfev1.ErrorBodyShape, a.Reply.Body, body)) > 0 {
			body = nil
		}
		f.call.RefuseAnswer(a.Reply, body)
		return nil
	}
	answer := a.Typed
	if answer == nil && !a.Foreign {
		answer = a.Operation.NewAnswer()
		if !validate.IsReadable(validate.DecodeAnswer(a.Operation.Answer, a.Reply.Body, answer)) {
			answer = nil
		}
	}
	if a.Foreign || answer == nil {
		f.call.RefuseAnswer(a.Reply, nil)
		return nil
	}
	if err := f.call.Answer(a.Operation, answer, a.Info); err != nil {
		return err
	}
	if age := a.Reply.Header.Get("Age"); age != "" { // of a cached answer
		f.call.Reply.Header.Set("Age", age)
	}
	return nil
}

func (f *inSOAP) Sent(_ binding.Reply, record string) binding.Reply { return f.call.Sent(record) }

func (f *inSOAP) Message() *binding.SOAPCall { return f.call }

func (f *inSOAP) Release() { f.call.Release() }
