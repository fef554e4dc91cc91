package validate

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// maxDepth bounds the nesting of a document. The deepest member of the
	// interface lies 9 levels deep.
	maxDepth = 32
	// maxItems bounds the items of all lists of a body together: two bytes of it can
	// be an item of some hundred. A lot of 9998 invoices may have nine more each, and
	// the longest list of an answer has the points of sale, 1 to 99998.
	maxItems = 100_000
)

// Request is a request that was read.
type Request struct {
	Operation *wsfev1.Operation
	// Body is a pointer to the operation's request type. Where there are findings
	// of shape, what could not be read is left at its zero value.
	Body any
	// Contract is what it was read under. ARCA if it is empty.
	Contract Contract
	// Items is the number of items of all lists in Body.
	Items int
	// Unread is the number of invoices of the lot that are not in Body, as it has as many without
	// them as DecodeUpTo reads. Such a request must be refused (10003).
	Unread int

	// absent holds the objects that lack expected members, with one bit for each.
	absent map[location]uint64
	// Overlong holds the JSON Pointers of the amounts that do not fit into the digits
	// of their member, in the order read and at most MaxFindings of them.
	Overlong []string
	// Ignored are findings about elements that the service does not see, at most some of them.
	// They reject nothing. A JSON body has none: an unknown member there is an error.
	Ignored []Finding
}

// Typed reports whether Body is of the operation's request type, as Decode leaves it. A
// request for which it is false cannot be judged nor answered.
func (r *Request) Typed() bool {
	if r == nil || r.Operation == nil || r.Operation.Request == nil || r.Body == nil {
		return false
	}
	_, ok := typed.Of(r.Operation.Request, r.Body)
	return ok
}

// Decode reads the body of a request. Without findings, the request is of the
// operation's shape. It does not keep body. An operation that is not one of
// wsfev1.Operations is a finding, and the request then has no body.
func Decode(op *wsfev1.Operation, body []byte, contract Contract) (*Request, []Finding) {
	return DecodeUpTo(op, body, contract, 0)
}

// DecodeUpTo is Decode that reads no more invoices of a lot than this, and counts the others: for
// a caller that refuses a longer lot anyway. 0 reads all of them.
func DecodeUpTo(op *wsfev1.Operation, body []byte, contract Contract, invoices int) (*Request, []Finding) {
	if op.NewRequest() == nil || op.Request == nil {
		return &Request{Operation: op}, []Finding{UnknownOperation()}
	}
	req, v := newRequest(op)
	req.Contract = contract
	return req, decode(op.Request, body, v, req, contract, invoices)
}

// boxes holds for each operation a struct of a Request and its body: both are made
// at once.
var boxes = func() map[*wsfev1.Operation]reflect.Type {
	m := make(map[*wsfev1.Operation]reflect.Type, len(wsfev1.Operations))
	for _, op := range wsfev1.Operations {
		m[op] = reflect.StructOf([]reflect.StructField{
			{Name: "Request", Type: reflect.TypeFor[Request]()},
			{Name: "Body", Type: op.Request.Type},
		})
	}
	return m
}()

// newRequest returns a request that is still to be read, and its body.
func newRequest(op *wsfev1.Operation) (*Request, typed.Value) {
	var req *Request
	if box, ok := boxes[op]; ok {
		v := reflect.New(box).Elem()
		req = v.Field(0).Addr().Interface().(*Request)
		req.Body = v.Field(1).Addr().Interface()
	} else {
		req = &Request{Body: op.NewRequest()}
	}
	req.Operation = op
	body, _ := typed.Of(op.Request, req.Body) // it is of that type, as the table of operations has it
	return req, body
}

// DecodeAnswer reads the body into answer, a pointer to a type of this
// shape, and returns where it deviates from it. The codes of the findings begin
// with "answer." and none of them rejects anything. It does not keep body. Where answer is
// no such pointer nothing is read, and the only finding tells it.
func DecodeAnswer(shape *wsfev1.Shape, body []byte, answer any) []Finding {
	var findings []Finding
	if v, ok := typed.Of(shape, answer); ok {
		findings = decode(shape, body, v, nil, ARCA, 0)
	} else {
		findings = []Finding{UnknownOperation()}
	}
	return ofAnswer(findings)
}

// IsReadable reports whether an answer with these deviations, as DecodeAnswer has found them, was a JSON
// document: the typed answer then has what could be read of it.
func IsReadable(deviations []Finding) bool {
	for _, f := range deviations {
		if f.Pointer == "" || strings.HasSuffix(f.Code, ".syntax") {
			return false
		}
	}
	return true
}

// ofAnswer turns findings of shape into those about an answer.
func ofAnswer(findings []Finding) []Finding {
	for i := range findings {
		f := &findings[i]
		f.Severity, f.Code = OBS, answerPrefix+strings.TrimPrefix(f.Code, shapePrefix)
	}
	return findings
}

func decode(shape *wsfev1.Shape, body []byte, v typed.Value, req *Request, contract Contract, invoices int) []Finding {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.reset(req, contract)
	d.invoices = invoices
	d.decode(shape, body, v)
	return d.findings
}

func (d *decoder) decode(shape *wsfev1.Shape, body []byte, v typed.Value) {
	if trimmed, found := bytes.CutPrefix(body, []byte("\xef\xbb\xbf")); found {
		body, d.checked = trimmed, true
		d.find("", shapeBOM)
	}
	d.body = body
	d.invalidUTF8 = !utf8.Valid(body)
	d.noCharacters = d.req != nil && hasNoCharacter(body) // an answer is not sent on
	if d.checked || d.invalidUTF8 || !d.atOnce(shape, v) {
		d.check()
		if err := d.document(shape, v); err != nil && !errors.Is(err, errStop) {
			d.findSyntax(err)
		}
	}
	if d.req != nil {
		d.req.Items = d.read
	}
}
