package grafana_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// wantNames looks up every metric, label and value that a query or a rule names.
func (p *prometheus) wantNames() {
	t := p.t
	t.Helper()
	exprs := map[string]string{}
	for _, d := range read(t) {
		for _, panel := range d.graphs() {
			for _, target := range panel.Targets {
				exprs[d.UID+"/"+panel.Title+"/"+target.RefID] = target.Expr
			}
		}
		for _, a := range d.Annotations.List {
			exprs[d.UID+"/"+a.Name] = a.Expr
		}
	}
	for _, r := range readRules(t) {
		exprs[r.Alert+r.Record] = r.Expr
	}
	known := map[string]map[string][]string{}
	for where, expr := range exprs {
		q := parse(expr)
		grouped := q.made
		for _, s := range q.selectors {
			if s.metric == "ALERTS" {
				continue // Prometheus's own: nothing fires as soon as it begins
			}
			labels, ok := known[s.metric]
			if !ok {
				labels = p.labelsOf(s.metric)
				known[s.metric] = labels
			}
			if len(labels) == 0 {
				t.Errorf("%s: there is no metric %s", where, s.metric)
			}
			for _, m := range s.matchers {
				wantValues(t, where, s.metric, m, labels[m.label])
			}
			for name := range labels {
				grouped = append(grouped, name)
			}
		}
		for _, label := range q.labels {
			if !slices.Contains(grouped, label) {
				t.Errorf("%s: no metric in it has the label %s", where, label)
			}
		}
	}
}

// wantValues looks for the values of a matcher among those that there are.
func wantValues(t *testing.T, where, metric string, m matcher, values []string) {
	t.Helper()
	if len(values) == 0 {
		t.Errorf("%s: %s has no label %s", where, metric, m.label)
	}
	wanted := []string{m.value}
	if strings.HasSuffix(m.operator, "~") {
		wanted = strings.Split(m.value, "|")
	}
	for _, w := range wanted {
		if strings.HasPrefix(w, "$") {
			continue // a variable
		}
		pattern := regexp.MustCompile("^(?:" + w + ")$")
		if !slices.ContainsFunc(values, pattern.MatchString) {
			t.Errorf("%s: %s has no %s %q, but %v", where, metric, m.label, w, values)
		}
	}
}

// seen are alerts that the traffic calls for: not before their time, but they wait for it.
var seen = []string{
	"FielatoUnknownOutcome", "FielatoIssuingBudgetBurn", "FielatoRuleDisagrees",
	"FielatoServiceDown", "FielatoServiceDegraded", "FielatoAuditWriteFailing", "FielatoRejectionsHigh",
}

// wantRules looks at what has become of the rules.
func (p *prometheus) wantRules() {
	t := p.t
	t.Helper()
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, State, LastError, Type string }
		}
	}
	states := func() map[string]string {
		states := map[string]string{}
		p.ask("rules", url.Values{}, &data)
		for _, g := range data.Groups {
			for _, r := range g.Rules {
				if r.Health == "err" {
					t.Errorf("%s: %s", r.Name, r.LastError)
				}
				states[r.Name] = r.State
			}
		}
		return states
	}
	for _, name := range seen {
		within(t, time.Minute, name, func() bool { return states()[name] != "inactive" })
	}
	for _, r := range readRules(t) {
		if _, ok := states()[r.Alert+r.Record]; !ok {
			t.Errorf("Prometheus has not loaded %s%s", r.Alert, r.Record)
		}
		if r.Record != "" && len(p.query(r.Record)) == 0 {
			t.Errorf("%s records nothing", r.Record)
		}
	}
}
