package find

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
)

// outcomes are the words of people for the outcome of an exchange, without the ending of gender and number; several for
// a word that may mean several.
var outcomes = map[string][]audit.Outcome{
	"aprobad": {audit.OutcomeApproved}, "observad": {audit.OutcomeObserved}, "parcial": {audit.OutcomePartial},
	"rechazad":   {audit.OutcomeRejected, audit.OutcomeRefused},
	"recuperad":  {audit.OutcomeRecovered},
	"repetid":    {audit.OutcomeReplayed},
	"desconocid": {audit.OutcomeUnknown},
}

// outcomesOf returns what a word means: one of the words of records, or of people.
func outcomesOf(word string) []audit.Outcome {
	word = strings.ToLower(word)
	if slices.Contains(audit.Outcomes, audit.Outcome(word)) {
		return []audit.Outcome{audit.Outcome(word)}
	}
	for _, ending := range []string{"os", "as", "es", "o", "a", ""} {
		if stem, found := strings.CutSuffix(word, ending); found && outcomes[stem] != nil {
			return outcomes[stem]
		}
	}
	return nil
}

func readOutcome(r *Request, word string) bool {
	meant := outcomesOf(word)
	if meant == nil || r.Query.Outcome != "" {
		return false
	}
	r.Query.Outcome = meant[0]
	return true
}
