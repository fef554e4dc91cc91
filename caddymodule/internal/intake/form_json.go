package intake

import (
	"net/http"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// inJSON is the form of a client that speaks JSON: the form of the exchange itself.
type inJSON struct{ body []byte }

// InJSON returns the form of a message in JSON. Admit sets the body of a request that is still to be read.
func InJSON(body []byte) Form { return &inJSON{body} }

func (f *inJSON) Admit(a binding.Admission, w http.ResponseWriter, r *http.Request) (*wsfev1.Operation, *http.Request, *binding.Refusal) {
	op, body, refusal := a.Admit(w, r)
	f.body = body
	return op, r, refusal
}

func (f *inJSON) Arrived() []byte { return f.body }

func (f *inJSON) Weight() int64 { return binding.MostWeight(f.body, false) }

func (f *inJSON) Decode(op *wsfev1.Operation, contract validate.Contract, invoices int) (*validate.Request, []byte, []validate.Finding, error) {
	request, findings := validate.DecodeUpTo(op, f.body, contract, invoices)
	return request, f.body, findings, nil
}

func (f *inJSON) Malformed(findings []validate.Finding) (any, *binding.Refusal) {
	return nil, binding.Malformed(findings)
}

func (f *inJSON) Passes(*binding.UpstreamLeg) bool { return false }

func (f *inJSON) Answer(a Answer) (binding.Reply, error) { return a.Reply, nil }

func (f *inJSON) Sent(reply binding.Reply, _ string) binding.Reply { return reply }

func (f *inJSON) Message() *binding.SOAPCall { return nil }

func (f *inJSON) Release() { f.body = nil }
