package validate

import (
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// DecodeSOAP reads a request in its SOAP form, which Envelope.Route has named the operation of.
// The result is that of Decode: the same typed request, codes and pointers. It differs in what the
// service itself reads otherwise: there is one contract, ARCA; unknown members are ignored; and a
// required number or text may be left out, as any other may.
func DecodeSOAP(message *soap.Envelope, op *wsfev1.Operation) (*Request, []Finding) {
	if op.NewRequest() == nil || op.Request == nil {
		return &Request{Operation: op}, []Finding{UnknownOperation()}
	}
	read := message.Decode(op)
	req := &Request{Operation: op, Body: read.Body, Overlong: read.Overlong, Ignored: read.Ignored}
	for _, a := range read.Absent {
		if req.absent == nil {
			req.absent = make(map[location]uint64, len(read.Absent))
		}
		req.absent[location{shape: a.Shape, items: a.Items}] = a.Members
	}
	return req, FromSOAP(read.Findings)
}

// FromSOAP returns the findings about a request in its SOAP form as those of this package.
func FromSOAP(found []soap.Finding) []Finding {
	if len(found) == 0 {
		return nil
	}
	findings := make([]Finding, len(found))
	for i, f := range found {
		findings[i] = Finding{
			Code: f.Code, Severity: Shape, Pointer: Printable(f.Pointer), Path: Printable(f.Path), Invoice: Header,
			Text: f.Text, Expected: f.Expected, Got: f.Got, Source: soapSource,
		}
	}
	return findings
}

// FromSOAPAnswer returns the findings about an answer in its SOAP form as DecodeAnswer has them:
// none of them rejects anything.
func FromSOAPAnswer(found []soap.Finding) []Finding {
	return ofAnswer(FromSOAP(found))
}

const soapSource = "docs/sources.md#soap"
