package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// Hider hides the documents of receivers in what a record quotes.
type Hider interface {
	// Text returns a text of a client or a service without the documents that it repeats.
	Text(text string) string
	// Code returns a CAE or a date of the service, or hides a text that is neither.
	Code(code string) string
}

// Voice tells in a language.
type Voice struct {
	Lang
	// Hide hides documents in quotations; nil hides nothing.
	Hide Hider
}

// maxLine is how much of a text stands in a line, in bytes.
const maxLine = 500

// Clean returns a text as it stands in a line: bounded, and free of what would turn or hide its neighbours.
func Clean(text string) string {
	if len(text) > maxLine {
		return printable.OneLine(strings.ToValidUTF8(text[:maxLine], "")) + "… (" + spanish.Grouped(strconv.Itoa(len(text))) + " bytes)"
	}
	return printable.OneLine(text)
}

// Quoted is Clean for texts of clients and services, without the documents that they repeat.
func (v Voice) Quoted(text string) string {
	if v.Hide != nil {
		text = v.Hide.Text(text)
	}
	return Clean(text)
}

// Code formats a CAE or CAEA: fourteen digits, unless the service has said something else.
func (v Voice) Code(code string) string {
	if v.Hide != nil {
		code = v.Hide.Code(code)
	}
	return Clean(code)
}

// Moment formats a time to the second, in the authority's zone.
func (v Voice) Moment(t time.Time) string {
	t = t.In(wsfev1.Argentina)
	switch v.Lang {
	case English:
		return t.Format(time.DateTime)
	case Printed:
		return spanish.Moment(t)
	}
	return t.Format("02/01/2006 15:04:05")
}

// Duration formats a duration.
func (v Voice) Duration(d time.Duration) string {
	if v.Lang == English {
		return d.Round(time.Millisecond).String()
	}
	return spanish.Duration(d)
}

// Outcome names the outcome of a record, open for an intent. A word that is not known stays as it is.
func (v Voice) Outcome(r *audit.Record) string {
	if r.Kind == audit.KindIntent {
		return v.OutcomeWord(outcome.Open)
	}
	return v.OutcomeWord(r.Outcome)
}

// OutcomeWord names an outcome.
func (v Voice) OutcomeWord(word audit.Outcome) string {
	if text := v.T("outcome." + string(word)); text != "" {
		return text
	}
	return string(word)
}

// Verdict says what a record tells about its vouchers: the outcome, and the code that authorises them.
func (v Voice) Verdict(r *audit.Record) string {
	text := v.Outcome(r)
	if code := v.Authorisation(r); code != "" {
		text += " · " + code
	}
	return text
}

// Authorisation names the code that authorises the vouchers of a record; empty for none.
func (v Voice) Authorisation(r *audit.Record) string {
	if !slices.ContainsFunc(r.Vouchers, func(one audit.Voucher) bool { return codeCounts(r, one) }) {
		return ""
	}
	code := v.Code(FirstCode(r))
	if code == "" {
		return ""
	}
	text := CodeName(r) + " " + code
	if n := otherCodes(r); n > 0 {
		text += fmt.Sprintf(v.T("and_more"), n)
	}
	return text
}

// Upstream names the server that was asked.
func (v Voice) Upstream(r *audit.Record) string {
	if environment.OfUpstream(r.Upstream) == environment.BuiltIn {
		return v.T("builtin")
	}
	return Clean(r.Upstream)
}

// Environment names an environment, and says of tests that they are not valid; empty if it is not known.
func (v Voice) Environment(of environment.Environment) string {
	if of == "" {
		return ""
	}
	return v.T("environment." + string(of))
}

// Client names who has sent a request.
func (v Voice) Client(r *audit.Record) string {
	who := strings.TrimSpace(Clean(r.ClientAddress) + " " + v.Quoted(r.ClientIdentity))
	if r.ClientRow != "" && r.ClientRow != r.ClientIdentity {
		who += " (" + v.T("client_row") + " " + Clean(r.ClientRow) + ")"
	}
	return who
}

// Vouchers is VouchersOf without the documents that a client has put where an operation belongs.
func (v Voice) Vouchers(r *audit.Record) string {
	text := VouchersOf(r)
	if text == r.Operation && v.Hide != nil {
		return v.Hide.Text(text)
	}
	return text
}

// Lot names the lot of an exchange; empty for a single voucher.
func (v Voice) Lot(r *audit.Record) string {
	if len(r.Vouchers) < 2 {
		return ""
	}
	first, last := Numbers(r)
	return fmt.Sprintf(v.T("lot.of"), spanish.Grouped(strconv.Itoa(len(r.Vouchers))), spanish.Numbers(r.PtoVta, first, last))
}

// Granted words the service's decision about a voucher: its Resultado, and the code that authorises it.
func (v Voice) Granted(r *audit.Record, one audit.Voucher) (verdict, code string) {
	verdict = cmp.Or(v.T("verdict."+one.Resultado), v.Quoted(one.Resultado))
	if codeCounts(r, one) {
		code = CodeName(r) + " " + v.Code(one.Code)
	}
	return verdict, code
}
