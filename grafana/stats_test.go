package grafana_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shown is what a panel of one number shows ten minutes after something began.
type shown struct {
	panel, name string
	// series are of two gateways, a and b, in promtool's notation.
	series map[string]string
	// want is the labels and the value of the number shown, no text for nothing.
	want string
}

// gone is the value of a series of a gateway that does not answer any more.
const gone = "1x2 stale"

var bothUp = map[string]string{
	`up{instance="a"}`: "1x20", `up{instance="b"}`: "1x20",
	`wsfev1_build_info{instance="a"}`: "1x20", `wsfev1_build_info{instance="b"}`: "1x20",
}

// with returns what both gateways have, and more.
func with(more map[string]string) map[string]string {
	all := map[string]string{}
	for _, from := range []map[string]string{bothUp, more} {
		maps.Copy(all, from)
	}
	return all
}

const unsound = `wsfev1_audit_checkpoint_posts_total{result="unsound",instance=`

var stats = []shown{
	{"Gateways up", "all", bothUp, `{all="2",up="2"} 1`},
	{"Gateways up", "one of two", with(map[string]string{`up{instance="b"}`: "1x2 0x20"}), `{all="2",up="1"} 0.5`},
	{"Gateways up", "none of two", map[string]string{`up{instance="a"}`: "0x20", `up{instance="b"}`: "0x20"}, `{all="2",up="0"} 0`},
	{"Gateways up", "those of other jobs", with(map[string]string{`up{job="other",instance="c"}`: "0x20"}), `{all="2",up="2"} 1`},
	{"Trail", "all kept elsewhere", with(map[string]string{
		unsound + `"a"}`: "0x20", `wsfev1_audit_checkpoint_kept_timestamp_seconds{instance="a"}`: "0x20",
		unsound + `"b"}`: "0x20", `wsfev1_audit_checkpoint_kept_timestamp_seconds{instance="b"}`: "0x20",
	}), `{} 0`},
	{"Trail", "one is not kept elsewhere", with(map[string]string{
		unsound + `"a"}`: "0x20", `wsfev1_audit_checkpoint_kept_timestamp_seconds{instance="a"}`: "0x20",
		unsound + `"b"}`: "0x20",
	}), `{} -1`},
	{"Trail", "none is", with(map[string]string{unsound + `"a"}`: "0x20", unsound + `"b"}`: "0x20"}), `{} -1`},
	{"Trail", "unsound, beside one that is not kept elsewhere", with(map[string]string{
		unsound + `"a"}`: "0x4 1x20", `wsfev1_audit_checkpoint_kept_timestamp_seconds{instance="a"}`: "0x20",
		unsound + `"b"}`: "0x20",
	}), `{} 1`},
	{"Trail", "nobody is there", map[string]string{
		unsound + `"a"}`: "0x2 stale", `wsfev1_build_info{instance="a"}`: gone,
		`wsfev1_audit_checkpoint_kept_timestamp_seconds{instance="a"}`: gone,
	}, ""},
	{"Trail writes", "all are written", writing("0x20", "0x20", "0x20"), `{} 0`},
	{"Trail writes", "one could not be written", writing("0x8 1x20", "0x20", "0x20"), `{} 1`},
	{"Trail writes", "one could not be written long ago", writing("0 1x20", "0x20", "0x20"), `{} 0`},
	{"Trail writes", "refused at the door", writing("0x20", "0x8 1x20", "0x20"), `{} 1`},
	{"Trail writes", "one is owed", writing("0x20", "0x20", "0 1x20"), `{} 1`},
	{"Trail writes", "nobody is there", writing("0x2 stale", "0x2 stale", "0x2 stale"), ""},
	{"Unknown outcomes", "nobody is there", map[string]string{`wsfev1_unknown_outcomes{instance="a"}`: "0x2 stale"}, ""},
	{"Service", "nobody is there", map[string]string{`wsfev1_service_down{instance="a",class="network"}`: "0x2 stale"}, ""},
}

func writing(failed, unrecorded, owed string) map[string]string {
	return map[string]string{
		`wsfev1_audit_records_total{result="failed",instance="a"}`:                      failed,
		`wsfev1_exchanges_total{operation="unknown",outcome="unrecorded",instance="a"}`: unrecorded,
		`wsfev1_audit_pending_outcomes{instance="a"}`:                                   owed,
	}
}

// TestStatsShowWhatIs asks the queries of the overview's first row in situations in which
// they must not be mistaken.
func TestStatsShowWhatIs(t *testing.T) {
	t.Parallel()
	tool(t, "promtool")
	exprs := firstQueries(t, "fielato-overview")
	for _, s := range stats {
		t.Run(s.panel+": "+s.name, func(t *testing.T) { s.check(t, exprs[s.panel]) })
	}
}

// firstQueries are the first queries of a dashboard's panels, by title.
func firstQueries(t *testing.T, uid string) map[string]string {
	t.Helper()
	exprs := map[string]string{}
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			if d.UID == uid {
				exprs[p.Title] = p.Targets[0].Expr
			}
		}
	}
	return exprs
}

// check lets promtool compare.
func (s shown) check(t *testing.T, expr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.yaml")
	if err := os.WriteFile(file, []byte(s.test(expr)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "promtool", "test", "rules", file)
}

// test returns a unit test for promtool, with one job chosen and all of its instances.
func (s shown) test(expr string) string {
	expr = inWindow(strings.ReplaceAll(expr, "$job", "fielato"), "1h")
	var text strings.Builder
	fmt.Fprintf(&text, "evaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n")
	for series, values := range s.series {
		if !strings.Contains(series, "job=") {
			series = strings.Replace(series, "{", `{job="fielato",`, 1)
		}
		fmt.Fprintf(&text, "      - {series: '%s', values: '%s'}\n", series, values)
	}
	fmt.Fprintf(&text, "    promql_expr_test:\n      - expr: |-\n          %s\n        eval_time: 10m\n", strings.ReplaceAll(expr, "\n", "\n          "))
	if labels, value, found := strings.Cut(s.want, " "); found {
		fmt.Fprintf(&text, "        exp_samples: [{labels: '%s', value: %s}]\n", labels, value)
	}
	return text.String()
}
