package audittest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Source makes records as a gateway would: issuing in pairs of intent and
// outcome, some of them lots, some without an outcome, and queries in between.
// The same seed makes the same records. It is for one goroutine.
type Source struct {
	random *rand.Rand
	now    time.Time
	number int64
	// intents are those without an outcome yet.
	intents []*audit.Record
}

// NewSource returns a source.
func NewSource(seed uint64) *Source {
	return &Source{
		random: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // records of tests, the same in every run
		now:    time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC),
	}
}

// Next returns the next record of a log. An outcome needs the index of its
// intent: records are to be written in order, and each at its index.
func (s *Source) Next(index uint64) *audit.Record {
	s.now = s.now.Add(time.Duration(s.random.IntN(2000)) * time.Millisecond)
	switch {
	case len(s.intents) > 4 || len(s.intents) > 0 && s.random.IntN(3) == 0:
		return s.outcome()
	case s.random.IntN(4) == 0:
		return s.exchange()
	}
	r := s.Issue(1)
	r.Kind, r.Index = audit.KindIntent, index
	if s.random.IntN(20) > 0 { // the others stay without an outcome
		s.intents = append(s.intents, r)
	}
	return r
}

// Issue returns an exchange of FECAESolicitar for so many vouchers, at least one,
// with a request of about 900 bytes for one voucher.
func (s *Source) Issue(vouchers int) *audit.Record {
	s.number++
	r := &audit.Record{
		Kind: audit.KindExchange, ID: s.id(), Time: s.now, Node: "gateway-1", ClientAddress: "192.0.2.7",
		Operation: "FECAESolicitar", Cuit: wsfev1.CUIT(20000000000 + s.random.Int64N(7)),
		PtoVta: 1 + s.random.Int32N(2), CbteTipo: 1 + 5*s.random.Int32N(2), Decision: "forward",
	}
	if s.random.IntN(10) == 0 && vouchers == 1 {
		vouchers = 1 + s.random.IntN(30)
	}
	for range vouchers {
		first := s.number
		if s.random.IntN(10) == 0 {
			s.number += s.random.Int64N(100) // a voucher for a range of numbers
		}
		r.Vouchers = append(r.Vouchers, audit.Voucher{CbteDesde: first, CbteHasta: s.number})
		s.number++
	}
	r.Request = s.request(r)
	r.RequestLength, r.RequestDigest = int64(len(r.Request)), sha256.Sum256(r.Request)
	return r
}

// Answer completes what Issue made: each voucher gets a CAE, the record an answer
// of about 500 bytes for one voucher.
func (s *Source) Answer(r *audit.Record) {
	r.Duration, r.Status, r.Upstream = time.Duration(s.random.IntN(1e9)), 200, "wsfev1:443"
	r.Certainty, r.Outcome, r.Resultado = audit.Answered, "approved", wsfev1.Aprobado
	for i := range r.Vouchers {
		r.Vouchers[i].Code = fmt.Sprintf("8601%010d", s.random.Int64N(1e10))
		r.Vouchers[i].Resultado = wsfev1.Aprobado
	}
	r.Answer = s.answer(r)
	r.AnswerLength, r.AnswerDigest = int64(len(r.Answer)), sha256.Sum256(r.Answer)
}

// outcome answers one of the open intents. Some outcomes repeat little of it, and are to be
// found through it.
func (s *Source) outcome() *audit.Record {
	i := s.random.IntN(len(s.intents))
	intent := s.intents[i]
	s.intents = append(s.intents[:i], s.intents[i+1:]...)
	r := *intent
	r.Kind, r.Intent, r.Index = audit.KindOutcome, intent.Index, 0
	r.Vouchers = append([]audit.Voucher(nil), intent.Vouchers...)
	switch s.random.IntN(4) {
	case 0:
		r.Certainty, r.Outcome, r.Detail = audit.Unknown, "unknown", "timeout awaiting response headers"
		r.Cuit, r.PtoVta, r.CbteTipo, r.Vouchers, r.Operation = 0, 0, 0, nil, ""
	default:
		s.Answer(&r)
	}
	return &r
}

func (s *Source) exchange() *audit.Record {
	r := &audit.Record{
		Kind: audit.KindExchange, ID: s.id(), Time: s.now, Duration: time.Millisecond, Node: "gateway-1",
		Operation: "FECompUltimoAutorizado", Cuit: 20000000001, PtoVta: 1, CbteTipo: 6,
		Decision: "forward", Outcome: "answered", Certainty: audit.Answered, Status: 200,
		Request: []byte(`{"PtoVta":1,"CbteTipo":6}`), Answer: []byte(`{"PtoVta":1,"CbteTipo":6,"CbteNro":7}`),
	}
	if s.random.IntN(3) == 0 {
		r.Decision, r.Outcome, r.Certainty, r.Status = "refuse", "refused", audit.NotSent, 400
		r.Findings = []audit.Finding{{
			Code: "shape.required", Severity: "SHAPE", Pointer: "/PtoVta", Action: "refuse",
			Text: "the member is missing", Expected: "number",
		}}
	}
	return r
}

func (s *Source) id() string {
	return fmt.Sprintf("%016x%016x", s.random.Uint64(), s.random.Uint64())
}
