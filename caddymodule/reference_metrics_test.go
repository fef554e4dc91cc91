package caddymodule_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// described are the metrics of a process in which nothing has happened yet.
var described, errDescribed = describeMetrics()

// metricText is a metric as the reference shows it.
type metricText struct {
	name, help, kind string
	labels           []string
	// constant is how many of the labels, the first ones, have one value in each build.
	constant int
	// values are those that a label has from the start.
	values map[string][]string
}

// listedValues is up to how many values of a label are listed.
const listedValues = 12

func metricTable() string {
	var table strings.Builder
	table.WriteString("| metric | type | labels | what it counts or measures |\n|---|---|---|---|\n")
	for _, m := range described {
		var labels []string
		for i, label := range m.labels {
			text := "`" + label + "`"
			if known := m.values[label]; i >= m.constant && len(known) > 0 && len(known) <= listedValues {
				text += ": " + codeSpans(known)
			}
			labels = append(labels, text)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", m.name, m.kind, strings.Join(labels, "; "), cell(m.help))
	}
	return strings.TrimSuffix(table.String(), "\n")
}

// description is how a Desc shows itself.
var description = regexp.MustCompile(`fqName: "([^"]+)", help: "((?:[^"\\]|\\.)*)",.* constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}`)

// labelName is one of a Desc's constant labels.
var labelName = regexp.MustCompile(`(\w+)=`)

// describeMetrics reads the collectors: name, help and labels from what they describe, the
// kind and the values of labels from what they collect.
func describeMetrics() (all []metricText, err error) {
	registry := prometheus.NewPedanticRegistry()
	if err := metrics.Register(registry); err != nil { // makes the series that exist from the start
		return nil, err
	}
	for _, collector := range caddymodule.Collectors() {
		if err := registry.Register(collector); err != nil {
			return nil, err
		}
		descriptions := make(chan *prometheus.Desc, 100)
		collector.Describe(descriptions)
		close(descriptions)
		for d := range descriptions {
			match := description.FindStringSubmatch(d.String())
			if match == nil {
				return nil, fmt.Errorf("what is %s", d)
			}
			m := metricText{name: match[1], help: match[2], kind: kindOf(collector, match[1])}
			for _, label := range labelName.FindAllStringSubmatch(match[3], -1) {
				m.labels = append(m.labels, label[1])
			}
			m.constant = len(m.labels)
			if match[4] != "" {
				m.labels = append(m.labels, strings.Split(match[4], ",")...)
			}
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b metricText) int { return strings.Compare(a.name, b.name) })
	families, err := registry.Gather()
	for _, family := range families {
		i := slices.IndexFunc(all, func(m metricText) bool { return m.name == family.GetName() })
		all[i].kind = strings.ToLower(family.GetType().String())
		all[i].values = map[string][]string{}
		for _, metric := range family.GetMetric() {
			for _, pair := range metric.GetLabel() {
				known := all[i].values[pair.GetName()]
				if !slices.Contains(known, pair.GetValue()) {
					all[i].values[pair.GetName()] = append(known, pair.GetValue())
				}
			}
		}
	}
	return all, err
}

// kindOf tells the kind of a collector that has collected nothing yet: one of our own
// shows a point in time, unless its name says that it counts.
func kindOf(collector prometheus.Collector, name string) string {
	switch collector.(type) {
	case *prometheus.CounterVec:
		return "counter"
	case *prometheus.HistogramVec:
		return "histogram"
	}
	if strings.HasSuffix(name, "_total") {
		return "counter"
	}
	return "gauge"
}
