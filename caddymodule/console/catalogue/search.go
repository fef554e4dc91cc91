package catalogue

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fielato/fielato/validate/rules"
)

// entry is a rule with the text that a search looks through.
type entry struct {
	rule rules.Rule
	text string
}

// entries are the catalogue, which does not change.
var entries = sync.OnceValue(func() []entry {
	catalogue := rules.Catalogue()
	all := make([]entry, len(catalogue))
	for i, rule := range catalogue {
		parts := append(slices.Clone(rule.Operations), rule.Spanish, rule.English)
		for _, source := range rule.Sources {
			parts = append(parts, source.Text, string(source.Basis))
		}
		for _, severity := range rule.Severities {
			parts = append(parts, string(severity))
		}
		all[i] = entry{rule, fold(strings.Join(parts, " "))}
	}
	return all
})

// search returns the rules in which all words stand, in any case and with or without accents. A number finds the
// codes that begin with it, too.
func search(query string) []rules.Rule {
	words := strings.Fields(fold(query))
	var found []rules.Rule
	for _, e := range entries() {
		code := strconv.Itoa(int(e.rule.Code))
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.HasPrefix(code, word) && !strings.Contains(e.text, word) }) {
			found = append(found, e.rule)
		}
	}
	return found
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n")

// fold removes what a reader may write or leave out.
func fold(text string) string { return accents.Replace(strings.ToLower(text)) }
