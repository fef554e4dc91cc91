package judge

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/redact"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// Judge judges documents as the gateway judges requests, without the tickets.
type Judge struct {
	// Operation is the operation of every document; nil to find each by its members.
	Operation *wsfev1.Operation
	Contract  validate.Contract
	Rules     *rules.Rules
	Now       func() time.Time
	Redactor  *redact.Redactor
	// Option names what tells the operation where the document does not, in Spanish. Default:
	// --operation.
	Option string
	// Fallback is the operation of a document in JSON whose members do not show one. Nil: it is not
	// judged.
	Fallback *wsfev1.Operation
	// Book is the book of a gateway whose whole decision is asked for, see decide. Nil: a request is judged
	// by the rules alone, as by a gateway without options.
	Book *intake.Book
}

// Result holds the findings about one document, or about a file without one.
type Result struct {
	// Line is the document's first line; 0 if nothing of the file was read.
	Line int
	// Operation is empty if the document could not be read that far.
	Operation string
	// Unreadable: it could not be judged, or is neither JSON nor SOAP.
	Unreadable bool
	Findings   []validate.Finding
	// Form is the form of a SOAP message, soap11 or soap12, and empty for any other document.
	Form string
	// NoTicket: a Token or a Sign is missing, and the rest was judged all the same.
	NoTicket bool
	// places are where the elements stand that findings are about, by their pointers.
	places map[string]Place

	// What follows is for Answer: the request, the call if it is in SOAP, how it is refused, and what
	// may stand nowhere.
	request     *validate.Request
	call        *binding.SOAPCall
	refusal     *binding.Refusal
	composed    any
	moment      time.Time
	credentials []string
}

// Refused reports whether a finding refuses the document.
func (c *Result) Refused() bool {
	for _, f := range c.Findings {
		if f.Action == validate.ActionRefuse {
			return true
		}
	}
	return false
}

// Subject returns the subject of the request; nothing if it was not read.
func (c *Result) Subject() wsfev1.Subject {
	if c.request == nil {
		return wsfev1.Subject{}
	}
	return wsfev1.SubjectOf(c.request.Body)
}

// The codes of findings about what cannot be read.
const (
	CodeSyntax     = "shape.syntax"
	CodeUnreadable = "unreadable"
)

// ActionNone is the action of a finding about a document that was not judged: a missing file is not
// refused.
const ActionNone validate.Action = "none"

// CannotRead adds a finding about a document that cannot be judged. A gateway refuses a document that is
// neither JSON nor SOAP.
func (c *Result) CannotRead(code, text string) {
	action := ActionNone
	if code != CodeUnreadable {
		action = validate.ActionRefuse
	}
	c.Unreadable = true
	c.Findings = append(c.Findings, validate.Finding{
		Code: code, Severity: validate.Shape, Action: action, Invoice: validate.Header, Text: text,
	})
}

// Document takes steps 2 and 3 of the gateway: it decodes the body and applies the rules.
func (c *Judge) Document(doc Document) *Result {
	result := &Result{Line: doc.Line}
	if doc.tooLarge {
		result.CannotRead(CodeUnreadable, fmt.Sprintf("El documento supera el máximo de %d bytes.", MaxDocument))
		return result
	}
	switch {
	case doc.http != "":
		result.CannotRead(CodeUnreadable, "El archivo tiene "+doc.http+" de HTTP con su encabezado: deje solo el cuerpo, lo que sigue a la primera línea vacía.")
		return result
	case doc.xml:
		c.judgeSOAP(result, doc.Body)
		return result
	}
	c.judgeJSON(result, doc.Body)
	return result
}

func (c *Judge) judgeJSON(result *Result, body []byte) {
	operation := c.Operation
	if operation == nil {
		var err error
		operation, err = forms.OperationOf(body)
		switch {
		case errors.Is(err, forms.ErrAnswer):
			result.CannotRead(CodeUnreadable, "El documento es una respuesta del servicio, no un pedido.")
			return
		case err != nil && c.Fallback == nil:
			result.CannotRead(CodeSyntax, SyntaxText(err))
			return
		}
	}
	if operation == nil {
		operation = c.Fallback
	}
	if operation == nil {
		result.CannotRead(CodeUnreadable, "Los campos no dicen de qué operación es: indíquela con "+c.option()+".")
		return
	}
	result.Operation = operation.Name
	request, findings := validate.Decode(operation, body, c.Contract)
	auth := wsfev1.AuthOf(request.Body)
	c.finish(result, request, findings, auth.Token.Reveal(), auth.Sign.Reveal())
}

// option is Option or its default.
func (c *Judge) option() string { return cmp.Or(c.Option, "--operation") }

// finish judges a request that was read, and keeps the findings without these credentials.
func (c *Judge) finish(result *Result, request *validate.Request, shape []validate.Finding, credentials ...string) {
	result.request, result.credentials, result.moment = request, credentials, c.Now()
	for i := range shape {
		shape[i].Action = validate.ActionRefuse
		result.Unreadable = result.Unreadable || shape[i].Code == CodeSyntax
	}
	if c.Book != nil {
		shape = c.decide(result, shape)
	} else if len(shape) == 0 {
		shape = c.Rules.Judge(request, result.moment)
	}
	result.Findings = forms.WithoutCredentials(c.Redactor, shape, credentials...)
}

// SyntaxText explains in Spanish why a document is not JSON, without quoting it.
func SyntaxText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "El documento está vacío o termina antes de tiempo."
	}
	return "El documento no es JSON válido."
}
