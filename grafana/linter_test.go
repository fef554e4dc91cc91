package grafana_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/grafana"
)

// The rules are those of Grafana's dashboard-linter, which cannot be had as a module.

func TestDashboardsAreTemplated(t *testing.T) {
	for _, d := range read(t) {
		if d.Title == "" || d.Description == "" || d.Editable {
			t.Errorf("%s: title %q, description %q, editable %v", d.UID, d.Title, d.Description, d.Editable)
		}
		if len(d.Templating.List) != 3 {
			t.Fatalf("%s: %d variables", d.UID, len(d.Templating.List))
		}
		for i, name := range []string{"datasource", "job", "instance"} {
			v := d.Templating.List[i]
			if v.Name != name {
				t.Errorf("%s: variable %d is %s, want %s", d.UID, i, v.Name, name)
			}
			if name == "datasource" {
				if v.Type != "datasource" || v.Query != "prometheus" {
					t.Errorf("%s: the data source is %s %v", d.UID, v.Type, v.Query)
				}
				continue
			}
			if v.Type != "query" || !isTemplated(v.Datasource) || v.Refresh != 2 || !v.Multi || v.AllValue != ".+" ||
				!strings.HasPrefix(v.Definition, "label_values(wsfev1_build_info") {
				t.Errorf("%s: variable %s: %+v", d.UID, name, v)
			}
		}
		for _, a := range d.Annotations.List {
			if !isTemplated(a.Datasource) || a.Name == "" {
				t.Errorf("%s: annotation %+v", d.UID, a)
			}
		}
	}
}

// units are Grafana's identifiers that are in use; cps is counts, reqps requests per second.
var units = []string{"short", "s", "percentunit", "reqps", "cps", "bytes", "Bps"}

func TestPanelsSayWhatTheyShow(t *testing.T) {
	legends := regexp.MustCompile(`\{\{(\w+)\}\}`)
	for _, d := range read(t) {
		titles := map[string]bool{}
		ids := map[int]bool{}
		for _, p := range d.Panels {
			if ids[p.ID] || p.ID == 0 {
				t.Errorf("%s: identifier %d of %q", d.UID, p.ID, p.Title)
			}
			ids[p.ID] = true
		}
		for _, p := range d.graphs() {
			where := d.UID + "/" + p.Title
			if p.Title == "" || len(p.Description) < 20 || !strings.HasSuffix(p.Description, ".") || titles[p.Title] {
				t.Errorf("%s: title and description %q", where, p.Description)
			}
			titles[p.Title] = true
			if !slices.Contains(units, p.FieldConfig.Defaults.Unit) {
				t.Errorf("%s: unit %q", where, p.FieldConfig.Defaults.Unit)
			}
			if !isTemplated(p.Datasource) || len(p.Targets) == 0 {
				t.Errorf("%s: data source %v, %d queries", where, p.Datasource, len(p.Targets))
			}
			for _, target := range p.Targets {
				if !isTemplated(target.Datasource) || target.RefID == "" || target.LegendFormat == "" && p.Type != "table" {
					t.Errorf("%s: query %+v", where, target)
				}
				for _, label := range legends.FindAllStringSubmatch(target.LegendFormat, -1) {
					q := parse(target.Expr)
					if label[1] != "instance" && !slices.Contains(q.labels, label[1]) {
						t.Errorf("%s: the legend %q names a label that the query does not keep", where, target.LegendFormat)
					}
				}
			}
		}
	}
}

func TestPanelsDoNotOverlap(t *testing.T) {
	for _, d := range read(t) {
		for i, a := range d.Panels {
			if g := a.GridPos; g.X < 0 || g.W < 1 || g.H < 1 || g.X+g.W > 24 {
				t.Errorf("%s/%s lies at %+v", d.UID, a.Title, g)
			}
			for _, b := range d.Panels[:i] {
				g, h := a.GridPos, b.GridPos
				if g.X < h.X+h.W && h.X < g.X+g.W && g.Y < h.Y+h.H && h.Y < g.Y+g.H {
					t.Errorf("%s: %q lies over %q", d.UID, a.Title, b.Title)
				}
			}
		}
	}
}

func TestQueriesKeepTheRules(t *testing.T) {
	checked := 0
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			for _, target := range p.Targets {
				for _, s := range parse(target.Expr).selectors {
					checked++
					checkSelector(t, d.UID+"/"+p.Title, s)
				}
			}
		}
		for _, a := range d.Annotations.List {
			for _, s := range parse(a.Expr).selectors {
				if s.metric != "ALERTS" {
					checkSelector(t, d.UID+"/"+a.Name, s)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d selectors were looked at", checked)
	}
}

func checkSelector(t *testing.T, where string, s selector) {
	t.Helper()
	for _, variable := range []string{"job", "instance"} {
		if !slices.Contains(s.matchers, matcher{variable, "=~", "$" + variable}) {
			t.Errorf("%s: %s does not go by the variable %s", where, s.metric, variable)
		}
	}
	if s.window != "" && s.window != "$__rate_interval" {
		t.Errorf("%s: %s has the window %s, want $__rate_interval", where, s.metric, s.window)
	}
	inner := ""
	if len(s.within) > 0 {
		inner = s.within[len(s.within)-1]
	}
	counted := slices.Contains([]string{"rate", "irate", "increase"}, inner)
	if isCounter(s.metric) != counted || (s.window != "") != (counted || inner == "changes" || inner == "predict_linear") {
		t.Errorf("%s: %s, window %q, stands under %q", where, s.metric, s.window, inner)
	}
}

// TestDashboardsAreThose that the README tells of.
func TestDashboardsAreThose(t *testing.T) {
	var titles []string
	for _, d := range grafana.Dashboards() {
		titles = append(titles, d.Title)
	}
	want := []string{"Fielato / Overview", "Fielato / Service", "Fielato / Validation", "Fielato / Evidence", "Fielato / Resources"}
	if !slices.Equal(titles, want) {
		t.Errorf("dashboards %v, want %v", titles, want)
	}
}
