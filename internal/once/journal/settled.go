package journal

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// Settled implements once.Journal: the record links back to the intent and holds the service's data of
// each invoice. It is the outcome of an intent of this log that has none, which closes the intent
// for searches and counts.
func (t *Journal) Settled(_ context.Context, p *once.Pending, s *once.Settlement, asked once.Service) (uint64, error) {
	r := &audit.Record{
		Kind: audit.KindSettlement, ID: p.ID, Intent: p.Intent, Node: t.Log,
		Time: t.Now(), Operation: p.Operation.Name,
		Cuit: p.Key.Cuit, PtoVta: p.Key.PtoVta, CbteTipo: p.Key.CbteTipo,
		Decision: audit.DecisionForward, Outcome: audit.Outcome(s.Verdict), Certainty: audit.Answered,
		Environment: s.Environment,
		Fingerprint: p.Fingerprint, SentFingerprint: p.SentFingerprint, IdempotencyKey: p.IdempotencyKey, TraceID: p.TraceID,
	}
	switch {
	case p.OtherWriter:
		r.IntentLog = p.Log // a log that this process cannot write to
	case p.NoOutcome:
		r.Kind = audit.KindOutcome
	}
	describe(p, s, r)
	for _, d := range s.Differences {
		r.Findings = append(r.Findings, audit.Finding{
			Code: strconv.Itoa(int(p.Operation.SequenceCode())), Severity: "SEQ", Action: "observe", Pointer: p.Pointer(s, d),
			Text: "the number belongs to another invoice", Expected: d.Kept, Got: d.Sent,
		})
	}
	if answer := s.Answer(p, r.Time); answer != nil {
		body, err := json.Marshal(answer)
		if err != nil {
			return 0, err
		}
		r.Answer, r.AnswerLength = body, int64(len(body))
	}
	return t.Write(r, p, asked)
}

// describe fills in the request and what was found.
func describe(p *once.Pending, s *once.Settlement, r *audit.Record) {
	approved := s.Approved()
	for i, n := range p.Numbers {
		v := audit.Voucher{CbteDesde: n.CbteDesde, CbteHasta: n.CbteHasta}
		if i < approved {
			found := s.Invoices[i]
			v.Code, v.Expires, v.Resultado = found.CodAutorizacion, string(found.FchVto), wsfev1.Aprobado
		}
		r.Vouchers = append(r.Vouchers, v)
	}
	if p.Key.CAEA != "" { // searches use it
		r.Vouchers = []audit.Voucher{{Code: p.Key.CAEA}}
	}
	switch {
	case s.Verdict == once.NotIssued:
		r.Certainty = audit.NotSent
	case s.Advance != nil:
		r.Vouchers = []audit.Voucher{{Code: s.Advance.CAEA}}
	case s.SinMovimiento != nil:
		r.Resultado = wsfev1.Aprobado
	case approved == len(p.Numbers):
		r.Resultado = wsfev1.Aprobado
	case approved > 0:
		r.Resultado = wsfev1.Parcial
	default:
		r.Resultado = wsfev1.Rechazado
	}
}
