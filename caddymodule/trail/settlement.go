package trail

import (
	"crypto/sha256"
	"math"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/once"
)

// SettlementTerms are what the gateway that asked the service says of the record.
type SettlementTerms struct {
	Asked bool
	// Fields are those that are not kept.
	Fields *redact.Fields
	// Credentials are those that it asked with: the service may have echoed them in what
	// it has.
	Credentials []string
	// forwards: exchanges go on that cannot be recorded. alarm is told of those.
	Forwards bool
	Alarm    *zap.Logger
}

// Asker is a once.Service that asks on behalf of a gateway. A settlement is recorded as that
// gateway records: its fields are not kept, and its credentials least of all.
type Asker interface{ SettlementTerms() SettlementTerms }

// writeSettlement makes a settlement durable. What the operator does not want to be kept
// is hidden as in the exchanges of the gateway that asked.
//
// Where exchanges go on without the trail it is owed like them: the series would stay closed.
func (t *Trail) writeSettlement(r *audit.Record, p *once.Pending, asked once.Service) (uint64, error) {
	var terms SettlementTerms
	if q, ok := asked.(Asker); ok {
		terms = q.SettlementTerms()
	}
	t.hide(r, terms)
	intent, _ := p.Owed.(*Entry)
	index, err := t.Append(r, intent)
	if err != nil && terms.Forwards && t.Enqueue(r, intent, true) != nil {
		terms.Alarm.Error("a settlement could not be written yet", zap.String("exchange", r.ID), zap.Error(err))
		return indexInBacklog, nil
	}
	return index, err
}

// owedIndex stands for the index of a record that is owed.
const indexInBacklog = math.MaxUint64

// hide takes out of a settlement what is not to be kept.
func (t *Trail) hide(r *audit.Record, terms SettlementTerms) {
	var mask *redact.Mask
	if terms.Asked && terms.Fields != nil {
		mask = t.Redactor.Mask(terms.Fields)
	}
	credentials := terms.Credentials
	clean := t.Redactor.Credentials(credentials...)
	for i := range r.Findings {
		r.Findings[i].Expected = clean.Text(r.Findings[i].Expected)
	}
	digest := sha256.Sum256(r.Answer)
	if mask != nil {
		r.Answer, _ = mask.Body(r.Answer, true, credentials...)
		for i := range r.Findings {
			r.Findings[i] = mask.Finding(r.Findings[i])
		}
	} else {
		r.Answer, _ = t.Redactor.Body(r.Answer, credentials...)
	}
	r.AnswerDigest = mask.Digest(digest)
}
