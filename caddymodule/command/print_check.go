package command

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/validate"
)

// findingsPrinter writes a line for each finding. It is in Spanish, as the message is that a client gets.
type findingsPrinter struct{ view.Painter }

func (p findingsPrinter) print(w io.Writer, c *checkedFile) error {
	var b bytes.Buffer
	for _, f := range c.Findings {
		message := printable.OneLine(forms.MessageOf(f))
		switch f.Action {
		case validate.ActionRefuse:
			message = p.Bad("rechazado") + ": " + message
		case documents.ActionNone:
			if _, text, found := strings.Cut(message, ":"); found { // the code says it to programs
				message = p.Bad("ilegible") + ":" + text
			}
		default:
			message = p.Notable("observado") + ": " + message
		}
		fmt.Fprintf(&b, "%s: %s%s\n", c.where(f), message, forms.InXML(f))
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := w.Write(b.Bytes())
	return err
}

// where returns the file of a finding, with the line of the document, or the line and the column
// of the element of a SOAP message.
func (c *checkedFile) where(f validate.Finding) string {
	name := printable.OneLine(c.name)
	if at := c.PlaceOf(f.Pointer); at.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", name, at.Line, at.Column)
	}
	if c.Line > 0 { // 0 for a file that could not be opened
		return fmt.Sprintf("%s:%d", name, c.Line)
	}
	return name
}

// printedCheck is the result for a document as JSON. All members are always present, except the members
// about SOAP messages.
type printedCheck struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Operation string `json:"operation"`
	// Form is soap11 or soap12.
	Form    string `json:"form,omitzero"`
	Refused bool   `json:"refused"`
	// Unreadable: it could not be judged, or is not JSON.
	Unreadable bool           `json:"unreadable"`
	Findings   []checkFinding `json:"findings"`
}

type checkFinding struct {
	Code     string            `json:"code"`
	Severity validate.Severity `json:"severity"`
	Pointer  string            `json:"pointer"`
	// Path, Line and Column are the place of the element in a SOAP message.
	Path       string `json:"path,omitzero"`
	Line       int    `json:"line,omitzero"`
	Column     int    `json:"column,omitzero"`
	Expected   string `json:"expected"`
	Got        string `json:"got"`
	Difference string `json:"difference"`
	Tolerance  string `json:"tolerance"`
	Message    string `json:"message"`
	// Action is refuse, observe, or none where nothing was judged.
	Action validate.Action `json:"action"`
}

// printCheckLine writes exactly one line.
func printCheckLine(w io.Writer, c *checkedFile) error {
	p := printedCheck{File: c.name, Line: c.Line, Operation: c.Operation, Form: c.Form, Refused: c.Refused(), Unreadable: c.Unreadable}
	for _, f := range c.Findings {
		at := c.PlaceOf(f.Pointer)
		p.Findings = append(p.Findings, checkFinding{
			Code: f.Code, Severity: f.Severity, Pointer: f.Pointer, Path: f.Path, Line: at.Line, Column: at.Column, Expected: f.Expected, Got: f.Got,
			Difference: f.Difference, Tolerance: f.Tolerance, Message: forms.MessageOf(f), Action: f.Action,
		})
	}
	// The name of a file need not be valid UTF-8.
	line, err := json.Marshal(p, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
