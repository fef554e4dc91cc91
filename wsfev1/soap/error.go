package soap

import (
	"errors"

	"github.com/fielato/fielato/internal/xmlscan"
)

// Problem is why a body is no message to one of the operations.
type Problem uint8

// The problems.
const (
	NotXML         Problem = iota // the body is not well-formed
	OtherCharset                  // its encoding is not supported
	NoEnvelope                    // its root is no Envelope
	OtherVersion                  // the Envelope is of no known version of SOAP
	NoBody                        // the Envelope has something else than a Header and a Body
	NotUnderstood                 // a header must be understood
	NoOperation                   // neither the action nor the Body names an operation
	UnknownAction                 // there is no operation of the action's name
	UnknownElement                // there is none of the element's name
	Mismatch                      // the action names another operation than the element
	NoAnswer                      // the Body has no answer of the operation
)

// Error is why a body is no message to one of the operations. The text repeats nothing of it.
type Error struct {
	Problem Problem
	// Line and Column are the place where the text is not well-formed, 0 where there is none.
	Line, Column int

	// name is the name that the client gave, code and text the finding of a body that was not read.
	name, code, text string
	cause            error
}

var problems = [...]string{
	NotXML: "the body is not well-formed XML", OtherCharset: "the encoding is not supported",
	NoEnvelope: "the root is no SOAP envelope", OtherVersion: "the envelope is of no known SOAP version",
	NoBody: "the envelope has something else than a Header and a Body", NotUnderstood: "a header must be understood",
	NoOperation: "no operation is named", UnknownAction: "there is no operation of the action's name",
	UnknownElement: "there is no operation of the element's name", Mismatch: "action and element name different operations",
	NoAnswer: "the Body has no answer of the operation",
}

// Error returns the problem as a text.
func (e *Error) Error() string {
	if e == nil || int(e.Problem) >= len(problems) {
		return "soap: no message"
	}
	text := "soap: " + problems[e.Problem]
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the scanner's error, if there is one.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// scanError makes an *Error of what a scanner refuses, and leaves any other as it is.
func scanError(text []byte, err error) error {
	refused, ok := errors.AsType[*xmlscan.Error](err)
	if !ok {
		return err
	}
	e := &Error{Problem: NotXML, cause: err}
	if refused.Reason == xmlscan.Charset {
		e.Problem = OtherCharset
	}
	e.code, e.text = codeOf(refused.Reason)
	if text != nil {
		l := xmlscan.NewLines(text)
		e.Line, e.Column = l.At(refused.Offset)
	}
	return e
}

// Finding returns the error as a finding.
func (e *Error) Finding() Finding {
	if e == nil {
		return Finding{Code: CodeSyntax, Text: texts[CodeSyntax], broken: true}
	}
	f := Finding{Code: e.code, Text: e.text, Line: e.Line, Column: e.Column, broken: e.Problem == NotXML}
	if f.Code == "" {
		f.Code = CodeUnknown
	}
	if f.Text == "" {
		f.Text = texts[f.Code]
	}
	return f
}
