package grafana_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool returns the path of one of Prometheus's programs, and skips the test where there
// is none.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on the PATH: it comes with Debian's and Ubuntu's package prometheus, and with the archives on prometheus.io", name)
	}
	return path
}

// run returns what a program prints, and fails the test where it fails.
func run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool(t, name), arguments...).CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", filepath.Base(name), strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

func TestPromtool(t *testing.T) {
	t.Parallel()
	tool(t, "promtool")
	t.Run("config", func(t *testing.T) { run(t, "promtool", "check", "config", "--lint=all", "prometheus/prometheus.yml") })
	for _, kind := range []string{"rules", "tests"} {
		files, err := filepath.Glob("prometheus/" + kind + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files of %s: %v", len(files), kind, err)
		}
		for _, file := range files {
			t.Run(filepath.ToSlash(file), func(t *testing.T) {
				if kind == "rules" {
					run(t, "promtool", "check", "rules", "--lint=all", "--lint-fatal", file)
				} else {
					run(t, "promtool", "test", "rules", file)
				}
			})
		}
	}
}

// TestQueriesAreValid: promtool reads the panels' queries as it reads queries of rules.
func TestQueriesAreValid(t *testing.T) {
	t.Parallel()
	tool(t, "promtool")
	var text strings.Builder
	text.WriteString("groups:\n  - name: panels\n    rules:\n")
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			for _, target := range p.Targets {
				text.WriteString("      - record: panel\n        expr: |-\n          " +
					strings.ReplaceAll(inWindow(target.Expr, "5m"), "\n", "\n          ") + "\n" +
					"        labels: {of: \"" + d.UID + "/" + p.Title + "/" + target.RefID + "\"}\n")
			}
		}
	}
	file := filepath.Join(t.TempDir(), "panels.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "promtool", "check", "rules", file)
}

// inWindow returns a query as Grafana sends it, with all gateways chosen.
func inWindow(expr, window string) string {
	return strings.NewReplacer("$__rate_interval", window, "$__range", window, "$job", ".+", "$instance", ".+").Replace(expr)
}
