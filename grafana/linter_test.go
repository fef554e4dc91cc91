package grafana_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/grafana"
)

// The rules come from Grafana's dashboard-linter, which is not available as a module.

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
			if v.Type != "query" || !isTemplated(v.Datasource) || v.Refresh != 2 || !v.Multi ||
				!strings.HasPrefix(v.Definition, "label_values(wsfev1_build_info") {
				t.Errorf("%s: variable %s: %+v", d.UID, name, v)
			}
			// All jobs means all gateway jobs, as the query lists them: metrics such as up exist for every job.
			if all := map[string]string{"job": "", "instance": ".+"}[name]; v.AllValue != all {
				t.Errorf("%s: All of the variable %s is %q, want %q", d.UID, name, v.AllValue, all)
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
					checkSelector(t, d.UID+"/"+p.Title, s, target.Instant)
				}
			}
		}
		for _, a := range d.Annotations.List {
			for _, s := range parse(a.Expr).selectors {
				if s.metric != "ALERTS" {
					checkSelector(t, d.UID+"/"+a.Name, s, false)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d selectors were looked at", checked)
	}
}

// alertWindows holds the windows of the panels that show an alert's expression.
var alertWindows = map[string]string{
	"fielato-overview/Trail writes":  "5m",
	"fielato-evidence/Free in a day": "6h",
}

func checkSelector(t *testing.T, where string, s selector, instant bool) {
	t.Helper()
	for _, variable := range []string{"job", "instance"} {
		if !slices.Contains(s.matchers, matcher{variable, "=~", "$" + variable}) {
			t.Errorf("%s: %s does not go by the variable %s", where, s.metric, variable)
		}
	}
	// $__range at each step of a range would reach back beyond it, and be another at each zoom.
	window := "$__rate_interval"
	if instant {
		window = "$__range"
	}
	window = cmp.Or(alertWindows[where], window)
	if s.window != "" && s.window != window {
		t.Errorf("%s: %s has the window %s, want %s", where, s.metric, s.window, window)
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

// TestPanelsOfOneNumberSpeakOfNow, or of the time range as a whole: a range query would leave
// the last value of a gateway that is gone on the screen, in its colour.
func TestPanelsOfOneNumberSpeakOfNow(t *testing.T) {
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			where := d.UID + "/" + p.Title
			instant := slices.Contains([]string{"stat", "bargauge", "table"}, p.Type)
			for _, target := range p.Targets {
				if target.Instant != instant || target.Range == instant {
					t.Errorf("%s: a %s that asks with instant %v, range %v", where, p.Type, target.Instant, target.Range)
				}
			}
			if p.Type != "stat" {
				continue
			}
			if p.Options.GraphMode != "none" {
				t.Errorf("%s draws a graph of one point", where)
			}
			last := p.FieldConfig.Defaults.Mappings[len(p.FieldConfig.Defaults.Mappings)-1]
			if last.Type != "special" || last.Options.Match != "null+nan" || last.Options.Result.Text != "no data" || last.Options.Result.Color != "#808080" {
				t.Errorf("%s: without data it shows %+v", where, last)
			}
		}
	}
}

// TestFirstRowSaysWhetherGatewaysAreThere, and all else that is asked first, in one row.
func TestFirstRowSaysWhetherGatewaysAreThere(t *testing.T) {
	for _, d := range read(t) {
		if d.UID != "fielato-overview" {
			continue
		}
		var row []string
		for _, p := range d.graphs() {
			if p.GridPos.Y == 1 {
				row = append(row, p.Title)
			}
		}
		want := []string{"Gateways up", "Approval rate", "Time to a CAE, p95", "Unknown outcomes", "Trail", "Trail writes", "Service", "Error budget left"}
		if !slices.Equal(row, want) {
			t.Errorf("the first row is %q, want %q", row, want)
		}
	}
}

// TestLegendsDoNotMislead: the mean over ratios or quantiles of steps is not the value for the whole.
// A series that is only there above 0 has neither a mean nor a last value.
func TestLegendsDoNotMislead(t *testing.T) {
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			calcs := p.Options.Legend.Calcs
			for _, target := range p.Targets {
				if slices.Contains(calcs, "mean") || strings.HasSuffix(target.Expr, "> 0") && slices.Contains(calcs, "lastNotNull") {
					t.Errorf("%s/%s: the legend has %v of %s", d.UID, p.Title, calcs, target.Expr)
				}
				of := regexp.MustCompile(`wsfev1_(exchange|upstream)_duration_seconds_bucket`)
				if latency := p.Type == "timeseries" && of.MatchString(target.Expr); target.Exemplar != latency {
					t.Errorf("%s/%s: exemplars are asked for: %v", d.UID, p.Title, target.Exemplar)
				}
			}
		}
	}
}

// TestDashboardsAreThose that docs/operating.md lists.
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
