package grafana_test

import (
	"reflect"
	"testing"
)

func TestParseFindsWhatAQueryNames(t *testing.T) {
	own := []matcher{{"job", "=~", "$job"}}
	for expr, want := range map[string]query{
		`up`:               {selectors: []selector{{metric: "up"}}},
		`time() - a{}`:     {selectors: []selector{{metric: "a"}}},
		`1.5 * a > bool 0`: {selectors: []selector{{metric: "a"}}},
		`sum by (x, y) (rate(a_total{job=~"$job"}[5m]))`: {
			selectors: []selector{{metric: "a_total", matchers: own, window: "5m", within: []string{"sum", "rate"}}},
			labels:    []string{"x", "y"},
		},
		`a * on () group_left (x) count_values("x", sum(b))`: {
			selectors: []selector{{metric: "a"}, {metric: "b", within: []string{"count_values", "sum"}}},
			labels:    []string{"x"}, made: []string{"x"},
		},
		`sum(a) by (x) / on (y) group_left (z) b`: {
			selectors: []selector{{metric: "a", within: []string{"sum"}}, {metric: "b"}},
			labels:    []string{"x", "y", "z"},
		},
		`(a{x!="a,}b",y=~"c|d"} unless a offset 1h) or r:b_total:rate5m`: {selectors: []selector{
			{metric: "a", matchers: []matcher{{"x", "!=", "a,}b"}, {"y", "=~", "c|d"}}},
			{metric: "a"},
			{metric: "r:b_total:rate5m"},
		}},
	} {
		got := parse(expr)
		for i := range got.selectors {
			if len(got.selectors[i].within) == 0 {
				got.selectors[i].within = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", expr, got, want)
		}
	}
}
