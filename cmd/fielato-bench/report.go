package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// report is what a run has found.
type report struct {
	Go, System, Caddy string
	Processors        int
	Duration          string
	Unit              string // the target that the ratios are of
	Rounds, Repeats   int
	// InMemory is set if the data was in memory, where a sync costs nothing.
	InMemory bool
	Results  []result
}

// figures of a target, in the order of the table. 0 means that this system does not report
// one.
type figures [9]float64

// processorFigure is the place of the target's processor time at capacity.
const processorFigure = 1

// figureNames are the columns, with their units.
var figureNames = [len(figures{})]string{
	"capacity (req/s)", "CPU at capacity (µs/req)", "client's CPU (µs/req)", "upstream's CPU (µs/req)", "objects (per req)",
	"p50 (ms)", "p99 (ms)", "CPU at rate (µs/req)", "memory (MiB)",
}

// result is a target in one scenario.
type result struct {
	Target                string
	title                 string
	Invoices, Connections int
	Rate                  float64 // requests a second in the open loop
	figures               figures
	Answered, Failed      int
	Disturbed             int // rounds that others disturbed, also when measured again
	fewest                int // answers in a round of the open loop
	FirstFailure          string
}

func newReport(o options, folder string) *report {
	return &report{
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Caddy: caddyVersion(), Processors: runtime.NumCPU(),
		Duration: o.duration.String(), Unit: o.unit, Rounds: o.rounds, Repeats: o.repeats, InMemory: inMemory(folder),
	}
}

func caddyVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/caddyserver/caddy/v2" {
				return module.Version
			}
		}
	}
	return "unknown"
}

// failed is how many requests failed, of all.
func (r *report) failed() int {
	sum := 0
	for _, result := range r.Results {
		sum += result.Failed
	}
	return sum
}

// unitOf returns the figures that the ratios are of, in the same scenario.
func (r *report) unitOf(one result) (figures, bool) { return r.figuresOf(r.Unit, one) }

// figuresOf returns a target's figures in the scenario of a result.
func (r *report) figuresOf(target string, one result) (figures, bool) {
	for _, other := range r.Results {
		if other.Target == target && other.Invoices == one.Invoices && other.Connections == one.Connections {
			return other.figures, true
		}
	}
	return figures{}, false
}

// unitTitle names the target that the ratios are of.
func (r *report) unitTitle() string {
	if i := slices.IndexFunc(allTargets, func(t target) bool { return t.name == r.Unit }); i >= 0 {
		return allTargets[i].title
	}
	return r.Unit
}

// ratio is a figure as a share of the unit's.
func ratio(figure, unit float64) (float64, bool) {
	return figure / max(unit, 1e-9), figure > 0 && unit > 0
}

// writeTable writes the table in Markdown, with what it takes to read it.
func (r *report) writeTable(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "| invoices | connections | target | %s | rate (req/s) | disturbed | failed |\n", strings.Join(figureNames[:], " | "))
	fmt.Fprintf(&b, "|--:|--:|---|%s\n", strings.Repeat("--:|", len(figureNames)+3))
	for _, one := range r.Results {
		unit, known := r.unitOf(one)
		fmt.Fprintf(&b, "| %d | %d | %s |", one.Invoices, one.Connections, one.title)
		for i, figure := range one.figures {
			fmt.Fprintf(&b, " %s |", cell(figure, unit[i], known))
		}
		fmt.Fprintf(&b, " %s | %d | %d |\n", shorten(one.Rate), one.Disturbed, one.Failed)
	}
	b.WriteString("\n")
	r.writeLegend(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// cell is a ratio, with the figure itself after it.
func cell(figure, unit float64, known bool) string {
	if figure <= 0 {
		return "n/a"
	}
	text := shorten(figure)
	if share, ok := ratio(figure, unit); ok && known {
		return fmt.Sprintf("%.2f (%s)", share, text)
	}
	return text
}

// shorten prints three digits or more, and no more than the figure deserves.
func shorten(figure float64) string {
	switch {
	case figure >= 100:
		return fmt.Sprintf("%.0f", figure)
	case figure >= 10:
		return fmt.Sprintf("%.1f", figure)
	}
	return fmt.Sprintf("%.3f", figure)
}

// fewSamples is when a 99th percentile is no more than the largest value.
const fewSamples = 100

func (r *report) writeLegend(b *strings.Builder) {
	fmt.Fprintf(b, "Ratios are of %s with the same invoices and connections. In brackets: the figure, the median of %d round(s) of %s.\n",
		r.unitTitle(), r.Rounds, r.Duration)
	b.WriteString("Capacity: each connection sends as soon as it has its answer. p50, p99: requests arrive at the constant rate; latency counts from when one was due.\n")
	if r.Repeats > 0 {
		fmt.Fprintf(b, "Disturbed: rounds in which other processes took more than %.0f %% of the machine, also when measured again up to %d times.\n", 100*quietEnough, r.Repeats)
	} else {
		fmt.Fprintf(b, "Disturbed: rounds in which other processes took more than %.0f %% of the machine.\n", 100*quietEnough)
	}
	fmt.Fprintf(b, "CPU and memory (resident, peak) are the target's, where no other process is named, and so are the objects made on its heap. Client, target and upstream shared %d processor(s). %s, %s, Caddy %s.\n",
		r.Processors, r.Go, r.System, r.Caddy)
	if slices.ContainsFunc(r.Results, func(one result) bool { return one.fewest < fewSamples }) {
		fmt.Fprintf(b, "Where rate × %s is less than %d requests, p99 is the slowest of them: give a longer -duration.\n", r.Duration, fewSamples)
	}
	if r.InMemory {
		b.WriteString("The data lay in memory (tmpfs), where durable writes cost nothing: name a folder on a disk with -data.\n")
	}
}

// writeJSON writes the same for programs.
func (r *report) writeJSON(out io.Writer) error {
	type row struct {
		Target       string             `json:"target"`
		Invoices     int                `json:"invoices"`
		Connections  int                `json:"connections"`
		Rate         float64            `json:"rate"`
		Figures      map[string]float64 `json:"figures"`
		OfUnit       map[string]float64 `json:"of_unit"`
		Answered     int                `json:"answered"`
		Failed       int                `json:"failed"`
		Disturbed    int                `json:"disturbed"`
		FirstFailure string             `json:"first_failure,omitzero"`
	}
	rows := make([]row, 0, len(r.Results))
	for _, one := range r.Results {
		line := row{one.Target, one.Invoices, one.Connections, one.Rate, map[string]float64{}, map[string]float64{}, one.Answered, one.Failed, one.Disturbed, one.FirstFailure}
		unit, known := r.unitOf(one)
		for i, figure := range one.figures {
			if figure > 0 {
				line.Figures[jsonNames[i]] = figure
			}
			if share, ok := ratio(figure, unit[i]); ok && known {
				line.OfUnit[jsonNames[i]] = share
			}
		}
		rows = append(rows, line)
	}
	err := json.MarshalWrite(out, map[string]any{
		"go": r.Go, "system": r.System, "caddy": r.Caddy, "processors": r.Processors,
		"duration": r.Duration, "unit": r.Unit, "rounds": r.Rounds, "repeats": r.Repeats, "in_memory": r.InMemory, "results": rows,
	}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, "\n")
	return err
}

// jsonNames names the figures in JSON, with their units.
var jsonNames = [len(figures{})]string{
	"capacity_per_second", "capacity_cpu_us", "capacity_client_cpu_us", "capacity_upstream_cpu_us", "capacity_objects",
	"p50_ms", "p99_ms", "rate_cpu_us", "memory_mib",
}
