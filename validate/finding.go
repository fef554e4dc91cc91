package validate

import (
	"cmp"
	"slices"
	"strconv"
)

// Severity tells where a finding shows up in an answer and what it does to the
// request (domain.md §3.1).
type Severity string

const (
	// Shape is a breach of the contract's own shape: the request is answered with
	// HTTP 400 and the error body.
	Shape Severity = "SHAPE"
	// ERR rejects the whole request; it stands in Errors.
	ERR Severity = "ERR"
	// SEQ is a break of the sequence; it stands in Errors while all details are
	// rejected, and hides every other finding.
	SEQ Severity = "SEQ"
	// EXC rejects the invoice; it stands in its Observaciones.
	EXC Severity = "EXC"
	// OBS is remarked on an invoice that is approved.
	OBS Severity = "OBS"
)

// Rejects reports whether a finding of this severity rejects something.
func (s Severity) Rejects() bool { return s != OBS }

// Header is the Invoice of a finding that is about no single invoice.
const Header = -1

// Finding is one thing that is wrong with a request.
type Finding struct {
	// Code is the service's number, or a word that begins with "shape.".
	Code     string
	Severity Severity
	// Pointer is the JSON Pointer (RFC 6901) of the member.
	Pointer string
	// Invoice is the position of the invoice in its lot, or Header.
	Invoice int
	// Text says in Spanish what is wrong.
	Text string
	// Expected, Got and Tolerance explain a figure, in the figure's own unit. They
	// never hold a credential.
	Expected, Got, Tolerance string
	// Source names where the rule comes from.
	Source string
}

// Number returns the service's number of the code, 0 for a finding of shape.
func (f Finding) Number() int32 {
	n, err := strconv.ParseInt(f.Code, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

// Message returns the text with its figures, in Spanish.
func (f Finding) Message() string {
	text := f.Text
	if f.Expected != "" {
		text += " Se esperaba " + f.Expected + "."
	}
	if f.Got != "" {
		text += " Se recibió " + f.Got + "."
	}
	if f.Tolerance != "" {
		text += " Tolerancia: " + f.Tolerance + "."
	}
	return text
}

// sortFindings puts the header first, then the invoices in the order of the lot,
// the findings of each by ascending code.
func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Invoice, b.Invoice), cmp.Compare(a.Number(), b.Number()))
	})
}
