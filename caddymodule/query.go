package caddymodule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outage"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/wsfev1"
)

// What flags of a search take, where that is a list.
var (
	searchedOutcomes = append(append(slices.Clone(outcome.All), outcome.Open, outage.Began, outage.Ended), accessesOfContent...)
	searchedKinds    = map[string]audit.Kind{
		audit.KindExchange.String(): audit.KindExchange, audit.KindIntent.String(): audit.KindIntent,
		audit.KindOutcome.String(): audit.KindOutcome, audit.KindAccess.String(): audit.KindAccess,
		audit.KindSettlement.String(): audit.KindSettlement, audit.KindOutage.String(): audit.KindOutage,
	}
	searchedCertainties = []string{string(audit.Answered), string(audit.NotSent), string(audit.Unknown)}
	searchedDecisions   = []string{outcome.DecisionForward, outcome.DecisionRefuse, outcome.DecisionReplay, outcome.DecisionCache, outcome.DecisionAsk}
	searchedResultados  = []string{wsfev1.Aprobado, wsfev1.Rechazado, wsfev1.Parcial}
)

// addSearchFlags adds what says which exchanges are wanted.
func addSearchFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("store", "", storeFlagUsage)
	flags.Int64("cuit", 0, "The issuer")
	flags.Int32("pto-vta", 0, "The point of sale")
	flags.Int32("cbte-tipo", 0, "The type of voucher")
	flags.Int64("nro", 0, "A number: found also within a range and a lot")
	flags.String("cae", "", "A CAE or CAEA")
	flags.String("operation", "", "The operation's exact name")
	flags.String("outcome", "", "What became of the exchange: "+strings.Join(searchedOutcomes, ", "))
	flags.String("certainty", "", "What is certain about the wire: "+strings.Join(searchedCertainties, ", "))
	flags.String("decision", "", "What the gateway decided: "+strings.Join(searchedDecisions, ", "))
	flags.String("resultado", "", "The answer's verdict on the whole: "+strings.Join(searchedResultados, ", "))
	flags.String("finding", "", "A code that the gateway found, or that the answer has in Errors or Observaciones")
	flags.Int("status", 0, "The HTTP status that the client got")
	flags.Duration("min-duration", 0, "Exchanges that took so long or longer, such as 30s")
	flags.String("id", "", "The exchange's identifier, which logs have too")
	flags.String("client", "", "The client's IP address")
	flags.String("identity", "", "The authenticated user, or the subject of the client's certificate")
	flags.String("upstream", "", "Who was asked, as the record says it")
	flags.String("node", "", "The gateway, as the record says it")
	flags.String("kind", "", "The kind of record: exchange (all in one record), outcome, intent (open ones), "+
		"settlement (what was found out about an unknown outcome), "+
		"access (who read or purged the trail) or outage (when the service did not answer), which are found only so")
	flags.String("since", "", "Not before: "+timeForms)
}

const timeForms = "2026-11-20, 2026-11-20T15:04:05-03:00, or an age such as 24h or 7d"

// queryOf reads what the flags of a search ask for. Flags that a command does not
// have restrict nothing.
func queryOf(cmd *cobra.Command) (q audit.Query, err error) {
	flags := cmd.Flags()
	cuit, _ := flags.GetInt64("cuit")
	q.Cuit = wsfev1.CUIT(cuit)
	q.PtoVta, _ = flags.GetInt32("pto-vta")
	q.CbteTipo, _ = flags.GetInt32("cbte-tipo")
	q.Number, _ = flags.GetInt64("nro")
	q.Code, _ = flags.GetString("cae")
	q.Finding, _ = flags.GetString("finding")
	q.ID, _ = flags.GetString("id")
	q.ClientAddress, _ = flags.GetString("client")
	q.ClientIdentity, _ = flags.GetString("identity")
	q.Upstream, _ = flags.GetString("upstream")
	q.Node, _ = flags.GetString("node")
	q.Status, _ = flags.GetInt("status")
	q.MinDuration, _ = flags.GetDuration("min-duration")
	q.Limit, _ = flags.GetInt("limit")
	q.Before, _ = flags.GetUint64("before")
	switch {
	case q.Limit < 0:
		return q, fmt.Errorf("--limit %d: give a number, or 0 for all", q.Limit)
	case q.MinDuration < 0:
		return q, fmt.Errorf("--min-duration %s: give a time such as 30s", q.MinDuration)
	case flags.Changed("before") && q.Before == 0:
		return q, fmt.Errorf("--before 0: there is no record before the first")
	}
	if err := wordsOf(cmd, &q); err != nil {
		return q, err
	}
	for _, name := range []string{"cuit", "pto-vta", "cbte-tipo", "nro", "status"} {
		if f := flags.Lookup(name); f != nil && f.Changed && (f.Value.String() == "0" || f.Value.String()[0] == '-') {
			return q, fmt.Errorf("--%s %s: give a number from 1 on", name, f.Value)
		}
	}
	q.Since, q.Until, err = timesOf(cmd)
	return q, err
}

