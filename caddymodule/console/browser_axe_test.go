package console_test

import (
	_ "embed"
	"fmt"
)

// axe is axe-core, which finds what people who use a screen reader or a keyboard stumble over.
//
//go:embed testdata/axe-core/axe-4.14.1.min.js
var axe string

// lapse is a rule of axe that a page breaks.
type lapse struct {
	ID, Impact, Help string
	Where            []string
}

// contrast is the one rule that the colours of a page can break.
const contrast = `{runOnly: ["color-contrast"]}`

// accessible fails the test if axe-core, with these options, finds something serious.
func (p *tab) accessible(name, options string) {
	p.t.Helper()
	if !ask[bool](p, "Boolean(window.axe)") {
		ask[any](p, axe+";0")
	}
	found := ask[[]lapse](p, fmt.Sprintf(`axe.run(document, Object.assign({resultTypes: ["violations"]}, %s)).then(r => r.violations.map(v => ({
		id: v.id, impact: v.impact, help: v.help, where: v.nodes.map(n => n.target.join(" ") + " " + (n.any[0] || {message: ""}).message),
	})))`, options))
	for _, l := range found {
		if l.Impact == "serious" || l.Impact == "critical" {
			p.t.Errorf("%s: axe: %s (%s): %s: %.900v", name, l.ID, l.Impact, l.Help, l.Where)
		} else {
			p.t.Logf("%s: axe: %s (%s): %s: %.300v", name, l.ID, l.Impact, l.Help, l.Where)
		}
	}
}
