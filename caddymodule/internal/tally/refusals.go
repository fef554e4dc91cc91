package tally

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// Repeats is from how many refusals for one reason of one issuer on they are a Refusal.
const Repeats = 3

// invoice is what a request wanted to issue. One without a number is known by its request.
type invoice struct {
	SeriesKey
	number  int64
	request story.Place
}

// refused is an invoice that was refused, once or more.
type refused struct {
	// codes are the reasons of the newest refusal.
	codes  []string
	newest Found
	// requests are the records of the refusals.
	requests []story.Place
}

// Refusal is one reason for which requests of an issuer were refused.
type Refusal struct {
	Code string
	Cuit wsfev1.CUIT
	// Invoices are those with numbers; Requests may have asked for the same one.
	Invoices, Requests int
	// Newest is the record of the newest of them.
	Newest Found
}

// refusing are the outcomes that refuse an invoice for what it says.
var refusing = []audit.Outcome{audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomeRejected, audit.OutcomePartial}

// blame counts the reasons for which a request was turned down, and notes the invoices that are refused for them. The
// answer may have reasons that the summary has not: these are read later.
func (d *Day) blame(one *issuer, cuit wsfev1.CUIT, r *audit.Record, at time.Time) {
	if !slices.Contains(reasoned, r.Outcome) {
		return
	}
	reasons := ReasonsOf(r)
	if len(reasons) == 0 {
		if s := d.logs[r.Log]; s != nil && r.Presence == audit.Unread {
			s.wantsAnswers[audit.Outcome(d.word(string(r.Outcome)))] = s.end
		}
		return
	}
	if slices.Contains(refusing, r.Outcome) {
		d.refuse(one, cuit, r, reasons, at)
	}
	d.cause(one, r, reasons, at)
}

// addReasons is add for a record that was counted, and has its reasons in its answer.
func (d *Day) addReasons(ctx context.Context, store audit.Store, r *audit.Record) error {
	if len(findingsOf(r)) > 0 || r.Kind == audit.KindSettlement || r.Decision == audit.DecisionAsk {
		return nil
	}
	cuit, at, _, err := d.subject(ctx, store, r)
	if err != nil || !d.within(at) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.blame(d.issuer(cuit), cuit, r, at)
	return nil
}

// refuse notes the invoices that a record refuses. To note one twice changes nothing.
func (d *Day) refuse(one *issuer, cuit wsfev1.CUIT, r *audit.Record, reasons []Reason, at time.Time) {
	var codes []string
	for _, why := range reasons {
		codes = append(codes, d.word(why.Code))
	}
	request := d.placeOf(story.Place{Log: r.Log, Index: r.Index})
	numbered := false
	for _, v := range r.Vouchers {
		if v.CbteDesde <= 0 || cuit == 0 {
			continue
		}
		if numbered = true; r.Outcome != audit.OutcomePartial || v.Resultado == wsfev1.Rechazado {
			d.noteRefused(one, invoice{SeriesKey: d.keyOf(cuit, r, environment.Of(r)), number: v.CbteDesde}, codes, Found{request, at})
		}
	}
	if !numbered {
		d.noteRefused(one, invoice{SeriesKey: SeriesKey{Cuit: cuit}, request: request}, codes, Found{request, at})
	}
}

func (d *Day) noteRefused(one *issuer, what invoice, codes []string, by Found) {
	known, more := one.refused[what], 1
	if known == nil {
		known, more = &refused{}, 2
	}
	if slices.Contains(known.requests, by.Place) || !d.keep(more) {
		return
	}
	one.refused[what] = known
	known.requests = append(known.requests, by.Place)
	if known.codes == nil || compareFound(by, known.newest) > 0 {
		known.codes, known.newest = codes, by
	}
}

// compareFound compares by time.
func compareFound(a, b Found) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Log, b.Log), cmp.Compare(a.Index, b.Index))
}

// Reason is why a request was refused: a code, with the words that came with it.
type Reason struct{ Code, Text string }

// findingsOf returns the reasons for which the gateway has refused a record, each once. A finding that it only
// observed is none.
func findingsOf(r *audit.Record) (all []Reason) {
	for _, f := range r.Findings {
		if f.Action == "refuse" {
			all = addReason(all, f.Code, f.Text)
		}
	}
	return all
}

func addReason(all []Reason, code, text string) []Reason {
	if code == "" || slices.ContainsFunc(all, func(one Reason) bool { return one.Code == code }) {
		return all
	}
	return append(all, Reason{code, strings.TrimPrefix(text, code+": ")})
}

// ReasonsOf returns why a record was refused, by the gateway or else by the service, each reason once.
func ReasonsOf(r *audit.Record) []Reason {
	all := findingsOf(r)
	if len(all) > 0 {
		return all
	}
	messages := audit.Messages(r.Answer)
	for _, observed := range []bool{false, true} { // the service refuses single invoices with observations
		for _, one := range messages {
			if one.Observed == observed {
				all = addReason(all, one.Code, one.Msg)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all
}

// isIssued reports whether the service has approved an invoice. Refusals of earlier builds do not tell for which service the
// request was: any will do.
func (one *issuer) isIssued(what invoice) bool {
	services := []environment.Environment{what.Environment}
	if what.Environment == "" {
		services = append(services, environment.Production, environment.Another, environment.Testing, environment.BuiltIn)
	}
	return what.number > 0 && slices.ContainsFunc(services, func(of environment.Environment) bool {
		what.Environment = of
		s := one.series[what.SeriesKey]
		return s != nil && s.has(what.number)
	})
}

// refusals counts each invoice once: under the reason of its that most invoices of the issuer have. It returns
// the reasons that repeat, and how many of the refused invoices are issued: an approval holds, whatever came
// before or after it.
func (one *issuer) refusals() (found []Refusal, issued int) {
	often := map[string]int{}
	open := map[invoice]*refused{}
	for what, r := range one.refused {
		if one.isIssued(what) {
			issued++
			continue
		}
		open[what] = r
		for _, code := range r.codes {
			often[code]++
		}
	}
	counts, requests := map[string]*Refusal{}, map[string]map[story.Place]bool{}
	for what, r := range open {
		code := slices.MaxFunc(r.codes, func(a, b string) int {
			return cmp.Or(cmp.Compare(often[a], often[b]), cmp.Compare(b, a))
		})
		at := counts[code]
		if at == nil {
			at = &Refusal{Code: code, Cuit: what.Cuit, Newest: r.newest}
			counts[code], requests[code] = at, map[story.Place]bool{}
		}
		if what.number > 0 {
			at.Invoices++
		}
		if compareFound(r.newest, at.Newest) > 0 {
			at.Newest = r.newest
		}
		for _, place := range r.requests {
			requests[code][place] = true
		}
	}
	for code, at := range counts {
		if at.Requests = len(requests[code]); max(at.Invoices, at.Requests) >= Repeats {
			found = append(found, *at)
		}
	}
	return found, issued
}
