package grafana_test

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// prometheus is a server that scrapes a gateway and judges the rules.
type prometheus struct {
	t   *testing.T
	url string
	// begun is before the first scrape.
	begun time.Time
}

// startPrometheus starts one with our configuration, but for its pace and its target.
func startPrometheus(t *testing.T, target string) *prometheus {
	t.Helper()
	server, folder, address := tool(t, "prometheus"), t.TempDir(), freeAddresses(t, 1)[0]
	config, err := os.ReadFile("prometheus/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs("prometheus/rules")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("15s", "500ms", "rules/*.yaml", rules+"/*.yaml", "gateway:2020", target).Replace(string(config))
	file := filepath.Join(folder, "prometheus.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &prometheus{t: t, url: "http://" + address, begun: time.Now()}
	launch(t, p.url+"/-/ready", server, "--config.file", file, "--storage.tsdb.path", filepath.Join(folder, "data"),
		"--web.listen-address", address, "--log.level", "warn", "--enable-feature", "exemplar-storage")
	return p
}

// sample is one series of an answer.
type sample struct {
	Metric map[string]string
	Value  [2]any
	Values [][2]any
}

// ask sends a question to the API and decodes the answer's data.
func (p *prometheus) ask(path string, values url.Values, into any) {
	p.t.Helper()
	body := get(p.t, p.url+"/api/v1/"+path+"?"+values.Encode())
	answer := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.Unmarshal([]byte(body), &answer, json.MatchCaseInsensitiveNames(true)); err != nil || answer.Status != "success" {
		p.t.Fatalf("%s %v: %v: %s", path, values, err, body)
	}
}

// query answers an instant query.
func (p *prometheus) query(expr string) []sample {
	p.t.Helper()
	var data struct{ Result []sample }
	p.ask("query", url.Values{"query": {expr}}, &data)
	return data.Result
}

// hasData reports whether a panel that shows everything since the start has a number to
// show: a number of now, if its query is an instant one.
func (p *prometheus) hasData(expr string, instant bool) bool {
	p.t.Helper()
	if instant {
		return slices.ContainsFunc(p.query(expr), func(s sample) bool { return isNumber(s.Value) })
	}
	var data struct{ Result []sample }
	p.ask("query_range", url.Values{
		"query": {expr}, "step": {"1"},
		"start": {fmt.Sprint(p.begun.Unix())}, "end": {fmt.Sprint(time.Now().Unix())},
	}, &data)
	return slices.ContainsFunc(data.Result, func(s sample) bool {
		return slices.ContainsFunc(s.Values, isNumber)
	})
}

func isNumber(point [2]any) bool {
	text, _ := point[1].(string)
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && text != "NaN"
}

// labelsOf returns the values of each label that a metric has.
func (p *prometheus) labelsOf(metric string) map[string][]string {
	p.t.Helper()
	var series []map[string]string
	p.ask("series", url.Values{"match[]": {metric}}, &series)
	labels := map[string][]string{}
	for _, s := range series {
		for name, value := range s {
			if !slices.Contains(labels[name], value) {
				labels[name] = append(labels[name], value)
			}
		}
	}
	return labels
}

// TestPrometheusAnswersEveryPanel: a gateway meets every outcome. A Prometheus that scrapes it has
// data for each query, has every metric and label that a query or a rule names, and sees the
// series that the alerts look for.
func TestPrometheusAnswersEveryPanel(t *testing.T) {
	t.Parallel()
	tool(t, "prometheus") // before the gateway is built
	g := startGateway(t)
	p := startPrometheus(t, g.metrics)
	within(t, time.Minute, "the first scrape", func() bool { return len(p.query("wsfev1_build_info")) == 1 })
	const refused = `wsfev1_client_requests_total{client="shop",result="share"}`
	within(t, time.Minute, "clients that have sent nothing", func() bool { return len(p.query(refused+" == 0")) == 1 })
	g.traffic(1)
	backup := exec.CommandContext(t.Context(), g.binary, "wsfev1", "audit", "backup",
		"--store", "sqlite:"+filepath.Join(g.folder, "observing.db"), "--to", filepath.Join(g.folder, "backup.db"))
	if out, err := backup.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	// What begins with its first occurrence needs a second one, after a scrape.
	within(t, time.Minute, "a scrape of the first traffic", func() bool {
		return len(p.query("sum(wsfev1_rule_agreement_total) >= 3")) == 1 && len(p.query("wsfev1_service_server_up")) == 3 &&
			len(p.query("sum(wsfev1_client_requests_total) >= 6")) == 1 && len(p.query("wsfev1_client_unknown_total >= 1")) == 1
	})
	if len(p.query("increase("+refused+"[5m]) > 0")) != 1 {
		t.Error("an alert does not see the first refusals of a client")
	}
	g.traffic(2)
	for _, outcome := range outcomes {
		within(t, time.Minute, outcome, func() bool {
			return len(p.query(`sum(wsfev1_exchanges_total{outcome="`+outcome+`"}) > 0`)) == 1
		})
	}
	p.wantPanels()
	p.wantNames()
	p.wantRules()
	p.wantExemplars()
}

// wantExemplars asks for the points by which panels lead to records, as Grafana does: they are
// there, some with a trace, because the gateway's metrics come as OpenMetrics.
func (p *prometheus) wantExemplars() {
	p.t.Helper()
	queries := 0
	for _, d := range read(p.t) {
		for _, panel := range d.graphs() {
			for _, target := range panel.Targets {
				if !target.Exemplar {
					continue
				}
				if !strings.Contains(target.Expr, `operation="FECAESolicitar"`) {
					continue // questions that are answered at once have none
				}
				queries++
				if got := p.exemplars(inWindow(target.Expr, "10s")); len(got) == 0 {
					p.t.Errorf("%s/%s has no exemplars", d.UID, panel.Title)
				}
			}
		}
	}
	if queries == 0 {
		p.t.Error("no panel asks for exemplars")
	}
	within(p.t, time.Minute, "an exemplar with a trace", func() bool {
		return slices.ContainsFunc(p.exemplars("wsfev1_exchange_duration_seconds_bucket"), func(labels map[string]string) bool {
			log, _, found := strings.Cut(labels["record"], "/")
			return found && log != "" && labels["trace_id"] == trafficTrace
		})
	})
}

// exemplars returns the labels of the exemplars of all series of a query since the start.
func (p *prometheus) exemplars(expr string) (all []map[string]string) {
	p.t.Helper()
	var data []struct {
		Exemplars []struct{ Labels map[string]string }
	}
	p.ask("query_exemplars", url.Values{
		"query": {expr}, "start": {fmt.Sprint(p.begun.Unix())}, "end": {fmt.Sprint(time.Now().Unix())},
	}, &data)
	for _, series := range data {
		for _, one := range series.Exemplars {
			all = append(all, one.Labels)
		}
	}
	return all
}

// wantPanels sends the panels' queries, over the time since the start.
func (p *prometheus) wantPanels() {
	p.t.Helper()
	type asked struct {
		expr    string
		instant bool
	}
	missing := map[string]asked{}
	for _, d := range read(p.t) {
		for _, panel := range d.graphs() {
			for _, target := range panel.Targets {
				missing[d.UID+"/"+panel.Title+"/"+target.RefID] = asked{target.Expr, target.Instant}
			}
		}
	}
	if len(missing) < 80 {
		p.t.Errorf("only %d queries", len(missing))
	}
	comes(p.t, time.Minute, func() bool {
		maps.DeleteFunc(missing, func(_ string, a asked) bool {
			window := "10s" // of each step
			if a.instant {
				window = "5m" // all since the start
			}
			return p.hasData(inWindow(a.expr, window), a.instant)
		})
		return len(missing) == 0
	})
	for where, a := range missing {
		p.t.Errorf("%s has no data: %s", where, a.expr)
	}
}
