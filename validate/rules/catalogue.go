package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fielato/fielato/validate"
)

// catalogue holds the rules of all tables.
var catalogue = slices.Concat(
	serviceRules, requestRules, advanceRules, sinMovimientoRules, lotRules, issuerRules, numberRules,
	receiverRules, receiverOfCRules, reportedReceiverRules, uncategorisedRules, fundRules, registerRules, dateRules, serviceDateRules, currencyRules, rateRules, conditionRules,
	amountRules, ivaRules, tributoRules, asocTypeRules, asocRules, asocDateRules, periodoRules,
	opcionalRules, usadosRules, firmanteRules, marcaRules, alquilerRules, polizaRules,
	compradorRules, shareRules, actividadRules, fceRules, fceAsocRules, fceOpcionalRules, caeaRules, registerHalfRules,
)

var (
	entries     = makeEntries()
	entryByCode = func() map[int32]*Rule {
		m := make(map[int32]*Rule, len(entries))
		for i := range entries {
			m[entries[i].Code] = &entries[i]
		}
		return m
	}()
)

// Catalogue lists every code of the service, ascending.
func Catalogue() []Rule {
	all := slices.Clone(entries)
	for i := range all {
		all[i].Operations = slices.Clone(all[i].Operations)
		all[i].Severities = slices.Clone(all[i].Severities)
		all[i].Sources = slices.Clone(all[i].Sources)
	}
	return all
}

// RuleByCode returns the entry of a code.
func RuleByCode(code int32) (Rule, bool) {
	entry, ok := entryByCode[code]
	if !ok {
		return Rule{}, false
	}
	return *entry, true
}

// NeedsExtension reports whether all sentences of a code ask for a member that the base contract lacks.
// Under that contract they observe, unless a setting names the code.
func NeedsExtension(code int32) bool {
	of := rulesByCode[code]
	return len(of) > 0 && !slices.ContainsFunc(of, func(r *rule) bool { return !r.extension })
}

// makeEntries turns rules into entries: a rule has a code for each of its
// operations, and a code that means two things has a rule for each. Of rules with one code the
// firmest comes first.
func makeEntries() []Rule {
	byCode := map[int32]*Rule{}
	for i := range catalogue {
		r := &catalogue[i]
		for _, c := range r.codes {
			entry := byCode[c.number]
			if entry == nil {
				entry = &Rule{
					Code: c.number, From: r.from, Until: r.until, DecidedAt: r.decidedAt(), Default: r.defaultLevel(c.severity),
					Spanish: r.es, English: r.en, Cure: cures[c.number].es, CureEnglish: cures[c.number].en,
				}
				byCode[c.number] = entry
			}
			entry.add(r, c)
		}
	}
	all := make([]Rule, 0, len(byCode))
	for _, entry := range byCode {
		all = append(all, *entry)
	}
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// add puts another rule, or another operation of a rule, into an entry.
func (e *Rule) add(r *rule, c code) {
	if !slices.Contains(e.Operations, c.operation) {
		e.Operations = append(e.Operations, c.operation)
	}
	if !slices.Contains(e.Severities, c.severity) {
		e.Severities = append(e.Severities, c.severity)
	}
	e.Sources = addSources(e.Sources, r.sources(c))
	if !strings.Contains(e.Spanish, r.es) {
		e.Spanish, e.English = e.Spanish+" "+r.es, e.English+" "+r.en
	}
	level := r.defaultLevel(c.severity)
	e.EarlierObserve = e.EarlierObserve || r.earlier
	e.StateToo = e.StateToo || r.decidedAt() != e.DecidedAt
	switch {
	case r.decidedAt() == State:
	case e.DecidedAt == State:
		// Readers of the catalogue meet the part that is decided here, so the entry describes it.
		e.DecidedAt, e.From, e.Until, e.Default = Edge, r.from, r.until, level
	case level != e.Default:
		e.Partly = level
	case r.extension:
		e.Partly = validate.Observe
	}
}

// defaultLevel is the rule's own level, or else follows from the severity: the service only remarks
// upon an OBS.
func (r *rule) defaultLevel(severity validate.Severity) validate.Level {
	switch {
	case r.level != "":
		return r.level
	case severity == validate.OBS:
		return validate.Observe
	}
	return validate.Enforce
}
