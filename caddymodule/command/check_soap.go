package command

import (
	"bytes"
	"errors"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
	"github.com/fielato/fielato/wsfev1/soap/xmlscan"
)

// place is where something stands in a file: both from 1, and 0 for nowhere.
type place struct{ line, column int }

// judgeSOAP is judgeJSON for a SOAP message.
func (c *checker) judgeSOAP(result *checkResult, body []byte) {
	text, _, err := xmlscan.Decode(body, "")
	if err == nil && !isMarkup(text) {
		result.cannotRead(codeSyntax, "El documento está en UTF-16 y no es XML: el JSON se escribe en UTF-8.")
		return
	}
	envelope, err := soap.Open(body, "")
	if err != nil {
		result.noMessage(err)
		return
	}
	result.form = formOf(envelope.Version)
	op, refusal := c.operationIn(envelope)
	if refusal != "" {
		result.cannotRead(codeUnreadable, refusal)
		return
	}
	if op == nil || c.contract.Operation(op.Name) == nil {
		result.noOperation(envelope, op)
		return
	}
	result.operation = op.Name
	read := envelope.Decode(op)
	request, findings := validate.OfSOAP(read, c.contract)
	c.finish(result, request, findings, secretsIn(text, request)...)
	result.locate(text, op, read.Findings)
}

func isMarkup(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")), blanks)
	return len(text) > 0 && text[0] == '<'
}

// operationIn returns the operation of a message, nil if it has none. The refusal is in Spanish.
func (c *checker) operationIn(e *soap.Envelope) (op *wsfev1.Operation, refusal string) {
	switch answered := e.Answered(); {
	case e.IsFault():
		return nil, "El documento es un fault de SOAP: la respuesta de un servicio, no un pedido."
	case answered != nil:
		return nil, "El documento es la respuesta de " + answered.Name + ", no un pedido."
	}
	action := ""
	if c.operation != nil {
		action = soap.ActionPrefix + c.operation.Name
	}
	op, err := e.Route(action)
	if refused, ok := errors.AsType[*soap.Error](err); ok && c.operation != nil {
		if in := wsfev1.OperationByName(e.Element); refused.Problem == soap.Mismatch && in != nil {
			return nil, "El mensaje es de " + in.Name + ", y --operation dice " + c.operation.Name + "."
		}
	}
	return op, "" // without an operation noOperation has the reason
}

// noOperation adds the finding about a message that no operation of the contract belongs to.
func (c *checkResult) noOperation(e *soap.Envelope, op *wsfev1.Operation) {
	var text string
	switch {
	case op != nil:
		c.operation = op.Name
		text = "La operación " + op.Name + " no existe en el contrato."
	case e.Element == "":
		text = "El Body está vacío o no es del servicio (" + soap.Namespace + "): si lo nombra SOAPAction, indique la operación con --operation."
	default:
		text = "El elemento del Body no es una operación del contrato." + similarOperations(e.Element)
	}
	c.cannotRead(soap.CodeUnknown, text)
}

// similarOperations asks in Spanish for the operations that are spelled like a name.
func similarOperations(name string) string {
	if near := nearestOperations(name); len(near) > 0 {
		return " ¿Quiso decir " + strings.Join(near, " o ") + "?"
	}
	return ""
}

func nearestOperations(name string) []string {
	names := make([]string, len(wsfev1.Operations))
	for i, op := range wsfev1.Operations {
		names[i] = op.Name
	}
	return nearest.Names(name, names)
}

// problemTexts are what the codec's findings say too generally, in Spanish.
var problemTexts = map[soap.Problem]string{
	soap.NoEnvelope:    "La raíz del documento no es un Envelope de SOAP.",
	soap.OtherVersion:  "El Envelope no es de SOAP 1.1 ni de SOAP 1.2.",
	soap.NoBody:        "El Envelope debe tener un Body, a lo sumo un Header antes, y nada más.",
	soap.NotUnderstood: "Un bloque del Header exige ser entendido (mustUnderstand), y el servicio no entiende ninguno.",
}

// noMessage adds the finding about a document that is no SOAP message.
func (c *checkResult) noMessage(err error) {
	f := soap.Finding{Code: codeSyntax, Text: "El documento no es un mensaje SOAP."}
	if refused, ok := errors.AsType[*soap.Error](err); ok {
		f = refused.Finding()
		if text, ok := problemTexts[refused.Problem]; ok {
			f.Text = text
		}
	}
	c.cannotRead(f.Code, f.Text)
	c.places = map[string]place{"": {f.Line, f.Column}}
}

// formOf returns the form of a message as records name it.
func formOf(version soap.Version) string {
	if version == soap.V12 {
		return audit.FormSOAP12
	}
	return audit.FormSOAP11
}

// locate finds the places of the elements that the findings are about.
func (c *checkResult) locate(text []byte, op *wsfev1.Operation, shape []soap.Finding) {
	if len(c.findings) == 0 {
		return
	}
	c.places = map[string]place{}
	for _, f := range shape {
		switch f.Code {
		case soap.CodeKind, soap.CodeRange, soap.CodeFraction: // found at the end of the element
		default:
			c.places[f.Pointer] = place{f.Line, f.Column}
		}
	}
	wanted := map[string]bool{}
	for i := range c.findings {
		f := &c.findings[i]
		if f.Path == "" {
			f.Path = pathOf(op, f.Pointer)
		}
		for pointer := f.Pointer; ; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
			if wanted[pointer] = true; !strings.Contains(pointer, "/") {
				break
			}
		}
	}
	lines := xmlscan.NewLines(text)
	w := newMessageWalk(op, false)
	w.element = func(at int, e messageElement) {
		if _, found := c.places[e.pointer]; !found && wanted[e.pointer] {
			line, column := lines.At(at)
			c.places[e.pointer] = place{line, column}
		}
	}
	w.read(text)
}

// placeOf returns where an element stands, or the nearest around it.
func (c *checkResult) placeOf(pointer string) place {
	for {
		if p, ok := c.places[pointer]; ok {
			return p
		}
		i := strings.LastIndexByte(pointer, '/')
		if i < 0 {
			return place{}
		}
		pointer = pointer[:i]
	}
}

// secretsIn returns the credentials of a request, and the texts of all elements of their names:
// one that is misspelled in its case is no part of the request.
func secretsIn(text []byte, request *validate.Request) []string {
	auth := wsfev1.AuthOf(request.Body)
	secrets := []string{auth.Token.Reveal(), auth.Sign.Reveal()}
	var scan xmlscan.Scanner
	scan.Reset(text, nil)
	within := 0
	for len(secrets) < maxSecrets {
		kind, err := scan.Next()
		if err != nil || kind == xmlscan.EOF {
			break
		}
		name := scan.Local()
		switch {
		case kind == xmlscan.Start && within == 0 && (bytes.EqualFold(name, []byte("Token")) || bytes.EqualFold(name, []byte("Sign"))):
			within = scan.Depth()
		case kind == xmlscan.End && scan.Depth() < within:
			within = 0
		case kind == xmlscan.Text && within > 0 && !scan.Blank():
			secrets = append(secrets, string(scan.Text(nil)))
		}
	}
	return secrets
}

// maxSecrets bounds the texts that are looked for in findings.
const maxSecrets = 20
