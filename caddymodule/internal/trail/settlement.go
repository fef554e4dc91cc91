package trail

import (
	"crypto/sha256"
	"math"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/once"
)

// SettlementTerms define how a settlement is recorded. They come from the gateway that asked
// the service.
type SettlementTerms struct {
	// Fields are the members that are not kept.
	Fields *mask.Fields
	// Credentials are the query's own: the service may have echoed them in its answer.
	Credentials []string
	// Forwards: exchanges continue although they cannot be recorded. Alarm logs those.
	Forwards bool
	Alarm    *zap.Logger
}

// Asker is a once.Service that asks on behalf of a gateway. A settlement is recorded by the
// terms of that gateway.
type Asker interface{ SettlementTerms() SettlementTerms }

// writeSettlement makes a settlement durable. Redacted fields are hidden as in the exchanges of
// the gateway that asked.
//
// With on_failure forward it is added to the backlog if it cannot be written: otherwise the
// series would stay closed.
func (t *Trail) writeSettlement(r *audit.Record, p *once.Pending, asked once.Service) (uint64, error) {
	var terms SettlementTerms
	if q, ok := asked.(Asker); ok {
		terms = q.SettlementTerms()
	}
	t.hide(r, terms)
	intent, _ := p.Owed.(*Entry)
	index, err := t.Append(r, intent)
	if err != nil && terms.Forwards && t.Enqueue(nil, r, intent, true) != nil {
		terms.Alarm.Error("a settlement could not be written yet", tracing.ExchangeField(r.ID, r.TraceID), zap.Error(err))
		return indexInBacklog, nil
	}
	return index, err
}

// indexInBacklog is the index of a record that is still in the backlog.
const indexInBacklog = math.MaxUint64

// hide removes from a settlement what must not be kept.
func (t *Trail) hide(r *audit.Record, terms SettlementTerms) {
	m, credentials := t.Redactor.Mask(terms.Fields), t.Redactor.Credentials(terms.Credentials...)
	digest := sha256.Sum256(r.Answer)
	r.Answer, _ = m.Body(r.Answer, true, terms.Credentials...) // it was composed here
	for i := range r.Findings {
		r.Findings[i].Expected = credentials.Text(r.Findings[i].Expected)
		r.Findings[i] = m.Finding(r.Findings[i])
	}
	r.AnswerDigest = m.Digest(digest)
}
