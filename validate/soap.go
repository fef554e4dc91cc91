package validate

import (
	"reflect"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// DecodeSOAP reads a request in its SOAP form, which Envelope.Route has named the operation of.
// The result is the same as from Decode: the same typed request, codes and pointers. It differs in
// the points where the service itself differs: unknown members are ignored, and a required number
// or text may be left out, as any other may.
func DecodeSOAP(message *soap.Envelope, op *wsfev1.Operation, contract Contract) (*Request, []Finding) {
	if op.NewRequest() == nil || op.Request == nil {
		return &Request{Operation: op}, []Finding{UnknownOperation()}
	}
	return OfSOAP(message.Decode(op), contract)
}

// OfSOAP returns a request that was read from SOAP, and all that is wrong with its shape.
func OfSOAP(read *soap.Request, contract Contract) (*Request, []Finding) {
	if read == nil {
		return &Request{}, []Finding{UnknownOperation()}
	}
	req := &Request{Operation: read.Operation, Contract: contract, Body: read.Body, Overlong: read.Overlong, Ignored: ignored(read.Ignored), Items: read.Items, Unread: read.Unread}
	if !req.Typed() {
		return req, append(FromSOAP(read.Findings), UnknownOperation())
	}
	for _, a := range read.Absent {
		if req.absent == nil {
			req.absent = make(map[location]uint64, len(read.Absent))
		}
		req.absent[location{shape: a.Shape, items: a.Items}] = a.Members
	}
	findings := FromSOAP(read.Findings)
	if contract == Base {
		findings = beyondBase(findings, read.Operation.Request, reflect.ValueOf(read.Body).Elem(), "")
	}
	return req, findings
}

// beyondBase adds a finding for each member of v that the base contract does not have. They are not
// ignored, as unknown elements are: the client has said something that would be lost.
func beyondBase(findings []Finding, shape *wsfev1.Shape, v reflect.Value, pointer string) []Finding {
	for i := range shape.Members {
		m := &shape.Members[i]
		field := v.FieldByIndex(m.Index)
		if field.IsZero() {
			continue
		}
		at := pointer + "/" + m.Name
		if !Base.allows(m) {
			findings = append(findings, Finding{
				Code: shapeUnknown.code, Severity: Shape, Pointer: at, Invoice: Header, Text: shapeUnknown.text, Source: soapSource,
			})
			continue
		}
		if m.Pointer {
			field = field.Elem()
		}
		switch m.Shape.Kind {
		case wsfev1.KindObject:
			findings = beyondBase(findings, m.Shape, field, at)
		case wsfev1.KindList:
			for n := 0; m.Shape.Item.Kind == wsfev1.KindObject && n < field.Len() && len(findings) < MaxFindings; n++ {
				findings = beyondBase(findings, m.Shape.Item, field.Index(n), at+"/"+strconv.Itoa(n))
			}
		}
	}
	return findings
}

// FromSOAP turns findings about a request in its SOAP form into findings of this package.
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

// ignored returns findings about elements that the service does not see.
func ignored(found []soap.Finding) []Finding {
	findings := FromSOAP(found)
	for i := range findings {
		findings[i].Severity = OBS
	}
	return findings
}

// FromSOAPAnswer returns the findings about an answer in its SOAP form as DecodeAnswer has them:
// none of them rejects anything.
func FromSOAPAnswer(found []soap.Finding) []Finding {
	return ofAnswer(FromSOAP(found))
}

const soapSource = "docs/sources.md#soap"
