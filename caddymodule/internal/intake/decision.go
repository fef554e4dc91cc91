package intake

import (
	"crypto/sha256"
	"net/http"
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// Decision is what a gateway has decided about a request: to send it, or how to refuse it.
type Decision struct {
	// Operation is nil if the request was refused before it was recognized.
	Operation *wsfev1.Operation
	// HTTP is the request as the same in JSON, at the path of the operation.
	HTTP *http.Request
	// Request is the typed request as it came, and Body the same in JSON; Digest is the SHA-256 of Body. For
	// a request that is not of the operation's shape, Body has what came if that was JSON.
	Request *validate.Request
	Body    []byte
	Digest  [sha256.Size]byte
	Subject wsfev1.Subject
	// WellFormed: the request has the operation's shape.
	WellFormed bool
	// KeptTicket: a keeper gives the ticket for the service. The request may have none.
	KeptTicket bool
	// Unticketed: a Token or a Sign is missing, and the rest was judged all the same (Book.Unticketed).
	Unticketed bool
	// Foreign: the gateway does not serve the issuer.
	Foreign bool
	// Credentials are the request's Token and Sign, if it could be decoded.
	Credentials []string
	// Completed is the request with the members that the option fill has put into it, nil for none. The
	// service gets it, and the rules have judged it.
	Completed *Completed
	// Findings are all findings about the request, with their actions and without credentials.
	Findings []validate.Finding
	// Clearance says that the rules have found nothing. It is nil if they have, or have not judged.
	Clearance *rules.Clearance

	// Refusal or Answer ends the exchange; both are nil for a request that is sent. Answer is in the
	// operation's own shape.
	Refusal *binding.Refusal
	Answer  any
	// Deferred are findings that refuse the request unless it repeats one that was sent before: then its
	// client must get the result that it has lost.
	Deferred []validate.Finding
}

// Completed is a request with members that the client has not sent.
type Completed struct {
	Request *validate.Request
	Body    []byte
	// Filled lists what was filled in.
	Filled *fill.Completed
}

// Ends reports whether the exchange ends without the service.
func (d *Decision) Ends() bool { return d.Refusal != nil || d.Answer != nil }

// Sent returns the request that the service gets, and the same in JSON.
func (d *Decision) Sent() (*validate.Request, []byte) {
	if d.Completed != nil {
		return d.Completed.Request, d.Completed.Body
	}
	return d.Request, d.Body
}

// Reply returns the reply that refuses the request, in JSON. It is called if Ends.
func (d *Decision) Reply() (binding.Reply, error) {
	if d.Refusal != nil {
		return d.Refusal.Reply()
	}
	return binding.JSON(http.StatusOK, d.Answer)
}

// Refusing returns the findings that refuse the request.
func (d *Decision) Refusing() (refusing []validate.Finding) {
	for _, f := range d.Findings {
		if f.Action == validate.ActionRefuse {
			refusing = append(refusing, f)
		}
	}
	return refusing
}

// WithoutFilled returns the findings of an exchange without those about what was filled in, or is lacking:
// it has the answer to an earlier one, and refuses and sends nothing.
func (d *Decision) WithoutFilled(findings []validate.Finding) []validate.Finding {
	return slices.DeleteFunc(findings, func(f validate.Finding) bool {
		return fill.IsCode(f.Code) || len(d.Deferred) > 0 && f.Action == validate.ActionRefuse
	})
}

// Release drops the request and its credentials. The operation, the subject and the digest stay.
func (d *Decision) Release() {
	d.Request, d.Body, d.Credentials, d.Completed = nil, nil, nil, nil
	d.Findings, d.Clearance, d.Deferred, d.Answer = nil, nil, nil, nil
}
