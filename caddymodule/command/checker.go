package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/caddymodule/command/forms"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// checker judges documents as the gateway judges requests, without the tickets.
type checker struct {
	// operation is that of every document; nil to find each by its members.
	operation *wsfev1.Operation
	contract  validate.Contract
	rules     *rules.Rules
	now       func() time.Time
	redactor  *redact.Redactor
}

// checkResult holds the findings about one document, or about a file without one.
type checkResult struct {
	// line is the document's first line; 0 if nothing of the file was read.
	line int
	// operation is empty if the document could not be read that far.
	operation  string
	unreadable bool
	findings   []validate.Finding
	// form is that of a SOAP message, soap11 or soap12, and empty for any other document.
	form string
	// places are where the elements stand that findings are about, by their pointers.
	places map[string]place
}

func (c *checkResult) refused() bool {
	for _, f := range c.findings {
		if f.Action == validate.ActionRefuse {
			return true
		}
	}
	return false
}

// The codes of findings about what cannot be read.
const (
	codeSyntax     = "shape.syntax"
	codeUnreadable = "unreadable"
)

// actionNone is that of a finding about what was not judged: a missing file is not refused.
const actionNone validate.Action = "none"

// cannotRead adds a finding about a document that cannot be judged. A gateway refuses what is
// neither JSON nor SOAP.
func (c *checkResult) cannotRead(code, text string) {
	action := actionNone
	if code != codeUnreadable {
		action = validate.ActionRefuse
	}
	c.unreadable = true
	c.findings = append(c.findings, validate.Finding{
		Code: code, Severity: validate.Shape, Action: action, Invoice: validate.Header, Text: text,
	})
}

// judge takes steps 2 and 3 of the gateway: it decodes the body and applies the rules.
func (c *checker) judge(doc document) *checkResult {
	result := &checkResult{line: doc.line}
	if doc.tooLarge {
		result.cannotRead(codeUnreadable, fmt.Sprintf("El documento supera el máximo de %d bytes.", maxDocument))
		return result
	}
	switch {
	case doc.http != "":
		result.cannotRead(codeUnreadable, "El archivo tiene "+doc.http+" de HTTP con su encabezado: deje solo el cuerpo, lo que sigue a la primera línea vacía.")
		return result
	case doc.xml:
		c.judgeSOAP(result, doc.body)
		return result
	}
	c.judgeJSON(result, doc.body)
	return result
}

func (c *checker) judgeJSON(result *checkResult, body []byte) {
	operation := c.operation
	if operation == nil {
		var err error
		operation, err = forms.OperationOf(body)
		switch {
		case errors.Is(err, forms.ErrAnswer):
			result.cannotRead(codeUnreadable, "El documento es una respuesta del servicio, no un pedido.")
			return
		case err != nil:
			result.cannotRead(codeSyntax, syntaxText(err))
			return
		}
	}
	if operation == nil {
		result.cannotRead(codeUnreadable, "Los campos no dicen de qué operación es: indíquela con --operation.")
		return
	}
	result.operation = operation.Name
	request, findings := validate.Decode(operation, body, c.contract)
	auth := wsfev1.AuthOf(request.Body)
	c.finish(result, request, findings, auth.Token.Reveal(), auth.Sign.Reveal())
}

// finish judges a request that was read, and keeps the findings without these credentials.
func (c *checker) finish(result *checkResult, request *validate.Request, shape []validate.Finding, credentials ...string) {
	for i := range shape {
		shape[i].Action = validate.ActionRefuse
		result.unreadable = result.unreadable || shape[i].Code == codeSyntax
	}
	if len(shape) == 0 {
		shape = c.rules.Judge(request, c.now())
	}
	result.findings = forms.WithoutCredentials(c.redactor, shape, credentials...)
}

// syntaxText explains in Spanish why a document is not JSON, without quoting it.
func syntaxText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "El documento está vacío o termina antes de tiempo."
	}
	return "El documento no es JSON válido."
}
