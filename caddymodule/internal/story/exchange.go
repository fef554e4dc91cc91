package story

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
)

// Exchange is an exchange with all its records. One that is not there is nil.
type Exchange struct {
	// At is the record by which the exchange was found.
	At *audit.Record
	// Intent is the request before it was sent. Outcome is the client's answer, also the one record of an
	// exchange without an intent. Settlement was found out later.
	Intent, Outcome, Settlement *audit.Record
	// Asked are questions of the gateway about it, oldest first. AskedBefore: there are older ones.
	Asked       []*audit.Record
	AskedBefore bool
	// Asker is the exchange that a question of the gateway is about.
	Asker *audit.Record
}

// ExchangeOf returns an exchange of which one record is known. Only the record of a question is none of its
// three.
func ExchangeOf(r *audit.Record) *Exchange {
	x := &Exchange{At: r}
	switch {
	case r.Kind == audit.KindIntent:
		x.Intent = r
	case r.Kind == audit.KindSettlement:
		x.Settlement = r
	case r.Kind == audit.KindOutcome, r.Kind == audit.KindExchange && !IsQuestion(r):
		x.Outcome = r
	}
	return x
}

// Result returns the record with the newest state: At, or for an intent its outcome or settlement.
func (x *Exchange) Result() *audit.Record {
	if x.At.Kind != audit.KindIntent {
		return x.At
	}
	return cmp.Or(x.Outcome, x.Settlement, x.At)
}

// Request returns the record that holds the request.
func (x *Exchange) Request() *audit.Record { return cmp.Or(x.Intent, x.At) }

// Records returns the records in the order in which they were made, each once, without the questions.
func (x *Exchange) Records() (all []*audit.Record) {
	for _, r := range []*audit.Record{x.Intent, x.Outcome, x.Settlement, x.At} {
		if r != nil && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// Ended returns when the newest record of the exchange was made.
func (x *Exchange) Ended() (last time.Time) {
	for _, r := range x.Records() {
		if at := Ended(r); at.After(last) {
			last = at
		}
	}
	return last
}

// Number returns the number of the exchange that other exchanges may have been about: the first that it did
// not authorise, else its first; 0 for none. authorised reports which of the two.
func (x *Exchange) Number() (number int64, authorised bool) {
	for _, v := range x.Request().Vouchers {
		if v.CbteDesde <= 0 {
			continue
		}
		if !slices.ContainsFunc(x.Records(), func(r *audit.Record) bool { return Authorises(r, v.CbteDesde) }) {
			return v.CbteDesde, false
		}
		if number == 0 {
			number = v.CbteDesde
		}
	}
	return number, number > 0
}

// FeelsOutage reports whether it matters to the exchange that the service does not answer.
func (x *Exchange) FeelsOutage() bool {
	r := x.Result()
	switch r.Outcome {
	case audit.OutcomeOutage, audit.OutcomeUnsettled, audit.OutcomeNotSent, audit.OutcomeRecovered, audit.OutcomeNotIssued, audit.OutcomeUnknown, audit.OutcomeUpstreamError:
		return true
	}
	return r.Certainty == audit.Unknown
}

// LeavesOpen reports whether an outcome leaves open what the service has done. A settlement may follow it.
func LeavesOpen(r *audit.Record) bool {
	return r.Certainty == audit.Unknown || r.Outcome == audit.OutcomeUnknown || r.Outcome == audit.OutcomeUpstreamError
}

// originPattern is how records of builds before 2026-12 name the one whose answer was given again.
var originPattern = regexp.MustCompile(`^answered as (?:record )?([^\s/]+)/(\d+)(?:,|$)`)

// OriginOf returns the address of the record whose answer a record gives again; empty for none.
func OriginOf(r *audit.Record) string {
	if !IsRepeat(r) {
		return ""
	}
	if r.Origin != "" {
		return r.Origin
	}
	if found := originPattern.FindStringSubmatch(r.Detail); found != nil {
		return found[1] + "/" + found[2]
	}
	return ""
}

// namedPattern is how the detail of a record names another one.
var namedPattern = regexp.MustCompile(`\brecord ([^\s/]+/\d+)`)

// NamedBy returns the addresses of the records that a record names in its origin and its detail.
func NamedBy(r *audit.Record) (all []string) {
	if origin := OriginOf(r); origin != "" {
		all = append(all, origin)
	}
	for _, found := range namedPattern.FindAllStringSubmatch(r.Detail, -1) {
		all = append(all, found[1])
	}
	return all
}
