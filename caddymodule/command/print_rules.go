package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// tableWidth is the width of a table of rules, in characters.
	tableWidth = 120
	// minSummary is the least width of a summary.
	minSummary = 24
	// maxOperations is the width of the operations, in characters. The names of any two
	// operations differ within it.
	maxOperations = 22
	// columnGap is the number of blanks between two columns.
	columnGap = 2
)

var ruleTableHead = []string{"CODE", "SEVERITY", "DECIDED", "DEFAULT", "IN FORCE", "BASIS", "OPERATIONS", "SUMMARY"}

// printRuleTable writes one row for each rule. With whole it names two operations instead of
// counting them. On a terminal it cuts texts, unless whole.
func printRuleTable(w io.Writer, rules []rules.Rule, whole, terminal bool) error {
	rows := [][]string{ruleTableHead}
	for i := range rules {
		rows = append(rows, ruleRow(&rules[i], whole, terminal))
	}
	widths := make([]int, len(ruleTableHead)-1) // the summary comes last and is not padded
	left := tableWidth
	for column := range widths {
		for _, row := range rows {
			widths[column] = max(widths[column], utf8.RuneCountInString(row[column]))
		}
		left -= widths[column] + columnGap
	}
	var b bytes.Buffer
	for _, row := range rows {
		for column, width := range widths {
			fmt.Fprintf(&b, "%-*s", width+columnGap, row[column])
		}
		summary := row[len(widths)]
		if terminal && !whole {
			summary = cutText(summary, max(left, minSummary))
		}
		b.WriteString(summary + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
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
		operations = firstOperation(r.Operations, tableWidth)
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

// firstOperation names the first operation and counts the others, in so many characters.
func firstOperation(operations []string, characters int) string {
	more := ""
	if n := len(operations) - 1; n > 0 {
		more = fmt.Sprintf(" +%d", n)
	}
	return cutText(operations[0], characters-len(more)) + more
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

// cutText shortens a text to so many characters.
func cutText(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:characters-1]), " ") + "…"
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