// timesOf reads --since and --until.
func timesOf(cmd *cobra.Command) (since, until time.Time, err error) {
	if since, err = timeFlag(cmd, "since"); err != nil {
		return since, until, err
	}
	if until, err = timeFlag(cmd, "until"); err != nil || until.IsZero() || until.After(since) {
		return since, until, err
	}
	flag := func(name string) string { return cmd.Flags().Lookup(name).Value.String() }
	return since, until, fmt.Errorf("--until %s is not after --since %s: what is asked for lies before --until, so one day ends with the next",
		flag("until"), flag("since"))
}

// wordsOf reads the flags that take one of a list of words.
func wordsOf(cmd *cobra.Command, q *audit.Query) (err error) {
	if q.Operation, _ = cmd.Flags().GetString("operation"); q.Operation != "" && wsfev1.OperationByName(q.Operation) == nil {
		return fmt.Errorf("--operation %q: no such operation; names are exact, such as FECAESolicitar", q.Operation)
	}
	certainty, kind := "", ""
	for name, flag := range map[string]struct {
		value *string
		words []string
	}{
		"outcome": {&q.Outcome, searchedOutcomes}, "certainty": {&certainty, searchedCertainties},
		"decision": {&q.Decision, searchedDecisions}, "resultado": {&q.Resultado, searchedResultados},
		"kind": {&kind, slices.Sorted(maps.Keys(searchedKinds))},
	} {
		if *flag.value, _ = cmd.Flags().GetString(name); *flag.value != "" && !slices.Contains(flag.words, *flag.value) {
			return fmt.Errorf("--%s %q: use one of %s", name, *flag.value, strings.Join(flag.words, ", "))
		}
	}
	q.Certainty, q.Kind = audit.Certainty(certainty), searchedKinds[kind]
	if q.Kind == 0 && (q.Outcome == outage.Began || q.Outcome == outage.Ended) {
		q.Kind = audit.KindOutage // the only one that has it
	}
	if q.Kind == 0 && slices.Contains(accessesOfContent, q.Outcome) {
		q.Kind = audit.KindAccess
	}
	if q.Outcome != outcome.Open {
		return nil
	}
	if q.Kind != 0 && q.Kind != audit.KindIntent {
		return fmt.Errorf("--outcome open --kind %s: open exchanges are intents, leave --kind out", kind)
	}
	q.Outcome, q.Kind = "", audit.KindIntent
	return nil
}

// nothingMatches is what is said in place of a list.
func nothingMatches(q *audit.Query) string {
	if q.Kind == audit.KindAccess {
		return "no record of access matches"
	}
	if q.Kind == audit.KindOutage {
		return "no record of an outage matches"
	}
	return "no exchange matches"
}

// timeFlag reads a day in Argentina, a moment, or an age.
func timeFlag(cmd *cobra.Command, name string) (time.Time, error) {
	text, _ := cmd.Flags().GetString(name)
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina); err == nil {
		return t, nil
	}
	if age, err := caddy.ParseDuration(text); err == nil && age >= 0 {
		return time.Now().Add(-age), nil
	}
	return time.Time{}, fmt.Errorf("--%s %q: give %s", name, text, timeForms)
}
