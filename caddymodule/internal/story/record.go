package story

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/wsfev1"
)

// IsBuiltIn reports whether the exchange was with the built-in service, or would have been: what it issues is not
// valid.
func IsBuiltIn(r *audit.Record) bool { return environment.Of(r) == environment.BuiltIn }

// IsTestCode reports whether an answer with a code that was known at a time is the built-in service's. One
// that names no service was taken from a log: it is the built-in service's if that has issued into one of
// the logs before. since is when it first did, zero for never.
func IsTestCode(of environment.Environment, known time.Time, since ...time.Time) bool {
	if of != "" {
		return of == environment.BuiltIn
	}
	return slices.ContainsFunc(since, func(t time.Time) bool { return !t.IsZero() && !known.Before(t) })
}

// IsQuestion reports whether the gateway asked on its own account.
func IsQuestion(r *audit.Record) bool { return r.Decision == audit.DecisionAsk }

// IsRepeat reports whether a record gives the answer of another one again.
func IsRepeat(r *audit.Record) bool {
	return r.Decision == audit.DecisionReplay || r.Decision == audit.DecisionCache
}

// Changes reports whether a record is about an operation that changes something at the authority.
func Changes(r *audit.Record) bool {
	op := wsfev1.OperationByName(r.Operation)
	return op != nil && op.Effect == wsfev1.EffectChanges
}

// Authorises reports whether a record says that the voucher with this number is authorised.
func Authorises(r *audit.Record, number int64) bool {
	return slices.ContainsFunc(r.Vouchers, func(v audit.Voucher) bool {
		return v.CbteDesde <= number && number <= v.CbteHasta && AuthorisesVoucher(r, v)
	})
}

// AuthorisesVoucher reports whether a record says that one of its vouchers is authorised.
func AuthorisesVoucher(r *audit.Record, v audit.Voucher) bool {
	return authorises(r.Kind, r.Outcome, v)
}

// authorises reports whether a voucher is authorised, as a record of a kind and with an outcome has it. An
// answer that is not the operation's, or not the request's, says nothing.
func authorises(kind audit.Kind, word audit.Outcome, v audit.Voucher) bool {
	return kind != audit.KindIntent && word != audit.OutcomeUpstreamError && word != audit.OutcomeUnknown &&
		v.Resultado == wsfev1.Aprobado && v.Code != ""
}

// Authorising are the outcomes by which an index leads to the record that authorised a number, however many others
// tried it.
var Authorising = []audit.Outcome{audit.OutcomeApproved, audit.OutcomeRecovered, audit.OutcomeObserved, audit.OutcomePartial}

// codeCounts reports whether a voucher has a code by the service's decision. A report under a CAEA names that itself,
// whatever becomes of it.
func codeCounts(r *audit.Record, v audit.Voucher) bool {
	switch r.Operation {
	case "FECAEARegInformativo", "FECAEASinMovimientoInformar":
		v.Resultado = cmp.Or(v.Resultado, r.Resultado) // a settlement of earlier builds has the verdict on the lot alone
		return AuthorisesVoucher(r, v)
	}
	return v.Code != "" && v.Resultado != wsfev1.Rechazado
}

// Ended returns when a record was made.
func Ended(r *audit.Record) time.Time { return r.Time.Add(r.Duration) }

// Numbers returns the first and the last number of a record's vouchers, 0 for none.
func Numbers(r *audit.Record) (first, last int64) {
	for _, v := range r.Vouchers {
		if v.CbteDesde > 0 && (first == 0 || v.CbteDesde < first) {
			first = v.CbteDesde
		}
		last = max(last, v.CbteHasta)
	}
	return first, last
}

// VouchersOf names the vouchers of a record, or its operation. A request that named none has the record's
// own address: a link or a heading must have a text.
func VouchersOf(r *audit.Record) string {
	first, last := Numbers(r)
	if first == 0 || r.CbteTipo == 0 {
		return cmp.Or(r.Operation, r.Address())
	}
	return spanish.Voucher(r.CbteTipo) + " " + spanish.Numbers(r.PtoVta, first, last)
}

// IssuerOf returns the CUIT of the issuer, empty if the record has none.
func IssuerOf(r *audit.Record) string {
	if r.Cuit == 0 {
		return ""
	}
	return spanish.CUIT(r.Cuit)
}

// FirstCode returns the CAE or CAEA of the first voucher that has one.
func FirstCode(r *audit.Record) string {
	for _, v := range r.Vouchers {
		if v.Code != "" {
			return v.Code
		}
	}
	return ""
}

// otherCodes counts the vouchers with another code than the first.
func otherCodes(r *audit.Record) (n int) {
	first := FirstCode(r)
	for _, v := range r.Vouchers {
		if v.Code != "" && v.Code != first {
			n++
		}
	}
	return n
}

// CodeName names what authorises the vouchers of a record: CAE or CAEA. Of a query only the answer tells.
func CodeName(r *audit.Record) string {
	if strings.HasPrefix(r.Operation, "FECAEA") || r.Operation == "FECompConsultar" && bodies.IsReported(r.Answer) {
		return "CAEA"
	}
	return "CAE"
}

// FormName names a form on the wire with its media type.
func FormName(form, media string) string {
	name := map[string]string{audit.FormSOAP11: "SOAP 1.1", audit.FormSOAP12: "SOAP 1.2", audit.FormJSON: "JSON"}[form]
	return strings.TrimSuffix(cmp.Or(name, form)+", "+media, ", ")
}

// Class is how an outcome is to be looked at: Good, Bad, Open, or empty for none of these.
type Class = string

// The classes of outcomes.
const (
	Good Class = "good"
	Bad  Class = "bad"
	// Open: somebody has to look at it.
	Open Class = "open"
)

// ClassOf returns the class of a record's outcome.
func ClassOf(r *audit.Record) Class {
	switch r.Outcome {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomeRecovered, audit.OutcomeReplayed:
		return Good
	case audit.OutcomeRejected, audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomePartial, audit.OutcomeNotIssued, audit.OutcomeConflict:
		return Bad
	case audit.OutcomeUnknown, audit.OutcomeUpstreamError, audit.OutcomeUnsettled:
		return Open
	}
	if r.Kind == audit.KindIntent {
		return Open
	}
	return ""
}
