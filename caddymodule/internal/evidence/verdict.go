package evidence

import (
	"fmt"

	"github.com/fielato/fielato/audit"
)

// verdict is what all exchanges together show about the invoice.
type verdict struct {
	state verdictState
	// by is the exchange that shows it; number is its number on the page.
	by     *summary
	number int
	// others counts the other requests to issue the invoice. rejectedOthers counts how many of them were
	// rejected.
	others, rejectedOthers int
}

type verdictState string

const (
	approved verdictState = "approved" // the service has authorised it
	existing verdictState = "existing" // no request shows it, but a client's query does
	open     verdictState = "unknown"  // a request may have been carried out
	rejected verdictState = "rejected" // no request was carried out
	absent   verdictState = "absent"   // there are only queries, which found nothing
)

// title is the verdict in as few words as there are.
func (v *verdict) title() string {
	switch v.state {
	case approved:
		if v.by.operation.Name == "FECAEARegInformativo" {
			return "Informado y aceptado"
		}
		return "Aprobado"
	case existing:
		return "Autorizado, según una consulta"
	case open:
		return "No se sabe si fue emitido"
	case absent:
		return "No consta ningún pedido de emitirlo"
	}
	switch v.by.outcome {
	case audit.OutcomeNotIssued, outcomeDifferent, audit.OutcomeRecovered: // recovered were others of its lot
		return "No emitido"
	case audit.OutcomeRefused, audit.OutcomeMalformed:
		return "Rechazado por la pasarela"
	case audit.OutcomeRejected, audit.OutcomePartial, audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomeReplayed:
		return "Rechazado por el servicio"
	}
	return "No enviado"
}

// othersText tells of the other requests, which do not change the verdict.
func (v *verdict) othersText() string {
	allRejected := v.others == v.rejectedOthers
	switch {
	case v.others == 0:
		return ""
	case v.others == 1 && allRejected:
		return "Hubo otro pedido con este número, que fue rechazado; no cambia el resultado."
	case v.others == 1:
		return "Hubo otro pedido con este número; no cambia el resultado."
	case allRejected:
		return fmt.Sprintf("Hubo otros %d pedidos con este número, que fueron rechazados; no cambian el resultado.", v.others)
	}
	return fmt.Sprintf("Hubo otros %d pedidos con este número; no cambian el resultado.", v.others)
}

// class is the look of the verdict on the page.
func (v *verdict) class() string {
	switch v.state {
	case approved, existing:
		return string(approved)
	case rejected:
		return string(rejected)
	}
	return string(open)
}

// verdictOf judges by the events, in their order. An approval holds whatever came later: a
// number is given once. Where there is none, a request without an answer counts more than
// rejections, because it may have been carried out. The gateway's own questions are never a
// verdict by themselves: its settlements are.
func verdictOf(events []event) verdict {
	settled := map[recordPlace]bool{}
	var v verdict
	for _, e := range events {
		if e.of != nil && e.of.isOwn() && e.of.changes() {
			settled[e.of.intent] = true
		}
	}
	for _, e := range events {
		if s := e.of; s != nil && (!e.intent || s.isOpen()) && s.recordPlace == e.recordPlace {
			if state, ok := stateOf(s, settled); ok && v.yieldsTo(state) {
				v.state, v.by, v.number = state, s, e.exchange
			}
			if s.changes() && !s.isOwn() {
				v.others++
				if e.of.wasRejected() {
					v.rejectedOthers++
				}
			}
		}
	}
	if v.by != nil && v.by.changes() && !v.by.isOwn() {
		v.others--
		if v.by.wasRejected() {
			v.rejectedOthers--
		}
	}
	return v
}

// verdictOrder has the states from the weakest to the strongest.
var verdictOrder = map[verdictState]int{absent: 1, rejected: 2, open: 3, existing: 4, approved: 5}

// yieldsTo reports whether a later exchange with this state takes the verdict's place. The first approval
// issued the invoice, so it stays. Among all other states the last one counts.
func (v *verdict) yieldsTo(state verdictState) bool {
	if state == v.state {
		return state != approved
	}
	return verdictOrder[state] > verdictOrder[v.state]
}

// stateOf returns what one exchange shows. A question of the gateway shows nothing, and neither
// does a request without an answer once that is settled.
func stateOf(s *summary, settled map[recordPlace]bool) (verdictState, bool) {
	switch {
	case s.isQuestion() && s.isOwn():
		return "", false
	case s.isQuestion():
		if s.isAuthorised() {
			return existing, true
		}
		return absent, true
	case s.isAuthorised():
		return approved, true
	case s.isOpen():
		return open, !settled[s.intent]
	}
	return rejected, true
}
