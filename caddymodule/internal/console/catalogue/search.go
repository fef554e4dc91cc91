package catalogue

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fielato/fielato/validate/rules"
)

// entry is a rule with the text that a search looks through, and the names of its operations.
type entry struct {
	rule       rules.Rule
	text       string
	operations []string
}

// entries are the catalogue, which does not change.
var entries = sync.OnceValue(func() []entry {
	catalogue := rules.Catalogue()
	all := make([]entry, len(catalogue))
	for i, rule := range catalogue {
		parts := []string{rule.Spanish, rule.English}
		for _, source := range rule.Sources {
			parts = append(parts, source.Text, string(source.Basis))
		}
		for _, severity := range rule.Severities {
			parts = append(parts, string(severity))
		}
		all[i] = entry{rule, fold(strings.Join(parts, " ")), strings.Fields(fold(strings.Join(rule.Operations, " ")))}
	}
	return all
})

// has reports whether a word stands in the text, or begins the code or the name of an operation: a rule that all
// operations share would else be found by each part of their names.
func (e *entry) has(word string) bool {
	begins := func(name string) bool { return strings.HasPrefix(name, word) }
	return begins(strconv.Itoa(int(e.rule.Code))) || strings.Contains(e.text, word) || slices.ContainsFunc(e.operations, begins)
}

// search returns the rules that have all words, in any case and with or without accents.
func search(query string) []rules.Rule {
	words := strings.Fields(fold(query))
	var found []rules.Rule
	for _, e := range entries() {
		if !slices.ContainsFunc(words, func(word string) bool { return !e.has(word) }) {
			found = append(found, e.rule)
		}
	}
	return found
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n")

// fold removes what a reader may write or leave out.
func fold(text string) string { return accents.Replace(strings.ToLower(text)) }
