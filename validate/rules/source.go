package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Basis is what a rule rests on.
type Basis string

const (
	// Manual: a table or a chapter of the service's manual for developers.
	Manual Basis = "manual"
	// Resolution: a general resolution (RG) or another act that is published.
	Resolution Basis = "resolution"
	// Observed: answers that the service was seen to give.
	Observed Basis = "observed"
	// Inferred: a conclusion from one of the others, which the service may contradict.
	Inferred Basis = "inferred"
)

// Source is something that a rule rests on. A rule may have several: the manual has the
// condition, a resolution the amount, a recording shows how the service reads it.
type Source struct {
	Basis Basis
	// Text is where to read of it: a section of the manual, a resolution, or a place in
	// docs/sources.md.
	Text string
	// Exchanges is how many recorded exchanges show it; 0 where nobody counted them.
	Exchanges int
}

// page returns the address of an anchor of docs/sources.md.
func page(anchor string) string { return "docs/sources.md#" + anchor }

// The sources that rules have beside the manual.
var (
	bySeverity    = Source{Basis: Inferred, Text: page("severities")}
	byNumber      = Source{Basis: Inferred, Text: page("receiver-numbers")}
	byClassC      = Source{Basis: Inferred, Text: page("class-c")}
	byPerception  = Source{Basis: Inferred, Text: page("perceptions")}
	byGroup       = Source{Basis: Inferred, Text: page("activities")}
	byMeaning     = Source{Basis: Inferred, Text: page("code-1445")}
	byAge         = Source{Basis: Inferred, Text: page("codes-before-2018")}
	byRate        = Source{Basis: Inferred, Text: page("exchange-rates")}
	byEnvironment = Source{Basis: Inferred, Text: page("environments")}
	byVoucherDay  = Source{Basis: Inferred, Text: page("which-day-counts")}
	byWeakGround  = Source{Basis: Inferred, Text: page("weak-ground")}
	byLotSize     = Source{Basis: Observed, Text: page("lot-size"), Exchanges: 3}

	// Of the sentences of 10015 each was observed by itself.
	seenInClassA  = Source{Basis: Observed, Text: page("observed-codes"), Exchanges: 3}
	seenInClassC  = Source{Basis: Observed, Text: page("class-c"), Exchanges: 1}
	seenThreshold = Source{Basis: Observed, Text: page("threshold"), Exchanges: 1}

	rgThreshold     = resolution("RG 5700/2025", "threshold")
	rgFCEMinimum    = resolution("Res. 1/2026", "fce-minimum")
	rgCondition     = resolution("RG 5616/2024", "iva-condition")
	rgContingency   = resolution("RG 5782/2025", "contingency")
	rgFinancial     = resolution("RG 5866/2026", "versions")
	rgAdjustments   = resolution("RG 4540/2019", "associated-vouchers")
	rgTransfer      = resolution("RG 4919/2021", "fce")
	rgUncategorised = resolution("RG 2126/2006", "uncategorised")
)

func resolution(name, anchor string) Source {
	return Source{Basis: Resolution, Text: name + ", " + page(anchor)}
}

// seen are the codes that the service was seen to answer with, and in how many recorded
// exchanges; 0 where an author reports it and no recording is at hand. 10015 has several
// sentences, each with its own.
var seen = map[int32]int{
	500: 1, 501: 0, 502: 0, 600: 20, 601: 1, 602: 8,
	782: 1, 1200: 1, 15004: 1, 15006: 1, 15008: 1,
	10005: 0, 10016: 6, 10017: 3, 10018: 0, 10024: 0, 10047: 0, 10048: 0, 10051: 0, 10056: 1, 10063: 1, 10071: 0,
	10151: 0, 10154: 0, 10158: 0, 10163: 0, 10192: 0, 10197: 0, 10202: 1, 10217: 7, 10242: 0, 10245: 1, 10246: 0, 11002: 0,
}

// sources returns what a rule rests on under one of its codes, the manual first.
func (r *rule) sources(c code) []Source {
	all := make([]Source, 0, 1+len(r.also))
	if text := manualText(c); text != "" && !r.unlisted {
		all = append(all, Source{Basis: Manual, Text: text})
	}
	all = append(all, r.also...)
	if exchanges, ok := seen[c.number]; ok && !r.unlisted {
		all = append(all, Source{Basis: Observed, Text: page("observed-codes"), Exchanges: exchanges})
	}
	return all
}

// sourceText writes sources in one line.
func sourceText(sources []Source) string {
	texts := make([]string, len(sources))
	for i, s := range sources {
		texts[i] = s.Text
	}
	return strings.Join(texts, "; ")
}

// addSources adds those that are not among them yet.
func addSources(to, more []Source) []Source {
	for _, s := range more {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}

// manualName is the manual that manualTables lists the tables of.
const manualName = "Manual del desarrollador WSFEv1 (RG 4291) v4.7"

// manualText names the table of the manual in which a code stands; no text for one that is in
// no table.
func manualText(c code) string {
	t := manualTableOf(c)
	if t == nil {
		return ""
	}
	operation := ""
	if t.operation != "" {
		operation = t.operation + ", "
	}
	return fmt.Sprintf("%s, %s%s (pág. %s), código %d", manualName, operation, t.name, t.pages, c.number)
}
