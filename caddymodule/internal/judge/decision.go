package judge

import (
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// codeForeign is the code of an issuer that a gateway does not serve, as in its refusal.
const codeForeign = "http.cuit"

// decide takes steps 2 to 4 of the gateway of the book: the shape, the issuer, the option fill, the rules,
// and the consequence of each finding. It returns the findings, and keeps how the request is refused.
//
// Tickets are not looked at, and may be missing: who tries a request should not have to paste one.
func (c *Judge) decide(result *Result, shape []validate.Finding) []validate.Finding {
	request := result.request
	without := slices.DeleteFunc(slices.Clone(shape), validate.LacksTicket)
	result.NoTicket = len(without) < len(shape)
	ignored := slices.Clone(request.Ignored)
	for i := range ignored {
		ignored[i].Action = validate.ActionObserve
	}
	if len(without) > 0 {
		result.refuseShape(without)
		return append(without, ignored...)
	}
	health := request.Operation.Family == wsfev1.FamilyHealth
	cuit := wsfev1.AuthOf(request.Body).Cuit
	if !health && c.Book.Allows != nil && !c.Book.Allows(cuit) {
		result.refusal = binding.ForeignCuit(cuit)
		return append(ignored, validate.Finding{
			Code: codeForeign, Severity: validate.Shape, Action: validate.ActionRefuse, Pointer: "/Auth/Cuit", Invoice: validate.Header,
			Text: "La CUIT " + cuit.String() + " no está habilitada en esta pasarela.",
		})
	}
	found := ignored
	if c.Book.Fill != nil {
		completed, filled := c.Book.Fill(request)
		for i := range filled {
			filled[i].Action = validate.ActionObserve
		}
		if found = append(found, filled...); completed != nil {
			request, result.request = completed, completed
		}
	}
	if finding, wrong := validate.IssuerFinding(cuit); wrong && !health {
		finding.Action = c.Book.Action(finding)
		found = append(found, finding)
		if finding.Action == validate.ActionRefuse {
			result.composed = validate.Unauthenticated(request, finding)
			return found
		}
	}
	judged := c.Rules.Judge(request, result.moment)
	for i := range judged {
		judged[i].Action = c.Book.Action(judged[i])
	}
	return append(found, judged...)
}

// refuseShape keeps how a request is refused that is not of the operation's shape.
func (c *Result) refuseShape(findings []validate.Finding) {
	if c.call == nil {
		return // Answer writes the findings, which have no credentials then
	}
	if c.composed = c.call.Incomplete(); c.composed == nil {
		c.refusal = c.call.Malformed(findings)
	}
}

// Answer is the answer that the client would get. Withheld: it repeats a part of a credential, so the body
// is left out.
type Answer struct {
	Status   int
	Body     []byte
	Withheld bool
}

// Answer returns the answer with which the gateway of the book refuses the document. There is none if it
// does not, or if the document was not judged.
func (c *Judge) Answer(r *Result) (*Answer, error) {
	if c.Book == nil || !r.Refused() {
		return nil, nil
	}
	reply, err := r.reply()
	if err != nil {
		return nil, err
	}
	a := &Answer{Status: reply.Status, Body: reply.Body}
	if credentials := c.Redactor.Credentials(r.credentials...); credentials.Text(string(a.Body)) != string(a.Body) {
		a.Body, a.Withheld = nil, true
	}
	return a, nil
}

// reply composes the answer as the gateway does.
func (r *Result) reply() (binding.Reply, error) {
	refusal, composed := r.refusal, r.composed
	if refusal == nil && composed == nil {
		if r.Unreadable || slices.ContainsFunc(r.Findings, isShape) {
			refusal = binding.Malformed(slices.DeleteFunc(slices.Clone(r.Findings), func(f validate.Finding) bool { return !isShape(f) }))
		} else {
			composed = validate.Refusal(r.request, slices.DeleteFunc(slices.Clone(r.Findings), isNotRefused), r.moment)
		}
	}
	switch {
	case r.call != nil && refusal != nil:
		r.call.Refuse(refusal)
		return r.call.Reply, nil
	case r.call != nil:
		err := r.call.Answer(r.request.Operation, composed, soap.Info{})
		return r.call.Reply, err
	case refusal != nil:
		return refusal.Reply()
	}
	return binding.JSON(200, composed)
}

func isShape(f validate.Finding) bool {
	return f.Severity == validate.Shape && f.Action == validate.ActionRefuse
}

func isNotRefused(f validate.Finding) bool { return f.Action != validate.ActionRefuse }
