package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// minSummary is the least width of a summary.
	minSummary = 24
	// maxOperations is the width of the operations on a terminal. The names of any two
	// operations differ within it.
	maxOperations = 22
)

// printRuleTable writes one row for each rule. With whole it names two operations instead of
// counting them, and no text is cut.
func printRuleTable(w io.Writer, rules []rules.Rule, whole bool) error {
	rows := table.New(
		table.Column{Head: "CODE"}, table.Column{Head: "SEVERITY", Drop: 4}, table.Column{Head: "DECIDED", Drop: 3}, table.Column{Head: "DEFAULT"},
		table.Column{Head: "IN FORCE", Drop: 2}, table.Column{Head: "BASIS", Drop: 1},
		table.Column{Head: "OPERATIONS", Drop: 5, Least: maxOperations, Wrap: true}, table.Column{Head: "SUMMARY", Least: minSummary, Wrap: whole},
	)
	for i := range rules {
		rows.Row(ruleRow(&rules[i], whole, table.Terminal(w) != nil)...)
	}
	return rows.Print(w)
}

func ruleRow(r *rules.Rule, whole, terminal bool) []string {
	severities := make([]string, len(r.Severities))
	for i, s := range r.Severities {
		severities[i] = string(s)
	}
	operations := firstOperation(r.Operations, maxOperations)
	if whole && len(r.Operations) <= 2 {
		operations = strings.Join(r.Operations, ", ")
	} else if whole || !terminal {
		operations = firstOperation(r.Operations, 0)
	}
	summary := r.English
	if whole {
		summary = withCure(summary, r.CureEnglish)
	}
	return []string{
		strconv.Itoa(int(r.Code)), strings.Join(severities, "/"), string(r.DecidedAt), view.OrDash(defaultOf(r)),
		inForce(r.From, r.Until), basisOf(r, whole), operations, summary,
	}
}

// basisOf names what a rule rests on: the first basis and the number of the others, or, if
// whole, all of them.
func basisOf(r *rules.Rule, whole bool) string {
	var bases []string
	for _, s := range r.Sources {
		if !slices.Contains(bases, string(s.Basis)) {
			bases = append(bases, string(s.Basis))
		}
	}
	switch {
	case len(bases) == 0:
		return ""
	case whole || len(bases) == 1:
		return strings.Join(bases, ", ")
	}
	return fmt.Sprintf("%s +%d", bases[0], len(bases)-1)
}

// firstOperation names the first operation and counts the others, in so many characters; 0 is for no limit.
func firstOperation(operations []string, characters int) string {
	more := ""
	if n := len(operations) - 1; n > 0 {
		more = fmt.Sprintf(" +%d", n)
	}
	first := operations[0]
	if characters > 0 {
		first = table.Cut(first, characters-len(more))
	}
	return first + more
}

// defaultOf returns the default level of a rule, with a star if a part of it observes.
func defaultOf(r *rules.Rule) string {
	if r.Partly != "" {
		return defaultLevel(r) + "*"
	}
	return defaultLevel(r)
}

// defaultLevel returns the default level of a rule, empty if the gateway does not judge it.
func defaultLevel(r *rules.Rule) string {
	if r.DecidedAt == rules.State {
		return ""
	}
	return string(r.Default)
}

// inForce formats the first and the last processing day; an open end is left out.
func inForce(from, until wsfev1.Date) string {
	if from == "" && until == "" {
		return ""
	}
	return string(from) + "-" + string(until)
}

// printedRule is a rule as JSON. All members are always present.
type printedRule struct {
	Code       int32               `json:"code"`
	Operations []string            `json:"operations"`
	Severities []validate.Severity `json:"severities"`
	From       wsfev1.Date         `json:"from"`
	Until      wsfev1.Date         `json:"until"`
	DecidedAt  rules.Decided       `json:"decided_at"`
	Default    string              `json:"default"`
	Partly     validate.Level      `json:"partly"`
	ES         string              `json:"es"`
	EN         string              `json:"en"`
	Source     string              `json:"source"`
	Sources    []printedSource     `json:"sources"`
}

// withCure returns the text about a mistake, followed by its cure if one is known.
func withCure(text, cure string) string {
	if cure == "" {
		return text
	}
	return text + " " + cure
}

// printedSource is a source of a rule as JSON. exchanges is 0 where they were not counted.
type printedSource struct {
	Basis     rules.Basis `json:"basis"`
	Text      string      `json:"text"`
	Exchanges int         `json:"exchanges"`
}

// printedSources returns the sources of a rule, and their texts in one line.
func printedSources(sources []rules.Source) (printed []printedSource, line string) {
	texts := make([]string, len(sources))
	for i, s := range sources {
		printed, texts[i] = append(printed, printedSource(s)), s.Text
	}
	return printed, strings.Join(texts, "; ")
}

// printRuleLines writes one JSON object a line.
func printRuleLines(w io.Writer, rules []rules.Rule) error {
	var b bytes.Buffer
	for i := range rules {
		r := &rules[i]
		sources, source := printedSources(r.Sources)
		line, err := json.Marshal(printedRule{
			Code: r.Code, Operations: r.Operations, Severities: r.Severities, From: r.From, Until: r.Until,
			DecidedAt: r.DecidedAt, Default: defaultLevel(r), Partly: r.Partly, ES: withCure(r.Spanish, r.Cure), EN: withCure(r.English, r.CureEnglish), Source: source, Sources: sources,
		})
		if err != nil {
			return fmt.Errorf("rule %d: %w", r.Code, err)
		}
		b.Write(append(line, '\n'))
	}
	_, err := w.Write(b.Bytes())
	return err
}
