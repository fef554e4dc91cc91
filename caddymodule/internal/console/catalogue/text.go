package catalogue

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// textOf returns the mistake that a rule finds, in the reader's language.
func textOf(f *site.Frame, rule *rules.Rule) string {
	if f.Lang == "en" {
		return rule.English
	}
	return rule.Spanish
}

// classOf colours a level.
func classOf(level validate.Level) string {
	switch level {
	case validate.Enforce:
		return "bad"
	case validate.Observe:
		return "open"
	}
	return ""
}

// inForce says when the service applies a rule, as of a day. named: the rule is judged before its first day too,
// and of vouchers dated before.
func inForce(f *site.Frame, rule *rules.Rule, today wsfev1.Date, named bool) string {
	text := daysOf(f, rule, today, named)
	if rule.EarlierObserve && !named {
		text += "; " + f.T("force.earlier")
	}
	return text
}

func daysOf(f *site.Frame, rule *rules.Rule, today wsfev1.Date, named bool) string {
	switch {
	case rule.Until != "" && today > rule.Until:
		return fmt.Sprintf(f.T("force.past"), day(f, rule.Until))
	case rule.From != "" && today < rule.From && named:
		return fmt.Sprintf(f.T("force.named"), day(f, rule.From))
	case rule.From != "" && today < rule.From:
		return fmt.Sprintf(f.T("force.future"), day(f, rule.From))
	case rule.From != "" && rule.Until != "":
		return fmt.Sprintf(f.T("force.between"), day(f, rule.From), day(f, rule.Until))
	case rule.From != "":
		return fmt.Sprintf(f.T("force.from"), day(f, rule.From))
	case rule.Until != "":
		return fmt.Sprintf(f.T("force.until"), day(f, rule.Until))
	}
	return f.T("force.always")
}

// day formats a day in the reader's language.
func day(f *site.Frame, d wsfev1.Date) string {
	at, ok := d.Time()
	switch {
	case !ok:
		return string(d)
	case f.Lang == "en":
		return at.Format("2006-01-02")
	}
	return at.Format("02/01/2006")
}

// agreementOf says how often the service found the same, empty if both have judged nothing.
func agreementOf(f *site.Frame, c rulebook.Counts) string {
	all := c.Both + c.GatewayAlone + c.ServiceAlone
	if all == 0 {
		return ""
	}
	return fmt.Sprintf(f.T("agreement"), c.Both, all)
}

// sourcesPage finds a place in the documentation, as the catalogue names it.
var sourcesPage = regexp.MustCompile(`docs/sources\.md#([a-z0-9-]+)`)

// sourceOf returns where to read of a rule. A path in the repository helps nobody who has only the page: it
// becomes the name of the section.
func sourceOf(f *site.Frame, text string) string {
	return sourcesPage.ReplaceAllStringFunc(text, func(path string) string {
		_, anchor, _ := strings.Cut(path, "#")
		return fmt.Sprintf(f.T("source.page"), strings.ReplaceAll(anchor, "-", " "))
	})
}
