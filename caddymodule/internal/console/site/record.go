package site

import (
	"cmp"
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

// AddressOf returns the address of the exchange of a record in the log with this key (Source.Key).
func (f *Frame) AddressOf(key string, index uint64) string {
	return f.Base + "/exchange/" + url.PathEscape(key) + "/" + strconv.FormatUint(index, 10)
}

// Moment returns a time as the reader has it, in the authority's zone.
func (f *Frame) Moment(t time.Time) string {
	if f.Lang == "en" {
		return t.In(wsfev1.Argentina).Format("2006-01-02 15:04:05")
	}
	return t.In(wsfev1.Argentina).Format("02/01/2006 15:04:05")
}

// OutcomeOf names the outcome of a record.
func (f *Frame) OutcomeOf(r *audit.Record) string {
	word := string(r.Outcome)
	if r.Kind == audit.KindIntent {
		word = outcome.Open
	}
	if text := f.T("outcome." + word); text != "" {
		return text
	}
	return word
}

// ClassOf returns whether an outcome is good, bad, open or none of these.
func ClassOf(r *audit.Record) string {
	switch r.Outcome {
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomeRecovered, audit.OutcomeReplayed:
		return "good"
	case audit.OutcomeRejected, audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomePartial, audit.OutcomeNotIssued, audit.OutcomeConflict:
		return "bad"
	case audit.OutcomeUnknown, audit.OutcomeUpstreamError, audit.OutcomeUnsettled:
		return "open"
	}
	if r.Kind == audit.KindIntent {
		return "open"
	}
	return ""
}

// VouchersOf names the vouchers of a record, or its operation. A request that named none has the record's
// own address: a link or a heading must have a text.
func VouchersOf(r *audit.Record) string {
	var first, last int64
	for _, v := range r.Vouchers {
		if v.CbteDesde > 0 && (first == 0 || v.CbteDesde < first) {
			first = v.CbteDesde
		}
		last = max(last, v.CbteHasta)
	}
	if first == 0 || r.CbteTipo == 0 {
		return cmp.Or(r.Operation, r.Address())
	}
	return spanish.Voucher(r.CbteTipo) + " " + spanish.Numbers(r.PtoVta, first, last)
}

// MaskedVouchersOf is VouchersOf without the documents that a client has put where an operation belongs.
func MaskedVouchersOf(r *audit.Record, m *mask.Mask) string {
	if text := VouchersOf(r); text != r.Operation {
		return text
	}
	return m.Text(r.Operation)
}

// IsBuiltIn reports whether the built-in service was asked: what it issues is not valid.
func IsBuiltIn(r *audit.Record) bool { return r.Upstream == trail.BuiltInUpstream }

// IssuerOf returns the CUIT of the issuer, empty if the record has none.
func IssuerOf(r *audit.Record) string {
	if r.Cuit == 0 {
		return ""
	}
	return spanish.CUIT(r.Cuit)
}

// CodeOf returns the CAE or CAEA of the first voucher that has one.
func CodeOf(r *audit.Record) string {
	for _, v := range r.Vouchers {
		if v.Code != "" {
			return v.Code
		}
	}
	return ""
}
