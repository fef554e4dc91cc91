package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/wsfev1"
)

// recordPlace is the address of a record.
type recordPlace struct {
	log   string
	index uint64
}

// address returns the place as records name it.
func (p recordPlace) address() string { return (&audit.Record{Log: p.log, Index: p.index}).Address() }

// summary is the part of an exchange that the page needs for all exchanges at once. It holds no content, so
// it is small, and purged and sealed records have it too.
type summary struct {
	recordPlace
	kind audit.Kind
	// id is the exchange's identifier, of one that is open: its settlement has the same.
	id    string
	began time.Time
	took  time.Duration
	// intended is when the intent of an outcome was made. It is set when that is read.
	intended  time.Time
	operation *wsfev1.Operation // nil if the request named none
	decision  audit.Decision
	outcome   audit.Outcome
	certainty audit.Certainty
	upstream  string
	// intent is the place of the intent of an outcome or a settlement, and an open intent's own.
	intent recordPlace
	// voucher is the exchange's entry for the invoice of the page: position is its place in the lot,
	// counted from 0, and lot the number of vouchers there.
	voucher       audit.Voucher
	position, lot int
	// codes are why the gateway or the service has rejected it. The service's are content.
	codes []string
	// reason is the text of the only code. It is content.
	reason string
}

func summaryOf(r *audit.Record, number int64) *summary {
	s := &summary{
		recordPlace: recordPlace{r.Log, r.Index}, kind: r.Kind, began: r.Time, took: r.Duration,
		operation: wsfev1.OperationByName(r.Operation), decision: r.Decision, outcome: r.Outcome,
		certainty: r.Certainty, upstream: r.Upstream, lot: len(r.Vouchers), codes: codesOf(r), reason: reasonOf(r),
	}
	switch r.Kind {
	case audit.KindOutcome, audit.KindSettlement:
		s.intent = recordPlace{cmp.Or(r.IntentLog, r.Log), r.Intent}
	case audit.KindIntent:
		s.intent = s.recordPlace
	}
	if s.isOpen() {
		s.id = strings.Clone(r.ID)
	}
	s.find(r, number)
	s.detach()
	return s
}

// find takes the record's entry for the invoice with this number. A settlement of a lot of CAEA names the
// code alone, and holds for the whole lot.
func (s *summary) find(r *audit.Record, number int64) {
	s.position = slices.IndexFunc(r.Vouchers, func(v audit.Voucher) bool { return v.CbteDesde <= number && number <= v.CbteHasta })
	switch {
	case s.position >= 0:
		s.voucher = r.Vouchers[s.position]
	case len(r.Vouchers) > 0:
		s.voucher = audit.Voucher{Code: r.Vouchers[0].Code, Resultado: r.Resultado}
	}
}

// detach copies the texts. The texts of a record share the memory of its whole summary, which a lot of
// thousands of invoices makes large. Unprintable characters are escaped in the texts that the service sets,
// as they become parts of sentences.
func (s *summary) detach() {
	s.log, s.intent.log, s.upstream = strings.Clone(s.log), strings.Clone(s.intent.log), strings.Clone(s.upstream)
	s.decision, s.certainty = audit.Decision(strings.Clone(string(s.decision))), audit.Certainty(strings.Clone(string(s.certainty)))
	s.outcome = audit.Outcome(strings.Clone(string(s.outcome)))
	v := &s.voucher
	v.Code, v.Expires, v.Resultado = view.OneLine(v.Code), view.OneLine(v.Expires), view.OneLine(v.Resultado)
	for i := range s.codes {
		s.codes[i] = view.OneLine(s.codes[i])
	}
}

// maxReason is how much of a reason an event quotes, in characters.
const maxReason = 200

