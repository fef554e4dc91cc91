package validate

import (
	"reflect"

	"github.com/fielato/fielato/wsfev1"
)

// DecodeChecked is Decode that never reads at once: package json checks the grammar first.
func DecodeChecked(op *wsfev1.Operation, body []byte, contract Contract) (*Request, []Finding) {
	req, typed := newRequest(op)
	req.Contract = contract
	return req, decodeChecked(op.Request, body, typed, req, contract)
}

// DecodeAnswerChecked is DecodeAnswer that never reads at once.
func DecodeAnswerChecked(shape *wsfev1.Shape, body []byte, typed any) []Finding {
	return ofAnswer(decodeChecked(shape, body, reflect.ValueOf(typed).Elem(), nil, ARCA))
}

func decodeChecked(shape *wsfev1.Shape, body []byte, v reflect.Value, req *Request, contract Contract) []Finding {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.reset(req, contract)
	d.checked = true
	d.decode(shape, body, v)
	return d.findings
}
