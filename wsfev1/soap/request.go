package soap

import (
	"strings"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// MaxItems bounds the items of all lists of a message together.
	MaxItems = 100_000
	// maxLists is how many lists lie in each other: the invoices of a lot, and the lists of an invoice.
	maxLists = 2
	// maxIgnored bounds the elements that a Request reports as ignored.
	maxIgnored = 20
)

// Request is a request that was read.
type Request struct {
	Operation *wsfev1.Operation
	// Body is a pointer to the operation's request type. What could not be read has its zero
	// value: a request with findings must not be processed.
	Body any
	// Items is the number of items of all lists in Body. Unread is the number of invoices of the
	// lot that are not in Body, as it has as many without them as DecodeUpTo reads.
	Items, Unread int
	// Findings are the mistakes in its shape, in the order read.
	Findings []Finding
	// Absent are the objects that lack members which then read as 0, in the order read.
	Absent []Absence
	// Overlong are the JSON Pointers of the amounts that do not fit into the digits of their
	// member.
	Overlong []string
	// Ignored are the elements that the service does not know, and the texts between elements: it
	// does not see them. There are no more than some, and none is an error.
	Ignored []Finding
	// Ambiguous are the constructs that the service might read differently. A message with any of them
	// must not be sent as it came.
	Ambiguous Constructs
	// End is the position in the body of the end tag of the envelope, 0 if it was not read. Without
	// it the message is none.
	End int
}

// Absence is an object that lacks members.
type Absence struct {
	// Shape occurs once within an item, and Items are the positions of the item in the lists
	// around it.
	Shape *wsfev1.Shape
	Items [maxLists]int32
	// Members has a bit for each member, at its position in the shape.
	Members uint64
}

// Decode reads the request of an operation, which Route has named. It never returns nil.
func (e *Envelope) Decode(op *wsfev1.Operation) *Request { return e.DecodeUpTo(op, 0) }

// DecodeUpTo is Decode that reads no more invoices of a lot than this, and counts the others: for
// a caller that refuses a longer lot anyway. 0 reads all of them.
func (e *Envelope) DecodeUpTo(op *wsfev1.Operation, invoices int) *Request {
	req := &Request{Operation: op, Body: op.NewRequest()}
	p, ok := plans[op]
	if !ok || e == nil || !e.empty && !e.unseen() && e.Element != op.Name {
		req.Findings = []Finding{{Code: CodeUnknown, Text: texts[CodeUnknown]}}
		return req
	}
	r, err := e.take()
	if err != nil {
		req.Findings = []Finding{findingOf(err)}
		return req
	}
	defer r.release()
	r.decoder.reset(e.text, req)
	r.decoder.root, r.decoder.invoices = requestRoot(op), invoices
	v, _ := typed.Of(op.Request, req.Body) // it is of that type, as the table of operations has it
	r.decoder.message(e, p.request, v)
	req.Findings, req.Items, req.Ambiguous = r.decoder.findings, r.decoder.read, r.decoder.constructs(e)
	return req
}

// ServiceError returns the error of the service for a request without its containers: this is
// no fault there but an answer. It reports false for a request that has anything else wrong.
func (r *Request) ServiceError() (wsfev1.Err, bool) {
	if r == nil || len(r.Findings) == 0 {
		return wsfev1.Err{}, false
	}
	first := r.Findings[0].Pointer
	for _, f := range r.Findings {
		if f.Code != CodeMissing {
			return wsfev1.Err{}, false
		}
		if f.Pointer == "/Auth" {
			first = f.Pointer
		}
	}
	if first == "/Auth" {
		return wsfev1.Err{Code: codeInternal, Msg: "Campo Auth no fue ingresado o esta mal formado."}, true
	}
	name := first[strings.LastIndexByte(first, '/')+1:]
	return wsfev1.Err{Code: codeInternal, Msg: "Tag <" + name + "> no fue ingresado"}, true
}

// codeInternal is the service's code for requests that it cannot work on.
const codeInternal = 500
