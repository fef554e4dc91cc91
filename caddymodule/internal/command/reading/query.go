package reading

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

// The values of the flags that take one of a list of words.
var (
	searchedOutcomes = append(append(outcome.Words(audit.Outcomes), outcome.Open, string(outage.Began), string(outage.Ended)), trail.AccessOutcomes...)
	searchedKinds    = map[string]audit.Kind{
		audit.KindExchange.String(): audit.KindExchange, audit.KindIntent.String(): audit.KindIntent,
		audit.KindOutcome.String(): audit.KindOutcome, audit.KindAccess.String(): audit.KindAccess,
		audit.KindSettlement.String(): audit.KindSettlement, audit.KindOutage.String(): audit.KindOutage,
	}
	searchedCertainties = []string{string(audit.Answered), string(audit.NotSent), string(audit.Unknown)}
	searchedDecisions   = outcome.Words(audit.Decisions)
	searchedResultados  = []string{wsfev1.Aprobado, wsfev1.Rechazado, wsfev1.Parcial}
)

// queryFlags are the filters of a search. A flag that a command does not bind restricts
// nothing.
type queryFlags struct {
	cli.StoreFlags
	times cli.TimeFlags

	cuit                                    wsfev1.CUIT
	nro                                     int64
	ptoVta, cbteTipo                        int32
	cae, operation, finding, id, receiver   string
	outcome, certainty, decision, resultado string
	client, identity, upstream, node, kind  string
	clientRow                               string
	trace                                   string
	status, limit                           int
	minDuration                             time.Duration
	before                                  uint64

	// set reports which flags were given.
	set *pflag.FlagSet
}

func (f *queryFlags) bind(set *pflag.FlagSet) {
	f.set = set
	f.StoreFlags.Bind(set)
	cli.CUITVar(set, &f.cuit, "The issuer")
	set.Int32Var(&f.ptoVta, "pto-vta", 0, "The point of sale")
	set.Int32Var(&f.cbteTipo, "cbte-tipo", 0, "The type of voucher")
	set.Int64Var(&f.nro, "nro", 0, "A number: found also within a range and a lot")
	set.StringVar(&f.cae, "cae", "", "A CAE or CAEA")
	cli.OperationVar(set, &f.operation, "operation", "The operation's exact name")
	cli.WordVar(set, &f.outcome, "outcome", "What became of the exchange: "+strings.Join(searchedOutcomes, ", "), searchedOutcomes)
	cli.WordVar(set, &f.certainty, "certainty", "What is certain about the wire: "+strings.Join(searchedCertainties, ", "), searchedCertainties)
	cli.WordVar(set, &f.decision, "decision", "What the gateway decided: "+strings.Join(searchedDecisions, ", "), searchedDecisions)
	cli.WordVar(set, &f.resultado, "resultado", "The answer's verdict on the whole: "+strings.Join(searchedResultados, ", "), searchedResultados)
	set.StringVar(&f.finding, "finding", "", "A code that the gateway found, or that the answer has in Errors or Observaciones")
	set.IntVar(&f.status, "status", 0, "The HTTP status that the client got")
	set.DurationVar(&f.minDuration, "min-duration", 0, "Exchanges that took so long or longer, such as 30s")
	set.StringVar(&f.receiver, "receiver", "", "The receiver's document, such as a CUIT, with or without dashes, or a DNI")
	set.StringVar(&f.id, "id", "", "The exchange's identifier, which logs have too")
	set.StringVar(&f.trace, "trace", "", "The trace that the exchange is a part of: 32 hexadecimal digits, as logs, exemplars and traceparent have it")
	set.StringVar(&f.client, "client", "", "The client's IP address")
	set.StringVar(&f.identity, "identity", "", "The authenticated user, or the subject of the client's certificate")
	set.StringVar(&f.clientRow, "client-row", "", "The client's row, by its name in the table of clients")
	set.StringVar(&f.upstream, "upstream", "", "Who was asked, as the record says it")
	set.StringVar(&f.node, "node", "", "The gateway, as the record says it")
	cli.WordVar(set, &f.kind, "kind", "The kind of record: exchange (all in one record), outcome, intent (open ones), "+
		"settlement (what was found out about an unknown outcome), "+
		"access (who read or purged the trail, and which table of clients holds) or outage (when the service did not answer), which are found only so", slices.Sorted(maps.Keys(searchedKinds)))
	set.StringVar(&f.times.Since, "since", "", "Not before: "+cli.TimeForms)
}