// reasonOf returns the text of the first code for which the gateway has refused, or the service.
func reasonOf(r *audit.Record) string {
	var texts []string
	if r.Presence != audit.Present {
		return ""
	}
	if r.Decision == audit.DecisionRefuse {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Action == "refuse" {
				texts = append(texts, cmp.Or(view.RuleInWords(f.Code), findingText(r, f)))
			}
		}
	} else {
		for _, message := range audit.Messages(r.Answer) {
			texts = append(texts, message.Msg)
		}
	}
	if len(texts) != 1 {
		return "" // texts of one code may differ
	}
	text := []rune(strings.TrimSuffix(view.OneLine(texts[0]), "."))
	if len(text) > maxReason {
		return string(text[:maxReason]) + "…"
	}
	return string(text)
}

// codesOf returns the codes for which the gateway has refused, or else the codes in the service's answer. A
// finding that the gateway has only observed is no reason.
func codesOf(r *audit.Record) (codes []string) {
	add := func(code string) {
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	if r.Decision == audit.DecisionRefuse {
		for i := range r.Findings {
			if r.Findings[i].Action == "refuse" {
				add(r.Findings[i].Code)
			}
			if len(codes) > maxCodes {
				break
			}
		}
		return codes
	}
	for _, message := range audit.Messages(r.Answer) {
		if add(message.Code); len(codes) > maxCodes {
			break // an answer about a lot may have thousands
		}
	}
	return codes
}

// known returns the time at which the result became known.
func (s *summary) known() time.Time { return s.began.Add(s.took) }

// intendedAt returns the time of its intent. That is its own, unless it settles what another
// process has left open.
func (s *summary) intendedAt() time.Time {
	if s.intended.IsZero() {
		return s.began
	}
	return s.intended
}

// isOwn reports whether the gateway asked on its own account. Its answers are no verdict on a
// request of a client.
func (s *summary) isOwn() bool {
	return s.decision == audit.DecisionAsk || s.kind == audit.KindSettlement
}

// isQuestion reports whether it only asks for the invoice.
func (s *summary) isQuestion() bool { return !s.changes() }

// changes reports whether it is about a request that changes something at the service.
func (s *summary) changes() bool {
	return s.operation != nil && s.operation.Effect == wsfev1.EffectChanges
}

// isAuthorised reports whether the service has authorised the invoice, or has said so. An
// answer that is not the operation's, or not the request's, says nothing.
func (s *summary) isAuthorised() bool {
	return s.kind != audit.KindIntent && s.outcome != audit.OutcomeUpstreamError && s.outcome != audit.OutcomeUnknown &&
		s.voucher.Resultado == wsfev1.Aprobado && s.voucher.Code != ""
}

// isOpen reports whether the exchange leaves open whether the invoice was issued.
func (s *summary) isOpen() bool {
	return s.changes() && (s.kind == audit.KindIntent || s.outcome == audit.OutcomeUnknown || s.outcome == audit.OutcomeUpstreamError)
}

// wasRejected reports whether the gateway or the service has rejected the request.
func (s *summary) wasRejected() bool {
	switch s.outcome {
	case audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomeRejected:
		return true
	}
	return false
}

// feelsOutage reports whether it matters to the exchange that the service does not answer. It
// does not to a request that the gateway refused for its content, or answered from the log.
func (s *summary) feelsOutage() bool {
	switch s.outcome {
	case audit.OutcomeOutage, audit.OutcomeUnsettled, audit.OutcomeNotSent:
		return true
	}
	return s.certainty != audit.NotSent
}

// exchangesAbout returns the exchanges about an invoice, in the order in which they began. An
// outcome has the time of its intent, so a query of the gateway about it comes after it,
// although it was recorded before. Contents are read later, one by one: lots may be large.
func exchangesAbout(ctx context.Context, store audit.Store, logs []string, query audit.Query) ([]*summary, error) {
	var exchanges []*summary
	for record, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, fmt.Errorf("searching: %w", err)
		}
		exchanges = append(exchanges, summaryOf(record, query.Number))
	}
	sortSummaries(exchanges)
	return exchanges, nil
}

func sortSummaries(exchanges []*summary) {
	slices.SortFunc(exchanges, func(a, b *summary) int {
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.log, b.log), cmp.Compare(a.index, b.index))
	})
}
