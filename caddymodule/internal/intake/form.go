package intake

import (
	"net/http"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Form is the form in which a client speaks: JSON or SOAP. Between Admit and Answer an exchange is in JSON,
// whatever its form: so a repeat is a repeat in either, and the next handler gets JSON. A Form belongs to
// one exchange, and one goroutine uses it.
type Form interface {
	// Admit reads the body once and finds the operation. twin is the request as the same in JSON, at the
	// path of the operation. The operation is also returned with a refusal, if it was recognized.
	Admit(a binding.Admission, w http.ResponseWriter, r *http.Request) (op *wsfev1.Operation, twin *http.Request, _ *binding.Refusal)
	// Arrived returns the body as it came, nil if it did not arrive.
	Arrived() []byte
	// Weight returns the most that the body may come to weigh in a MemoryBudget, once it is read.
	Weight() int64
	// Decode returns the typed request, the same in JSON, and all findings of shape. It reads no more
	// invoices of a lot than this, 0 for all.
	Decode(op *wsfev1.Operation, contract validate.Contract, invoices int) (*validate.Request, []byte, []validate.Finding, error)
	// Malformed returns how a request with these findings of shape is refused: by an answer of the
	// operation, or else by a refusal.
	Malformed(findings []validate.Finding) (answer any, _ *binding.Refusal)
	// Passes reports whether the client could be given the service's own message.
	Passes(leg *binding.UpstreamLeg) bool
	// Answer returns the reply to the client, and keeps it for Sent.
	Answer(a Answer) (binding.Reply, error)
	// Sent returns the reply as it is sent. record is the address of the exchange's record, empty for none.
	Sent(reply binding.Reply, record string) binding.Reply
	// Message returns the client's message in SOAP, nil for JSON. A transport that speaks SOAP may pass
	// it on, and the record has it beside the same in JSON.
	Message() *binding.SOAPCall
	// Release drops everything that is not needed to send the reply.
	Release()
}

// Answer is how an exchange ends, for the form to write.
type Answer struct {
	Operation *wsfev1.Operation
	// Refusal refuses the request, nil for an answer. Reply is the reply in JSON in either case.
	Refusal *binding.Refusal
	Reply   binding.Reply
	// Typed is the answer of the operation that Reply was read into, nil if it must be read.
	Typed any
	// Foreign: Reply is none of the operation's answers.
	Foreign bool
	// Passed is the service's message that the client gets byte for byte, nil for none. Passes holds of it.
	Passed *binding.UpstreamLeg
	// Info is the header of an answer in SOAP.
	Info soap.Info
}

// FormOf returns the form of a client's request. takesSOAP: clients may speak SOAP.
func FormOf(r *http.Request, takesSOAP bool) Form {
	if takesSOAP && binding.MeansSOAP(r.URL) {
		return InSOAP(binding.NewSOAPCall(r))
	}
	return InJSON(nil)
}
