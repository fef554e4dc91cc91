package grafana_test

import (
	"regexp"
	"slices"
	"strings"
)

// selector is a metric as a query names it.
type selector struct {
	metric   string
	matchers []matcher
	// window is what stands in brackets after it, no text if nothing does.
	window string
	// within are the functions and aggregations around it, the innermost last.
	within []string
}

// matcher is one of label="value", with its operator.
type matcher struct{ label, operator, value string }

// query is what a query names. It is no grammar of PromQL: promtool has that.
type query struct {
	selectors []selector
	// labels are those that it groups or matches by, made those that count_values makes.
	labels, made []string
}

var (
	tokens = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9.]+[a-z]*|\$[a-z_]+|[!=]~|!=|[<>=]=|\S`)
	// before stand before a list of labels.
	before = []string{"by", "without", "on", "ignoring", "group_left", "group_right"}
	words  = []string{"and", "or", "unless", "bool", "offset", "inf", "nan"}
)

// parse finds what an expression names.
func parse(expr string) query {
	var q query
	var open []string // the words before the parentheses that are open
	all := tokens.FindAllString(expr, -1)
	at := func(i int) string {
		if i < len(all) {
			return all[i]
		}
		return ""
	}
	for i := 0; i < len(all); i++ {
		word := all[i]
		switch {
		case word == "(":
			open = append(open, "")
		case word == ")":
			open = open[:len(open)-1]
		case !isName(word) || slices.Contains(words, word):
		case slices.Contains(before, word) && at(i+1) == "(":
			for i += 2; at(i) != ")"; i++ {
				if at(i) != "," {
					q.labels = append(q.labels, at(i))
				}
			}
		case at(i+1) == "(":
			open = append(open, word)
			if word == "count_values" {
				q.made = append(q.made, strings.Trim(at(i+2), `"`))
			}
			i++
		case at(i+1) == "by" || at(i+1) == "without":
			// The list of labels stands before the aggregated expression.
			end := i + 2
			for at(end) != ")" {
				end++
			}
			q.labels = append(q.labels, slices.DeleteFunc(slices.Clone(all[i+3:end]), func(s string) bool { return s == "," })...)
			open = append(open, word)
			i = end + 1
		default:
			s := selector{metric: word, within: slices.DeleteFunc(slices.Clone(open), func(s string) bool { return s == "" })}
			if at(i+1) == "{" {
				for i += 2; at(i) != "}"; i++ {
					if at(i) == "," {
						continue
					}
					s.matchers = append(s.matchers, matcher{at(i), at(i + 1), strings.Trim(at(i+2), `"`)})
					i += 2
				}
			}
			if strings.HasPrefix(at(i+1), "[") {
				s.window = strings.Trim(at(i+1), "[]")
				i++
			}
			q.selectors = append(q.selectors, s)
		}
	}
	return q
}

func isName(word string) bool {
	return word[0] == '_' || word[0] == ':' || word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z'
}

// isCounter goes by the name, as Prometheus's own conventions do.
func isCounter(metric string) bool {
	return !strings.Contains(metric, ":") && slices.ContainsFunc([]string{"_total", "_bucket", "_sum", "_count"},
		func(suffix string) bool { return strings.HasSuffix(metric, suffix) })
}
