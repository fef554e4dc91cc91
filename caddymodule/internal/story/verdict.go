package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// Verdict is what all exchanges with one service together show about the invoice.
type Verdict struct {
	// Environment is the kind of the service, empty if no record tells.
	Environment environment.Environment
	State       State
	// By is the exchange that shows it, nil where there are only questions of the gateway. Number is its place
	// in Invoice.Entries.
	By     *Entry
	Number int
	// others counts the other requests to issue the invoice. rejectedOthers counts how many of them were
	// rejected.
	others, rejectedOthers int
}

// State is the state of knowledge about an invoice, in one word.
type State string

// The states.
const (
	Approved State = "approved" // the service has authorised it
	Existing State = "existing" // no request shows it, but a client's query does
	Unknown  State = "unknown"  // a request may have been carried out
	Rejected State = "rejected" // no request was carried out
	Absent   State = "absent"   // there are only queries, which found nothing
)

// IsAuthorised reports whether the invoice is authorised.
func (v *Verdict) IsAuthorised() bool { return v.State == Approved || v.State == Existing }

// title is the verdict in as few words as there are.
func (v *Verdict) title() string {
	switch v.State {
	case Approved:
		if v.By.isInformed() {
			return "Informado y aceptado"
		}
		return "Aprobado"
	case Existing:
		return "Autorizado, según una consulta"
	case Unknown:
		return "No se sabe si fue " + v.By.issued()
	case Absent:
		return "No consta ningún pedido de emitirlo"
	}
	switch v.By.Outcome {
	case audit.OutcomeNotIssued, outcome.Different, audit.OutcomeRecovered: // recovered were others of its lot
		return "No " + v.By.issued()
	case audit.OutcomeRefused, audit.OutcomeMalformed:
		return "Rechazado por la pasarela"
	case audit.OutcomeRejected, audit.OutcomePartial, audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomeReplayed:
		return "Rechazado por el servicio"
	}
	return "No enviado"
}

// StateWord is the key of the state's text. A reported invoice is issued already, so its states have texts of their own.
func (v *Verdict) StateWord() string {
	word := "state." + string(v.State)
	if v.By != nil && v.By.isInformed() && (v.State == Unknown || v.State == Rejected) {
		word += ".reported"
	}
	return word
}

// othersText tells of the other requests, which do not change the verdict.
func (v *Verdict) othersText() string {
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

// class is the state that a reader has to tell apart: approved, rejected or unknown.
func (v *Verdict) class() State {
	switch v.State {
	case Approved, Existing:
		return Approved
	case Rejected:
		return Rejected
	}
	return Unknown
}

// Verdicts judges for each service apart, as each numbers its own invoices: an approval for a test says
// nothing about production. The service that counts most comes first. An exchange that names no service may have been with any
// of them, so it counts in each, but its approval stands apart.
func (i *Invoice) Verdicts(turns []Turn) (all []Verdict) {
	services := i.services()
	for _, of := range services {
		v := verdictOf(turns, func(s *Entry) bool {
			known := i.EnvironmentOf(s)
			return known == of || known == "" && (len(services) == 1 || !s.IsAuthorised())
		})
		v.Environment = of
		all = append(all, v)
	}
	return all
}

// services returns the environments of the exchanges, what counts most first; the unknown one if there is no
// other, or if it has approved something.
func (i *Invoice) services() (all []environment.Environment) {
	unknown := false
	for _, s := range i.Entries {
		switch of := i.EnvironmentOf(s); {
		case of == "":
			unknown = unknown || s.IsAuthorised()
		case !slices.Contains(all, of):
			all = append(all, of)
		}
	}
	if len(all) == 0 || len(all) > 1 && unknown {
		all = append(all, "")
	}
	slices.SortFunc(all, environment.Compare)
	return all
}

// Apart words a verdict of another service than the first verdict's.
func (i *Invoice) Apart(v *Verdict) string {
	name, about, found := strings.Cut(cmp.Or(printed.Environment(v.Environment), "un servicio que no consta"), ": ")
	if found {
		name += " (" + about + ")"
	}
	text := "En " + name + ": "
	if v.By == nil {
		return text + "solo hay consultas propias de la pasarela."
	}
	return text + v.title() + ". " + i.Result(v.By)
}

// verdictOf judges by the turns of some entries, in their order. An approval holds whatever came later: a number is
// given once. Where there is none, a request without an answer counts more than rejections, because it may have
// been carried out. The gateway's own questions are never a verdict by themselves: its settlements are.
func verdictOf(turns []Turn, counts func(*Entry) bool) Verdict {
	settled := map[Place]bool{}
	var v Verdict
	for _, turn := range turns {
		// One that names no service is about a request that names none either: that is open nowhere any more.
		if s := turn.Entry; s != nil && s.IsOwn() && s.Changes() && (counts(s) || s.Environment == "") {
			settled[s.Intent] = true
		}
	}
	for _, turn := range turns {
		s := turn.Entry
		if s == nil || turn.Intent && !s.IsOpen() || s.Place != turn.Place || !counts(s) {
			continue
		}
		if state, ok := stateOf(s, settled); ok && v.yieldsTo(state) {
			v.State, v.By, v.Number = state, s, turn.Number
		}
		v.count(s, 1)
	}
	if v.By != nil {
		v.count(v.By, -1)
	}
	return v
}

// count counts a request among the others.
func (v *Verdict) count(s *Entry, n int) {
	if !s.Changes() || s.IsOwn() {
		return
	}
	v.others += n
	if s.wasRejected() {
		v.rejectedOthers += n
	}
}

// verdictOrder has the states from the weakest to the strongest.
var verdictOrder = map[State]int{Absent: 1, Rejected: 2, Unknown: 3, Existing: 4, Approved: 5}

// yieldsTo reports whether a later exchange with this state takes the verdict's place. The first approval
// issued the invoice, so it stays. Among all other states the last one counts.
func (v *Verdict) yieldsTo(state State) bool {
	if state == v.State {
		return state != Approved
	}
	return verdictOrder[state] > verdictOrder[v.State]
}

// stateOf returns what one exchange shows. A question of the gateway shows nothing, and neither
// does a request without an answer once that is settled.
func stateOf(s *Entry, settled map[Place]bool) (State, bool) {
	switch {
	case s.IsQuestion() && s.IsOwn():
		return "", false
	case s.IsQuestion():
		if s.IsAuthorised() {
			return Existing, true
		}
		return Absent, true
	case s.IsAuthorised():
		return Approved, true
	case s.IsOpen():
		return Unknown, !settled[s.Intent]
	}
	return Rejected, true
}
