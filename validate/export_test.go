package validate

import (
	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

// DecodeChecked is Decode that never reads at once: package json checks the grammar first.
func DecodeChecked(op *wsfev1.Operation, body []byte, contract Contract) (*Request, []Finding) {
	req, v := newRequest(op)
	req.Contract = contract
	return req, decodeChecked(op.Request, body, v, req, contract)
}

// DecodeAnswerChecked is DecodeAnswer that never reads at once.
func DecodeAnswerChecked(shape *wsfev1.Shape, body []byte, answer any) []Finding {
	v, _ := typed.Of(shape, answer)
	return ofAnswer(decodeChecked(shape, body, v, nil, ARCA))
}

func decodeChecked(shape *wsfev1.Shape, body []byte, v typed.Value, req *Request, contract Contract) []Finding {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.reset(req, contract)
	d.checked = true
	d.decode(shape, body, v)
	return d.findings
}
