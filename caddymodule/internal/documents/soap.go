package documents

import (
	"errors"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Place is where something stands in a file: both from 1, and 0 for nowhere.
type Place struct{ Line, Column int }

// judgeSOAP is judgeJSON for a SOAP message.
func (c *Judge) judgeSOAP(result *Result, body []byte) {
	text, _, err := xmlscan.Decode(body, "")
	if err == nil && !forms.IsMarkup(text) {
		result.CannotRead(CodeSyntax, "El documento está en UTF-16 y no es XML: el JSON se escribe en UTF-8.")
		return
	}
	envelope, err := soap.Open(body, "")
	if err != nil {
		result.noMessage(err)
		result.form, result.decision = intake.InSOAP(binding.CallOf(nil)), &intake.Decision{Refusal: binding.UnreadableMessage(err)}
		return
	}
	result.Form = forms.FormOf(envelope.Version)
	op, refusal := c.operationIn(envelope)
	if refusal != "" {
		result.CannotRead(CodeUnreadable, refusal)
		return
	}
	if op == nil || c.Book.Contract.Operation(op.Name) == nil {
		result.noOperation(envelope, op, c.option())
		return
	}
	result.Operation = op.Name
	call := binding.CallOf(envelope)
	c.decide(result, intake.InSOAP(call), op, forms.SecretsIn(text, nil)...)
	result.locate(text, op, call.Problems())
}

// operationIn returns the operation of a message, nil if it has none. The refusal is in Spanish.
func (c *Judge) operationIn(e *soap.Envelope) (op *wsfev1.Operation, refusal string) {
	switch answered := e.Answered(); {
	case e.IsFault():
		return nil, "El documento es un fault de SOAP: la respuesta de un servicio, no un pedido."
	case answered != nil:
		return nil, "El documento es la respuesta de " + answered.Name + ", no un pedido."
	}
	action := ""
	if c.Operation != nil {
		action = soap.ActionPrefix + c.Operation.Name
	}
	op, err := e.Route(action)
	if refused, ok := errors.AsType[*soap.Error](err); ok && c.Operation != nil {
		if in := wsfev1.OperationByName(e.Element); refused.Problem == soap.Mismatch && in != nil {
			return nil, "El mensaje es de " + in.Name + ", y " + c.option() + " dice " + c.Operation.Name + "."
		}
	}
	return op, "" // without an operation noOperation has the reason
}

// noOperation adds the finding about a message that no operation of the contract belongs to. option names
// what may tell it.
func (c *Result) noOperation(e *soap.Envelope, op *wsfev1.Operation, option string) {
	var text string
	switch {
	case op != nil:
		c.Operation = op.Name
		text = "La operación " + op.Name + " no existe en el contrato."
	case e.Element == "":
		text = "El Body está vacío o no es del servicio (" + soap.Namespace + "): si lo nombra SOAPAction, indique la operación con " + option + "."
	default:
		text = "El elemento del Body no es una operación del contrato." + similarOperations(e.Element)
	}
	c.CannotRead(soap.CodeUnknown, text)
}

// similarOperations asks in Spanish for the operations that are spelled like a name.
func similarOperations(name string) string {
	if near := forms.NearestOperations(name); len(near) > 0 {
		return " ¿Quiso decir " + strings.Join(near, " o ") + "?"
	}
	return ""
}

// problemTexts replace texts of the codec that are too general. They are in Spanish.
var problemTexts = map[soap.Problem]string{
	soap.NoEnvelope:    "La raíz del documento no es un Envelope de SOAP.",
	soap.OtherVersion:  "El Envelope no es de SOAP 1.1 ni de SOAP 1.2.",
	soap.NoBody:        "El Envelope debe tener un Body, a lo sumo un Header antes, y nada más.",
	soap.NotUnderstood: "Un bloque del Header exige ser entendido (mustUnderstand), y el servicio no entiende ninguno.",
}

// noMessage adds the finding about a document that is no SOAP message.
func (c *Result) noMessage(err error) {
	f := soap.Finding{Code: CodeSyntax, Text: "El documento no es un mensaje SOAP."}
	if refused, ok := errors.AsType[*soap.Error](err); ok {
		f = refused.Finding()
		if text, ok := problemTexts[refused.Problem]; ok {
			f.Text = text
		}
	}
	c.CannotRead(f.Code, f.Text)
	c.places = map[string]Place{"": {f.Line, f.Column}}
}

// locate finds the places of the elements that the findings are about.
func (c *Result) locate(text []byte, op *wsfev1.Operation, shape []soap.Finding) {
	if len(c.Findings) == 0 {
		return
	}
	c.places = map[string]Place{}
	for _, f := range shape {
		switch f.Code {
		case soap.CodeKind, soap.CodeRange, soap.CodeFraction: // found at the end of the element
		default:
			c.places[f.Pointer] = Place{f.Line, f.Column}
		}
	}
	wanted := map[string]bool{}
	for i := range c.Findings {
		f := &c.Findings[i]
		if f.Path == "" {
			f.Path = soap.PathOf(op, f.Pointer)
		}
		for pointer := f.Pointer; ; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
			if wanted[pointer] = true; !strings.Contains(pointer, "/") {
				break
			}
		}
	}
	lines := xmlscan.NewLines(text)
	w := forms.NewWalk(op, false)
	w.Element = func(at int, e forms.Element) {
		if _, found := c.places[e.Pointer]; !found && wanted[e.Pointer] {
			line, column := lines.At(at)
			c.places[e.Pointer] = Place{line, column}
		}
	}
	w.Read(text)
}

// PlaceOf returns where an element stands, or the nearest around it.
func (c *Result) PlaceOf(pointer string) Place {
	for {
		if p, ok := c.places[pointer]; ok {
			return p
		}
		i := strings.LastIndexByte(pointer, '/')
		if i < 0 {
			return Place{}
		}
		pointer = pointer[:i]
	}
}
