package grafana

// Dashboards returns all dashboards, the overview first.
func Dashboards() []Dashboard {
	return []Dashboard{overview(), service(), validation(), evidence(), resources()}
}

// Dashboard is one page of panels in rows.
type Dashboard struct {
	// UID names the dashboard in links and is the name of its file.
	UID         string
	Title       string
	Description string
	Rows        []Row
}

// Row is a line of panels under a title. They are laid out from left to right and break
// where the 24 columns of the grid are full.
type Row struct {
	Title  string
	Panels []Panel
}

// Kind is a form of panel, by Grafana's name of the plug-in.
type Kind string

// The kinds that are in use.
const (
	TimeSeries Kind = "timeseries"
	Stat       Kind = "stat"
	BarGauge   Kind = "bargauge"
	States     Kind = "state-timeline"
	Table      Kind = "table"
)

// Panel shows what its queries answer.
type Panel struct {
	Title string
	// Description explains the panel's content and what to conclude from it.
	Description string
	// Kind is TimeSeries where it is left out.
	Kind Kind
	// Unit is Grafana's identifier of a unit, such as s or percentunit.
	Unit string
	// Width is in columns of 24, Height in rows of the grid; by default 8 by 8, and 4 by 4
	// for a Stat.
	Width, Height int
	// Queries are about each step of the time range, and about its end alone for a Stat, a
	// BarGauge and a Table.
	Queries []Query
	// Named shows the series' name in a Stat, in the colour of its value.
	Named bool
	// Negative lets the axis begin below 0.
	Negative bool
	// Stack puts the series on top of each other: what adds up to a whole.
	Stack bool
	// Max is the end of the axis where there is one, such as 1 for a ratio.
	Max float64
	// Thresholds colour a value, from low to high; green where there are none.
	Thresholds []Threshold
	// Words stand in place of values.
	Words []Word
}

// Threshold colours all values from From on. The first one of a list has no From.
type Threshold struct {
	From  *float64
	Color string
}

// Word is shown in place of a value.
type Word struct {
	Value, Text, Color string
}

// Query is one PromQL expression. $own in it is replaced by the matchers of the dashboard's
// variables job and instance.
type Query struct {
	Expr string
	// Legend names a series, {{label}} in it the value of a label.
	Legend string
}

// own are the matchers that every selector has.
const own = `job=~"$job",instance=~"$instance"`

// good is a list of thresholds that is green up to warn, then orange, and red from bad on.
func good(warn, bad float64) []Threshold {
	return []Threshold{{nil, "green"}, {&warn, "orange"}, {&bad, "red"}}
}

// none is a list of thresholds that is red from 1 on: there should be nothing.
func none() []Threshold {
	one := 1.0
	return []Threshold{{nil, "green"}, {&one, "red"}}
}

// enough is a list of thresholds that is red below warn, orange below fine, and green
// from there on.
func enough(warn, fine float64) []Threshold {
	return []Threshold{{nil, "red"}, {&warn, "orange"}, {&fine, "green"}}
}

// all is a list of thresholds that is red below 1: all should be there, or a ratio whole.
func all() []Threshold {
	one := 1.0
	return []Threshold{{nil, "red"}, {&one, "green"}}
}

// one is the list of a single query.
func one(expr, legend string) []Query { return []Query{{expr, legend}} }

// quantile is one of a histogram over the whole time range; matchers, if any, begin with a
// comma.
func quantile(of, name, histogram, matchers string) []Query {
	return one("histogram_quantile("+of+", sum by (le) (increase("+histogram+"_bucket{$own"+matchers+"}[$__range])))", name)
}

// gatewaysUp names how many of the gateways Prometheus reaches, and is red unless it is all.
func gatewaysUp() Panel {
	return Panel{
		Title: "Gateways up", Kind: Stat, Unit: "percentunit", Named: true, Thresholds: all(),
		Description: "Gateways that Prometheus reaches now, out of those that it knows. Red if one is missing.",
		Queries: one(`avg(up{$own})
* on () group_left (up) count_values("up", sum(up{$own}))
* on () group_left (all) count_values("all", count(up{$own}))`, "{{up}} of {{all}}"),
	}
}

// verification shows whether the trail is sound, where checkpoints are kept.
func verification(title, description string) Panel {
	return Panel{
		Title: title, Kind: Stat, Unit: "short", Thresholds: none(), Description: description,
		Queries: one(`(round(sum(increase(wsfev1_audit_checkpoint_posts_total{$own,result="unsound"}[$__range]))) > 0)
or clamp_min((count(wsfev1_audit_checkpoint_kept_timestamp_seconds{$own}) or vector(0)) - count(wsfev1_build_info{$own}), -1)`, "unsound"),
		Words: []Word{{"0", "sound", "green"}, {"-1", "not kept elsewhere", "blue"}},
	}
}

// quantiles are p50, p95 and p99 of a histogram; matchers, if any, begin with a comma.
func quantiles(histogram, matchers string) []Query {
	var queries []Query
	for _, q := range []struct{ value, name string }{{"0.5", "p50"}, {"0.95", "p95"}, {"0.99", "p99"}} {
		queries = append(queries, Query{
			"histogram_quantile(" + q.value + ", sum by (le) (rate(" + histogram + "_bucket{$own" + matchers + "}[$__rate_interval])))",
			q.name,
		})
	}
	return queries
}
