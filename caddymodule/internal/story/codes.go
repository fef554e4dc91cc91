package story

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// maxReason is how much of a reason an event quotes, in characters.
const maxReason = 200

// reasonOf returns the text of the first code for which the gateway has refused, or the service.
func reasonOf(r *audit.Record) string {
	var texts []string
	if r.Presence != audit.Present {
		return ""
	}
	if r.Decision == audit.DecisionRefuse {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Action == "refuse" {
				texts = append(texts, cmp.Or(RuleInWords(f.Code), Printed.FindingText(r, f)))
			}
		}
	} else {
		for _, message := range audit.Messages(r.Answer) {
			texts = append(texts, message.Msg)
		}
	}
	if len(texts) != 1 {
		return "" // texts of one code may differ
	}
	text := []rune(strings.TrimSuffix(printable.OneLine(texts[0]), "."))
	if len(text) > maxReason {
		return string(text[:maxReason]) + "…"
	}
	return string(text)
}

// codesOf returns the codes for which the gateway has refused, or else the codes in the service's answer. A
// finding that the gateway has only observed is no reason.
func codesOf(r *audit.Record) (codes []string) {
	add := func(code string) {
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	if r.Decision == audit.DecisionRefuse {
		for i := range r.Findings {
			if r.Findings[i].Action == "refuse" {
				add(r.Findings[i].Code)
			}
			if len(codes) > maxCodes {
				break
			}
		}
		return codes
	}
	for _, message := range audit.Messages(r.Answer) {
		if add(message.Code); len(codes) > maxCodes {
			break // an answer about a lot may have thousands
		}
	}
	return codes
}
