package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Severity is where a finding shows up in an answer and what it does to the request
// (docs/sources.md#severities).
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

// Action is the consequence of a finding.
type Action string

const (
	// ActionRefuse does not let the request pass.
	ActionRefuse Action = "refuse"
	// ActionObserve writes the finding down, no more.
	ActionObserve Action = "observe"
)

// Level says how the findings of a rule are treated.
type Level string

const (
	// Enforce makes a finding refuse the request, also one that the service itself
	// would only remark upon (OBS): no such rule has this level by default.
	Enforce Level = "enforce"
	// Observe writes a finding down and lets the request pass.
	Observe Level = "observe"
	// Off does not judge the rule.
	Off Level = "off"
)

// ActionAt returns the action that a finding of a rule at this level has.
func ActionAt(level Level) Action {
	if level == Enforce {
		return ActionRefuse
	}
	return ActionObserve
}

// MaxFindings bounds the findings of one request, for each Action: a body of some MiB can
// hold a million mistakes.
const MaxFindings = 1000

// TextOfMore is added to the text of the last finding that is kept where there were more.
const TextOfMore = "Hay más errores que los que se informan."

// Header is the Invoice of a finding that is about no single invoice.
const Header = -1

// Finding is one thing that is wrong with a request.
type Finding struct {
	// Code is the service's number, or a word that begins with "shape.".
	Code     string
	Severity Severity
	Action   Action
	// Pointer is the JSON Pointer (RFC 6901) of the member.
	Pointer string
	// Path is the place of a finding of shape in a SOAP message, no text in any other.
	Path string
	// Invoice is the position of the invoice in its lot, or Header.
	Invoice int
	// Text names the mistake, in Spanish. One with a full stop at its end has no values in it:
	// Explanation adds them.
	Text string
	// Expected and Got explain a value, Difference and Tolerance a figure, in the
	// figure's own unit. Got may repeat the client's input; Text may too.
	Expected, Got, Difference, Tolerance string
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

// Explanation returns the text with its values, in Spanish.
func (f Finding) Explanation() string {
	if f.Difference != "" {
		return f.Text + "; diferencia " + withComma(f.Difference) + ", tolerancia " + withComma(f.Tolerance)
	}
	if !strings.HasSuffix(f.Text, ".") {
		return f.Text
	}
	var b strings.Builder
	b.WriteString(f.Text)
	if f.Expected != "" {
		fmt.Fprintf(&b, " Se esperaba %s.", f.Expected)
	}
	if f.Got != "" {
		fmt.Fprintf(&b, " Se recibió %s.", f.Got)
	}
	return b.String()
}

// withComma writes a figure with a decimal comma and at least two decimals.
func withComma(figure string) string {
	whole, decimals, _ := strings.Cut(figure, ".")
	return whole + "," + decimals + strings.Repeat("0", max(0, 2-len(decimals)))
}

// maxMessage is the length of a Msg of the service, in characters (docs/sources.md#answers).
const maxMessage = 255

// Message is a Msg of the service: the explanation and the place. The code is not in it, as it stands beside
// it in Code, and clients print both. The explanation is cut where the whole is too long for a Msg.
func (f Finding) Message() string {
	fixed := utf8.RuneCountInString(" ()") + utf8.RuneCountInString(f.Pointer)
	return shorten(f.Explanation(), max(maxMessage-fixed, 0)) + " (" + f.Pointer + ")"
}

// shorten cuts a text to so many characters.
func shorten(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(characters-1, 0)]) + "…"
}

// SortFindings puts the header first, then the invoices in the order of the lot,
// the findings of each by ascending code.
func SortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Invoice, b.Invoice), cmp.Compare(a.Number(), b.Number()))
	})
}
