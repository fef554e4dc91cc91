package documents

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Judge judges documents as the gateway judges requests.
type Judge struct {
	// Operation is the operation of every document; nil to find each by its members.
	Operation *wsfev1.Operation
	// Book is how the gateway decides.
	Book     *intake.Book
	Now      func() time.Time
	Redactor *mask.Redactor
	// Option names what tells the operation where the document does not, in Spanish. Default:
	// --operation.
	Option string
	// Fallback is the operation of a document in JSON whose members do not show one. Nil: it is not
	// judged.
	Fallback *wsfev1.Operation
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

	// form and decision are the gateway's for the request, nil if it was not read.
	form     intake.Form
	decision *intake.Decision
	// secrets are texts of the document that nothing may quote, besides the decision's credentials.
	secrets []string
}

// Subject returns the subject of the request; nothing if it was not read.
func (c *Result) Subject() wsfev1.Subject {
	if c.decision == nil {
		return wsfev1.Subject{}
	}
	return c.decision.Subject
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

// Document finds the operation of a document, and judges it.
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
	c.decide(result, intake.InJSON(body), operation)
}

// option is Option or its default.
func (c *Judge) option() string { return cmp.Or(c.Option, "--operation") }

// codeForeign is the code of a finding about an issuer that the gateway refuses.
const codeForeign = "http.cuit"

// decide takes a request to the gateway's decision. secrets are texts that findings must not quote.
func (c *Judge) decide(result *Result, form intake.Form, operation *wsfev1.Operation, secrets ...string) {
	d := c.Book.Decide(intake.Message{Form: form, Operation: operation, Redactor: c.Redactor, Secrets: secrets, At: c.Now()})
	result.form, result.decision, result.secrets, result.NoTicket = form, d, secrets, d.Unticketed
	for _, f := range d.Findings {
		result.Unreadable = result.Unreadable || f.Code == CodeSyntax
	}
	if result.Findings = d.Findings; d.Foreign {
		result.Findings = append(result.Findings, validate.Finding{
			Code: codeForeign, Severity: validate.Shape, Action: validate.ActionRefuse, Pointer: "/Auth/Cuit", Invoice: validate.Header,
			Text: "La CUIT " + d.Subject.Cuit.String() + " no está habilitada en esta pasarela.",
		})
	}
}

// SyntaxText explains in Spanish why a document is not JSON, without quoting it.
func SyntaxText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "El documento está vacío o termina antes de tiempo."
	}
	return "El documento no es JSON válido."
}
