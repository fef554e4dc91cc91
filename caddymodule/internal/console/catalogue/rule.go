package catalogue

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

var rulePage = site.NewPage(files, "templates/rule.html", words)

// one is the page of a rule.
type one struct {
	site.Frame
	Rule rules.Rule
	// Wrong is the mistake and Cure its remedy, in the reader's language.
	Wrong, Cure string
	// Code is the code in the address, in its plain form.
	Code string
	// Severities say how the service reacts, Decided where the rule is decided.
	Severities []string
	Decided    string
	InForce    string
	Levels     []level
	// Partly says what a part of the rule does by default, Tolerance how far figures may be apart.
	Partly, Tolerance string
	Examples          []example
	Sources           []source
	Counts            []count
	Agreement         string
}

// level is the rule's level at one gateway.
type level struct {
	Gateway              int
	Level, Class, Origin string
}

type example struct{ Operation, Text string }

type source struct{ Basis, Text, Seen string }

type count struct {
	Name  string
	Value uint64
}

func showRule(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	code, err := strconv.ParseInt(r.PathValue("code"), 10, 32)
	if err != nil {
		return site.ErrNotFound
	}
	rule, known := rules.RuleByCode(int32(code))
	if !known {
		return site.ErrNotFound
	}
	p := &one{Frame: s.Frame(r, rulePage, "rules", "rules.title"), Rule: rule, Code: strconv.Itoa(int(rule.Code))}
	p.Wrong, p.Cure = textOf(&p.Frame, &rule), rule.Cure
	if p.Lang == "en" {
		p.Cure = rule.CureEnglish
	}
	p.Title = p.T("rule") + " " + p.Code
	book, err := s.BookOf(&p.Frame, r.URL.Query().Get("gateway"))
	if err != nil {
		return err
	}
	p.InForce = inForce(&p.Frame, &rule, wsfev1.DateOf(s.Moment(book)), book.IsNamed(rule.Code))
	for _, severity := range rule.Severities {
		p.Severities = append(p.Severities, string(severity)+": "+p.T("severity."+string(severity)))
	}
	p.Decided = p.T("decided." + string(rule.DecidedAt))
	if rule.StateToo {
		p.Decided += " " + p.T("decided.too")
	}
	for _, each := range s.Books(&p.Frame) {
		of, origin := each.LevelOf(&rule)
		p.Levels = append(p.Levels, level{each.Number, string(of), classOf(of), p.T("origin." + string(origin))})
	}
	switch {
	case rules.NeedsExtension(rule.Code):
		p.Partly = p.T("partly.contract")
	case rule.Partly != "":
		p.Partly = p.T("partly")
	}
	p.addExamples(book)
	for _, src := range rule.Sources {
		made := source{Basis: p.T("basis." + string(src.Basis)), Text: sourceOf(&p.Frame, src.Text)}
		if src.Exchanges > 0 {
			made.Seen = p.T("exchanges") + ": " + strconv.Itoa(src.Exchanges)
		}
		p.Sources = append(p.Sources, made)
	}
	if counts, ok := p.Frame.Counts(rule.Code); ok {
		p.addCounts(counts)
	}
	return s.Show(w, http.StatusOK, rulePage, p)
}

// addExamples adds the rule's examples with figures, and the tolerance if they have one.
func (p *one) addExamples(book site.Book) {
	for _, said := range rules.Examples(p.Rule.Code) {
		operation, text, _ := strings.Cut(said, ": ")
		p.Examples = append(p.Examples, example{operation, text})
		if p.Tolerance == "" && strings.Contains(text, ", tolerancia ") {
			p.Tolerance = p.tolerance(book)
		}
	}
}

// tolerance says how far figures may be apart.
func (p *one) tolerance(book site.Book) string {
	absolute, relative := wsfev1.MustAmount("0.01"), wsfev1.MustAmount("0.0001")
	if amount := book.Settings.AbsoluteTolerance; amount.Sent() {
		absolute = amount
	}
	if amount := book.Settings.RelativeTolerance; amount.Sent() {
		relative = amount
	}
	return strings.NewReplacer("{absolute}", p.Amount(absolute), "{relative}", p.Amount(relative)).Replace(p.T("tolerance.text"))
}

// addCounts adds what was counted since the process began.
func (p *one) addCounts(c rulebook.Counts) {
	p.Counts = append(p.Counts, count{p.T("count.service"), c.Service})
	if p.Rule.DecidedAt == rules.State {
		return
	}
	p.Counts = append(p.Counts, count{p.T("count.refused"), c.Refused}, count{p.T("count.observed"), c.Observed},
		count{p.T("count.both"), c.Both}, count{p.T("count.gateway"), c.GatewayAlone}, count{p.T("count.alone"), c.ServiceAlone})
	p.Agreement = agreementOf(&p.Frame, c)
}
