package grafana_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// rule is an alert or a recording rule.
type rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

// unmarshal reads a YAML file, in which there must be nothing that into does not have.
func unmarshal(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func readRules(t *testing.T) []rule {
	t.Helper()
	files, err := filepath.Glob("prometheus/rules/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, file := range files {
		var content struct {
			Groups []struct {
				Name  string
				Rules []rule
			}
		}
		unmarshal(t, file, &content)
		for _, g := range content.Groups {
			all = append(all, g.Rules...)
		}
	}
	if len(all) < 40 {
		t.Fatalf("only %d rules", len(all))
	}
	return all
}

// tested is a file of unit tests for promtool.
type tested struct {
	RuleFiles          []string `yaml:"rule_files"`
	EvaluationInterval string   `yaml:"evaluation_interval"`
	Tests              []struct {
		Name, Interval string
		InputSeries    []struct{ Series, Values string } `yaml:"input_series"`
		AlertRuleTest  []struct {
			Alertname string
			At        string `yaml:"eval_time"`
			ExpAlerts []any  `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
		PromqlExprTest []struct {
			Expr       string
			At         string `yaml:"eval_time"`
			ExpSamples []any  `yaml:"exp_samples"`
		} `yaml:"promql_expr_test"`
	}
}

func readTests(t *testing.T) []tested {
	t.Helper()
	files, err := filepath.Glob("prometheus/tests/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := make([]tested, len(files))
	for i, file := range files {
		unmarshal(t, file, &all[i])
	}
	return all
}

// anchors are the sections of the runbook, as links to them name them.
func anchors(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		kept := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}

func TestAlertsSayWhatToDo(t *testing.T) {
	sections := anchors(t)
	panels := map[string][]string{}
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			panels[d.UID] = append(panels[d.UID], p.Title)
		}
	}
	names := map[string]bool{}
	for _, r := range readRules(t) {
		if r.Alert == "" {
			continue
		}
		a := r.Annotations
		if !regexp.MustCompile(`^Fielato([A-Z][a-z]+)+$`).MatchString(r.Alert) || names[r.Alert] {
			t.Errorf("the name %s", r.Alert)
		}
		names[r.Alert] = true
		if a["summary"] == "" || strings.Contains(a["summary"], "{{") || !strings.HasSuffix(a["description"], ".") || r.For == "" {
			t.Errorf("%s: summary %q, description %q, for %q", r.Alert, a["summary"], a["description"], r.For)
		}
		if s := r.Labels["severity"]; s != "page" && s != "ticket" {
			t.Errorf("%s: severity %q", r.Alert, s)
		}
		section, ok := strings.CutPrefix(a["runbook_url"], "https://github.com/fielato/fielato/blob/main/docs/runbook.md#")
		if !ok || section != strings.ToLower(r.Alert) || !slices.Contains(sections, section) {
			t.Errorf("%s: the runbook has no section for %q", r.Alert, a["runbook_url"])
		}
		if !slices.Contains(panels[a["dashboard"]], a["panel"]) {
			t.Errorf("%s: %q has no panel %q", r.Alert, a["dashboard"], a["panel"])
		}
	}
	for _, section := range sections {
		if strings.HasPrefix(section, "fielato") && !slices.ContainsFunc(readRules(t), func(r rule) bool { return strings.ToLower(r.Alert) == section }) {
			t.Errorf("the runbook's section %s is about no alert", section)
		}
	}
}

// TestEachAlertFiresAndStaysQuiet in the unit tests: what these expect is true, as
// TestPromtool shows.
func TestEachAlertFiresAndStaysQuiet(t *testing.T) {
	fires, quiet := map[string]bool{}, map[string]bool{}
	recorded := ""
	for _, file := range readTests(t) {
		for _, test := range file.Tests {
			fired := map[string]bool{}
			for _, a := range test.AlertRuleTest {
				fired[a.Alertname] = fired[a.Alertname] || len(a.ExpAlerts) > 0
			}
			for name, did := range fired {
				fires[name], quiet[name] = fires[name] || did, quiet[name] || !did
			}
			for _, e := range test.PromqlExprTest {
				if len(e.ExpSamples) > 0 {
					recorded += e.Expr + "\n"
				}
			}
		}
	}
	for _, r := range readRules(t) {
		if r.Alert != "" && (!fires[r.Alert] || !quiet[r.Alert]) {
			t.Errorf("%s: no test in which it fires (%v), or none in which it never does (%v)", r.Alert, fires[r.Alert], quiet[r.Alert])
		}
		if r.Record != "" && !regexp.MustCompile(regexp.QuoteMeta(r.Record)+`\b`).MatchString(recorded) {
			t.Errorf("%s: no test", r.Record)
		}
	}
}

func TestRulesKeepTheConventions(t *testing.T) {
	for _, r := range readRules(t) {
		if r.Record != "" && !regexp.MustCompile(`^(instance|job):wsfev1_[a-z_]+:[a-z_]*rate[0-9]+[mhd]$`).MatchString(r.Record) {
			t.Errorf("%s is not level:metric:operations", r.Record)
		}
		for _, s := range parse(r.Expr).selectors {
			counted := s.window != "" && slices.ContainsFunc(s.within, func(f string) bool { return f == "rate" || f == "increase" })
			// A new series has no earlier value to compare with.
			isNew := strings.Contains(r.Expr, s.metric+" offset")
			if isCounter(s.metric) && !counted && !isNew {
				t.Errorf("%s%s: the counter %s without rate", r.Alert, r.Record, s.metric)
			}
		}
	}
}
