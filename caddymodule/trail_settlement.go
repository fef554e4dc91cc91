package caddymodule

import (
	"crypto/sha256"
	"math"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/once"
)

// writeSettlement makes a settlement durable. What the operator does not want to be kept
// is hidden as in the exchanges of the gateway that asked.
//
// Where exchanges go on without the trail it is owed like them: the series would stay closed.
func (t *trail) writeSettlement(r *audit.Record, p *once.Pending, asked once.Service) (uint64, error) {
	t.hide(r, asked)
	intent, _ := p.Owed.(*owed)
	index, err := t.append(r, intent)
	if q, ok := asked.(*inquirer); err != nil && ok && q.gateway.Trail.forwards() && t.debt.add(r, intent, maxOwed) != nil {
		q.gateway.alarm.Error("a settlement could not be written yet", zap.String("exchange", r.ID), zap.Error(err))
		return owedIndex, nil
	}
	return index, err
}

// owedIndex stands for the index of a record that is owed.
const owedIndex = math.MaxUint64

// hide takes out of a settlement what is not to be kept.
func (t *trail) hide(r *audit.Record, asked once.Service) {
	var veil *redact.Veil
	var credentials []string // which the service may have echoed in what it has
	if q, ok := asked.(*inquirer); ok {
		veil = t.redactor.Veil(q.gateway.Trail.fields)
		credentials = []string{q.auth.Token.Reveal(), q.auth.Sign.Reveal()}
	}
	clean := t.redactor.Credentials(credentials...)
	for i := range r.Findings {
		r.Findings[i].Expected = clean.Text(r.Findings[i].Expected)
	}
	digest := sha256.Sum256(r.Answer)
	if veil != nil {
		r.Answer, _ = veil.Body(r.Answer, true, credentials...)
		for i := range r.Findings {
			r.Findings[i] = veil.Finding(r.Findings[i])
		}
	} else {
		r.Answer, _ = t.redactor.Body(r.Answer, credentials...)
	}
	r.AnswerDigest = veil.Digest(digest)
}
