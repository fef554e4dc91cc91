package validate

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

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
	v := reflect.ValueOf(r.Body)
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == r.Operation.Request.Type
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
	req, typed := newRequest(op)
	req.Contract = contract
	return req, decode(op.Request, body, typed, req, contract, invoices)
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

// newRequest returns a request that is still to be read, and its body as a value
// that can be set.
func newRequest(op *wsfev1.Operation) (*Request, reflect.Value) {
	box, ok := boxes[op]
	if !ok {
		req := &Request{Operation: op, Body: op.NewRequest()}
		return req, reflect.ValueOf(req.Body).Elem()
	}
	v := reflect.New(box).Elem()
	body := v.Field(1)
	req := v.Field(0).Addr().Interface().(*Request)
	req.Operation, req.Body = op, body.Addr().Interface()
	return req, body
}

// DecodeAnswer reads the body of an answer into typed, a pointer to a type of this
// shape, and returns where it deviates from it. The codes of the findings begin
// with "answer." and none of them rejects anything. It does not keep body. Where typed is
// no such pointer nothing is read, and the only finding tells it.
func DecodeAnswer(shape *wsfev1.Shape, body []byte, typed any) []Finding {
	var findings []Finding
	if v := reflect.ValueOf(typed); shape != nil && v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == shape.Type {
		findings = decode(shape, body, v.Elem(), nil, ARCA, 0)
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

func decode(shape *wsfev1.Shape, body []byte, v reflect.Value, req *Request, contract Contract, invoices int) []Finding {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.reset(req, contract)
	d.invoices = invoices
	if trimmed, found := bytes.CutPrefix(body, []byte("\xef\xbb\xbf")); found {
		body = trimmed
		d.find("", shapeBOM)
	}
	d.invalidUTF8 = !utf8.Valid(body)
	d.check(body)
	if err := d.document(shape, v); err != nil && !errors.Is(err, errStop) {
		d.findSyntax(err)
	}
	if req != nil {
		req.Items = d.read
	}
	return d.findings
}

// lenient leaves duplicate names and invalid UTF-8 to be looked for here, where each
// can be reported with its place and reading continues.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errStop ends the reading after a finding that leaves nothing more to read.
var errStop = errors.New("reading ends here")

// decoder walks a JSON document and a Shape side by side. Package json checks the grammar
// beforehand, so the walk only has to find where tokens end, and cannot disagree with json.
type decoder struct {
	// json checks the grammar. Afterwards it starts again and follows the walk,
	// where one asks for pointers.
	json      *jsontext.Decoder
	buffer    bytes.Buffer
	following bool
	// body is read up to at. From 0 to end it holds whole tokens in their right
	// order, and syntax is the error of json that comes next: nil after a document.
	body    []byte
	at, end int
	syntax  error

	// req is nil while an answer is read, where absent members do not matter. Its methods
	// accept nil, so that the walk need not check it.
	req      *Request
	contract Contract
	findings []Finding
	// unreported takes the findings beyond MaxFindings. It is nil as long as there are none.
	unreported *Finding
	// depth is the number of open objects and lists, lists the number of open lists.
	depth, lists int
	// items are the positions in the open lists: items[:lists] hold.
	items [maxLists]int32
	// read is the number of items of all lists so far. invoices is how many of a lot are read, 0
	// for all.
	read, invoices int
	// amount is where amountValue lies: setting a field from there costs less than
	// asking for the field's address.
	amount      *wsfev1.Amount
	amountValue reflect.Value
	// texts has room for short texts: see keep.
	texts strings.Builder
	// invalidUTF8: some string of the body is not valid. Only then is each of them checked.
	invalidUTF8 bool
}

var decoders = sync.Pool{New: func() any {
	amount := new(wsfev1.Amount)
	return &decoder{
		json: jsontext.NewDecoder(bytes.NewReader(nil)), amount: amount, amountValue: reflect.ValueOf(amount).Elem(),
	}
}}

// reset gives a decoder its task. Without one nothing is left that belongs to the
// caller: a pooled decoder must not keep a body with credentials alive.
func (d *decoder) reset(req *Request, contract Contract) {
	*d.amount = wsfev1.Amount{}
	*d = decoder{json: d.json, amount: d.amount, amountValue: d.amountValue, req: req, contract: contract}
}

func (d *decoder) release() {
	d.reset(nil, "")
	d.json.Reset(&d.buffer)
	decoders.Put(d)
}

func (d *decoder) rewind() {
	d.buffer = *bytes.NewBuffer(d.body)
	d.json.Reset(&d.buffer, lenient...)
}

// check finds out how far a body can be read. A document without errors is read at
// one go; in any other the tokens before the error are counted.
func (d *decoder) check(body []byte) {
	d.body = body
	d.rewind()
	if _, err := d.json.ReadValue(); err != nil {
		d.rewind()
		for d.syntax == nil {
			_, d.syntax = d.json.ReadToken()
		}
	}
	d.end = int(d.json.InputOffset())
}

// pointer returns the JSON Pointer of the token or value that was read last. As the
// walk only goes forward, all pointers of a body take one more pass together. There
// is none where no more findings are kept.
func (d *decoder) pointer() string {
	if d.full() {
		return ""
	}
	if !d.following {
		d.rewind()
		d.following = true
	}
	for int(d.json.InputOffset()) < d.at {
		if _, err := d.json.ReadToken(); err != nil {
			break // not before end
		}
	}
	return string(d.json.StackPointer())
}

func (d *decoder) document(shape *wsfev1.Shape, v reflect.Value) error {
	kind := d.next()
	if kind != 0 && !fits(shape.Kind, kind) {
		if err := d.skip(kind); err != nil {
			return err
		}
		d.findKind("", nil, shape.Kind, kind, nil)
	} else if err := d.value(shape, nil, v, kind); err != nil {
		return err
	}
	if len(bytes.TrimLeft(d.body[d.at:], " \t\r\n")) > 0 {
		// Whether what follows is JSON does not matter: nothing may follow.
		d.find("", shapeTrailing)
	}
	return nil
}
