package caddymodule

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// checker judges documents as the gateway judges requests, without the tickets.
type checker struct {
	// operation is that of every document; nil where each tells its own.
	operation *wsfev1.Operation
	contract  validate.Contract
	rules     *rules.Rules
	now       func() time.Time
	redactor  *redact.Redactor
	// stdin is what the file "-" holds.
	stdin io.Reader
}

// newRedactor returns one whose fingerprints can be compared with no other's.
func newRedactor() *redact.Redactor {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return redact.NewRedactor(key)
}

// checkResult is what was found out about one document, or about a file without one.
type checkResult struct {
	file string
	// line is that on which the document begins; 0 where nothing of the file was read.
	line int
	// operation is not known of all that cannot be read.
	operation  string
	unreadable bool
	findings   []validate.Finding
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

// cannotRead makes a finding about a document that cannot be judged.
func (c *checkResult) cannotRead(code, text string) {
	c.unreadable = true
	c.findings = append(c.findings, validate.Finding{
		Code: code, Severity: validate.Shape, Action: validate.ActionRefuse, Invoice: validate.Header, Text: text,
	})
}

// file judges every document of a file, "-" for stdin. What is wrong with the file is
// reported like the rest; the error is report's.
func (c *checker) file(name string, report func(*checkResult) error) error {
	input := io.NopCloser(c.stdin)
	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return report(noFile(name, 0, err))
		}
		input = opened
	}
	defer input.Close()
	documents := newDocuments(input, maxDocument)
	for count := 0; ; count++ {
		doc, err := documents.next()
		switch {
		case errors.Is(err, io.EOF) && count == 0:
			empty := &checkResult{file: name, line: 1}
			empty.cannotRead(codeSyntax, syntaxText(err))
			return report(empty)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return report(noFile(name, documents.line, err))
		}
		judged := c.judge(doc)
		judged.file = name
		if err := report(judged); err != nil {
			return err
		}
	}
}

func noFile(name string, line int, err error) *checkResult {
	c := &checkResult{file: name, line: line}
	c.cannotRead(codeUnreadable, fmt.Sprintf("No se puede leer el archivo: %v.", err))
	return c
}

// judge is what the gateway does with a body in its steps 2 and 3.
func (c *checker) judge(doc document) *checkResult {
	result := &checkResult{line: doc.line}
	if doc.tooLarge {
		result.cannotRead(codeUnreadable, fmt.Sprintf("El documento supera el máximo de %d bytes.", maxDocument))
		return result
	}
	operation := c.operation
	if operation == nil {
		var err error
		if operation, err = operationOf(doc.body); err != nil {
			result.cannotRead(codeSyntax, syntaxText(err))
			return result
		}
	}
	if operation == nil {
		result.cannotRead(codeUnreadable, "Los campos no dicen de qué operación es: indíquela con --operation.")
		return result
	}
	result.operation = operation.Name
	request, findings := validate.Decode(operation, doc.body, c.contract)
	for i := range findings {
		findings[i].Action = validate.ActionRefuse
		result.unreadable = result.unreadable || findings[i].Code == codeSyntax
	}
	if len(findings) == 0 {
		findings = c.rules.Judge(request, c.now())
	}
	result.findings = c.clean(findings, wsfev1.AuthOf(request.Body))
	return result
}

// clean takes the credentials out of all that may repeat what the document says.
func (c *checker) clean(findings []validate.Finding, auth wsfev1.Auth) []validate.Finding {
	credentials := c.redactor.Credentials(auth.Token.Reveal(), auth.Sign.Reveal())
	for i := range findings {
		f := &findings[i]
		f.Pointer = credentials.Pointer(f.Pointer)
		for _, text := range []*string{&f.Text, &f.Expected, &f.Got, &f.Difference} {
			*text = credentials.Text(*text)
		}
	}
	return findings
}
