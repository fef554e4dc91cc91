package exchange

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// maxFindings is how many findings a page has, and maxSaid how many messages: a lot may have thousands.
const (
	maxFindings = 200
	maxSaid     = 100
)

// Said is a message of an answer. Rule is the address of the page of its code, empty for none.
type Said struct{ Code, Rule, Text string }

// findingsOf returns the findings of an exchange. The outcome repeats the findings of its intent, and may
// add some.
func findingsOf(c *story.Exchange) (*audit.Record, []audit.Finding) {
	r := c.Result()
	if len(r.Findings) == 0 && len(c.Request().Findings) > 0 {
		r = c.Request()
	}
	return r, r.Findings
}

// addFindings adds the gateway's findings, and the service's messages.
func (p *exchangePage) addFindings(c *story.Exchange) {
	r, all := findingsOf(c)
	for i := range all {
		if i == maxFindings {
			p.MoreFindings = len(all) - i
			break
		}
		p.Findings = append(p.Findings, p.finding(r, p.mask.Finding(all[i])))
		p.Findings[i].Number = i + 1
	}
	p.addSaid(c.Result())
}

// finding words a finding.
func (p *exchangePage) finding(r *audit.Record, f audit.Finding) *tree.Finding {
	shown := &tree.Finding{
		Words:   p.T,
		Pointer: f.Pointer, Place: story.Clean(f.Pointer), Path: p.voice.Quoted(printable.PathOf(r, &f)), Code: p.voice.Quoted(f.Code), Rule: p.rule(f.Code),
		Action: cmp.Or(p.T("action."+f.Action), p.voice.Quoted(f.Action)), Severity: p.T("severity." + f.Severity), Class: "open",
		Expected: p.figure(f.Expected, f.Difference), Got: p.figure(f.Got, f.Difference),
		Difference: p.figure(f.Difference, f.Difference), Tolerance: p.figure(f.Tolerance, f.Difference),
	}
	if f.Action == "refuse" {
		shown.Class = "bad"
	}
	shown.Text = story.Clean(strings.TrimPrefix(p.voice.FindingText(r, &f), f.Code+": "))
	switch {
	case r.Presence != audit.Present:
		shown.Text = p.T(r.Presence.String())
	case slices.ContainsFunc([]string{f.Text, f.Expected, f.Got}, func(text string) bool { return strings.HasPrefix(text, "hmac-sha256:") }):
		shown.Note = p.T("tree.redacted")
	}
	return shown
}

// figure formats a value of a finding. The values are figures if the finding has a difference.
func (p *exchangePage) figure(text, difference string) string {
	if a, err := wsfev1.ParseAmount(text); difference != "" && err == nil {
		return story.Clean(p.Amount(a))
	}
	return story.Clean(text)
}

// rule returns the address of a rule's page, empty for a code that is none of the service's.
func (p *exchangePage) rule(code string) string {
	code = p.mask.Text(code)
	if n, err := strconv.ParseUint(code, 10, 32); err != nil || n == 0 || code[0] == '0' {
		return ""
	}
	return p.Base + "/rules/" + code
}

// addSaid adds the messages of the answer, unless they repeat the findings.
func (p *exchangePage) addSaid(r *audit.Record) {
	all, by := p.voice.Said(r)
	p.SaidBy = by
	if p.MoreSaid = max(0, len(all)-maxSaid); p.MoreSaid > 0 {
		all = all[:maxSaid]
	}
	for _, one := range all {
		p.Said = append(p.Said, Said{p.voice.Quoted(one.Code), p.rule(one.Code), p.voice.Quoted(one.Msg)})
	}
}
