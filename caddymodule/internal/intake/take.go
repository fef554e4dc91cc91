package intake

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/mask"
)

// Arrival is a request as it arrives at a gateway.
type Arrival struct {
	Form Form
	// Admission has the conditions under which the request is read. Its reservation gets the memory that the request
	// takes; the caller releases it.
	Admission binding.Admission
	Redactor  *mask.Redactor
	// Sender is who sends the request, nil if the book has no Clients. The caller calls Leave when the exchange has
	// ended.
	Sender *Sender
	// At is the time that the rules apply at.
	At time.Time
	// Step is told the name of each step, for a trace. It may be nil.
	Step func(name string)
}

// Take admits a request, reads its body once, and decides about it.
func (b *Book) Take(w http.ResponseWriter, r *http.Request, a Arrival) *Decision {
	m := Message{Form: a.Form, Redactor: a.Redactor, Sender: a.Sender, At: a.At, Step: a.Step}
	m.step("admit")
	memory := a.Admission.Reservation
	if a.Sender != nil {
		a.Sender.memory = memory
		a.Admission.Gate = b.gate(a.Sender)
	}
	op, twin, refusal := a.Form.Admit(a.Admission, w, r)
	if refusal == nil {
		if refusal = memory.Work(r.Context(), a.Form.Weight()); refusal != nil {
			a.Form.Release()
		}
	}
	if refusal != nil {
		if refusal.Detail == nil {
			refusal.Detail = fmt.Errorf("%s %s", RecordedMethod(r, a.Redactor), RecordedPath(r, a.Redactor))
		}
		return &Decision{Operation: op, HTTP: twin, Refusal: refusal}
	}
	m.Operation = op
	d := b.Decide(m)
	if d.HTTP = twin; !d.Ends() {
		// A request that is sent on takes no more than its true weight. A refused one ends at once.
		memory.Settle(binding.Weight(len(a.Form.Arrived()), d.Request, len(d.Findings)))
	}
	return d
}

// maxPath is the maximum length in bytes of a recorded path of a request that was not
// admitted.
const maxPath = 128

// RecordedPath returns the path of a request, or its fingerprint if it may contain a Token or
// a Sign: these contain slashes, so their segments can be short.
func RecordedPath(r *http.Request, redactor *mask.Redactor) string {
	path := r.URL.EscapedPath()
	if len(path) <= maxPath && redactor.Pointer(path) == path {
		return path
	}
	return redactor.Fingerprint([]byte(path))
}

// methods are those that are recorded as they are.
var methods = []string{
	http.MethodConnect, http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch,
	http.MethodPost, http.MethodPut, http.MethodTrace,
}

// RecordedMethod returns the method of a request, or its fingerprint if it is none of HTTP's own:
// it may be any word, a part of a Token too.
func RecordedMethod(r *http.Request, redactor *mask.Redactor) string {
	if slices.Contains(methods, r.Method) {
		return r.Method
	}
	return redactor.Fingerprint([]byte(r.Method))
}
