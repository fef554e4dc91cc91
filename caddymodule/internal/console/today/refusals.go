package today

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

const partial = audit.OutcomePartial

// maxRefused bounds the refused invoices that are remembered: lots have many.
const maxRefused = 50_000

// invoice is what a request wanted to issue. One without a number is known by its request.
type invoice struct {
	seriesKey
	number int64
	id     string
}

// refused is an invoice that was refused, once or more, and is not approved later on the day.
type refused struct {
	// reasons are the reasons of the newest refusal.
	reasons []reason
	// requests are the records of the refusals.
	requests []string
}

// reason is a code, with the words that came with it.
type reason struct{ code, text string }

// refusal is one reason for which requests of an issuer were refused.
type refusal struct {
	reason
	cuit wsfev1.CUIT
	// invoices are those with numbers; requests may have asked for the same one.
	invoices, requests int
}

// refuse notes the invoices that a record refuses. Records come newest first: what was approved later is
// known already.
func (r *reader) refuse(record *audit.Record) {
	reasons := reasonsOf(record)
	if len(reasons) == 0 {
		return
	}
	note := func(one invoice) {
		known := r.refused[one]
		if known == nil {
			if len(r.refused) >= maxRefused {
				return
			}
			known = &refused{reasons: reasons}
			r.refused[one] = known
		}
		known.requests = append(known.requests, record.ID)
	}
	numbered := false
	for _, v := range record.Vouchers {
		switch {
		case v.CbteDesde <= 0 || record.Cuit == 0:
			continue
		case record.Outcome == partial && v.Resultado != wsfev1.Rechazado:
		case r.isTaken(record, v.CbteDesde):
			r.digest.mended++
		default:
			note(invoice{seriesKey: keyOf(record), number: v.CbteDesde})
		}
		numbered = true
	}
	if !numbered {
		note(invoice{seriesKey: seriesKey{cuit: record.Cuit}, id: record.ID})
	}
}

func (r *reader) isTaken(record *audit.Record, number int64) bool {
	s := r.series[keyOf(record)]
	return s != nil && s.has(number)
}

// reasonsOf returns why a record was refused, each reason once. A finding that the gateway only observed is
// none.
func reasonsOf(record *audit.Record) (all []reason) {
	add := func(code, text string) {
		if code != "" && !slices.ContainsFunc(all, func(one reason) bool { return one.code == code }) {
			all = append(all, reason{code, strings.TrimPrefix(text, code+": ")})
		}
	}
	for _, f := range record.Findings {
		if f.Action == "refuse" {
			add(f.Code, f.Text)
		}
	}
	if len(all) > 0 {
		return all
	}
	messages := audit.Messages(record.Answer)
	for _, observed := range []bool{false, true} { // the service refuses single invoices with observations
		for _, one := range messages {
			if one.Observed == observed {
				add(one.Code, one.Msg)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all
}

// groups counts each invoice once: under the reason of its that most invoices of the issuer have. It returns
// the reasons that repeat, the most frequent first.
func groups(all map[invoice]*refused) (found []refusal) {
	type key struct {
		code string
		cuit wsfev1.CUIT
	}
	often := map[key]int{}
	for one, r := range all {
		for _, why := range r.reasons {
			often[key{why.code, one.cuit}]++
		}
	}
	counts, requests := map[key]*refusal{}, map[key]map[string]bool{}
	for one, r := range all {
		why := slices.MaxFunc(r.reasons, func(a, b reason) int {
			return cmp.Or(cmp.Compare(often[key{a.code, one.cuit}], often[key{b.code, one.cuit}]), cmp.Compare(b.code, a.code))
		})
		at := key{why.code, one.cuit}
		if counts[at] == nil {
			counts[at], requests[at] = &refusal{reason: why, cuit: one.cuit}, map[string]bool{}
		}
		if one.number > 0 {
			counts[at].invoices++
		}
		counts[at].text = max(counts[at].text, why.text) // any of them, but always the same
		for _, id := range r.requests {
			requests[at][id] = true
		}
	}
	for at, one := range counts {
		if one.requests = len(requests[at]); max(one.invoices, one.requests) >= repeats {
			found = append(found, *one)
		}
	}
	slices.SortFunc(found, func(a, b refusal) int {
		return cmp.Or(cmp.Compare(max(b.invoices, b.requests), max(a.invoices, a.requests)), cmp.Compare(a.code, b.code), cmp.Compare(a.cuit, b.cuit))
	})
	return found
}