func (f *queryFlags) bindUntil(set *pflag.FlagSet) {
	set.StringVar(&f.times.Until, "until", "", "Until: "+cli.UntilForms)
}

// query returns the query of the flags. An error is one of wrong use.
func (f *queryFlags) query() (audit.Query, error) {
	q, err := f.read()
	return q, cli.UsageError(err)
}

func (f *queryFlags) read() (q audit.Query, err error) {
	q = audit.Query{
		Cuit: f.cuit, PtoVta: f.ptoVta, CbteTipo: f.cbteTipo, Number: f.nro, Code: f.cae,
		Finding: f.finding, ID: f.id, ClientAddress: f.client, ClientIdentity: f.identity, ClientRow: f.clientRow, Upstream: f.upstream, Node: f.node,
		Status: f.status, MinDuration: f.minDuration, Limit: f.limit, Before: f.before,
	}
	switch {
	case q.Limit < 0:
		return q, fmt.Errorf("--limit %d: give a number, or 0 for all", q.Limit)
	case q.MinDuration < 0:
		return q, fmt.Errorf("--min-duration %s: give a time such as 30s", q.MinDuration)
	case f.set.Changed("before") && q.Before == 0:
		return q, fmt.Errorf("--before 0: there is no record before the first")
	}
	if err := f.words(&q); err != nil {
		return q, err
	}
	for _, name := range []string{"pto-vta", "cbte-tipo", "nro", "status"} {
		if given := f.set.Lookup(name); given.Changed && (given.Value.String() == "0" || given.Value.String()[0] == '-') {
			return q, fmt.Errorf("--%s %s: give a number from 1 on", name, given.Value)
		}
	}
	if f.set.Changed("receiver") {
		if q.Receiver, err = audit.ParseReceiver(f.receiver); err != nil {
			return q, fmt.Errorf("--receiver %q: %w", f.receiver, err)
		}
	}
	if f.set.Changed("trace") {
		if q.TraceID, err = audit.ParseTraceID(f.trace); err != nil {
			return q, fmt.Errorf("--trace %q: %w", f.trace, err)
		}
	}
	q.Since, q.Until, err = f.times.Read()
	return q, err
}

// words adds the flags that take one of a list of words to the query.
func (f *queryFlags) words(q *audit.Query) error {
	q.Operation, q.Outcome, q.Decision, q.Resultado = f.operation, audit.Outcome(f.outcome), audit.Decision(f.decision), f.resultado
	q.Certainty, q.Kind = audit.Certainty(f.certainty), searchedKinds[f.kind]
	if q.Kind == 0 && (q.Outcome == outage.Began || q.Outcome == outage.Ended) {
		q.Kind = audit.KindOutage // the only kind with this outcome
	}
	if q.Kind == 0 && slices.Contains(trail.AccessOutcomes, f.outcome) {
		q.Kind = audit.KindAccess
	}
	if q.Outcome != outcome.Open {
		return nil
	}
	if q.Kind != 0 && q.Kind != audit.KindIntent {
		return fmt.Errorf("--outcome open --kind %s: open exchanges are intents, leave --kind out", f.kind)
	}
	q.Outcome, q.Kind = "", audit.KindIntent
	return nil
}

// nothingMatches returns the message for an empty result.
func nothingMatches(q *audit.Query) string {
	if q.Kind == audit.KindAccess {
		return "no record of access matches"
	}
	if q.Kind == audit.KindOutage {
		return "no record of an outage matches"
	}
	return "no exchange matches"
}
