package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixedReport has every form that a figure can take.
func fixedReport() *report {
	return &report{
		Go: "go1.26", System: "linux/amd64", Caddy: "v2.11.9", Processors: 2, Duration: "2s", Rounds: 3, Repeats: 2, Unit: "plain", InMemory: true,
		Results: []result{
			{Target: "plain", title: "Caddy reverse_proxy", Invoices: 1, Connections: 32, Rate: 1500, figures: figures{8000, 100, 50, 20, 203, 0.5, 2, 125, 64}, Answered: 57000, fewest: 3000},
			{Target: "enforce", title: "gateway, enforce", Invoices: 1, Connections: 32, Rate: 1500, figures: figures{4000, 250, 60, 25, 365, 1, 3, 250, 80}, Answered: 33000, Disturbed: 1, fewest: 3000},
			// Another scenario, on a system that reports neither CPU nor memory.
			{Target: "plain", title: "Caddy reverse_proxy", Invoices: 250, Connections: 1, Rate: 40.25, figures: figures{800, 0, 0, 0, 250, 2.5, 4, 0, 0}, Answered: 5000, fewest: 80},
			{
				Target: "enforce", title: "gateway, enforce", Invoices: 250, Connections: 1, Rate: 40.25, figures: figures{80.5, 0, 0, 0, 5000, 12.5, 400.4, 0, 0},
				Answered: 700, Failed: 2, FirstFailure: "status 503: busy", fewest: 80,
			},
			// A scenario without the plain target has no ratios.
			{Target: "enforce", title: "gateway, enforce", Invoices: 1, Connections: 1, Rate: 300, figures: figures{600, 300, 90, 30, 380, 1.5, 2.5, 310, 70}, Answered: 4000, fewest: 600},
		},
	}
}

func TestReports(t *testing.T) {
	for name, write := range map[string]func(*report, *bytes.Buffer) error{
		"table.md":    func(r *report, b *bytes.Buffer) error { return r.writeTable(b) },
		"report.json": func(r *report, b *bytes.Buffer) error { return r.writeJSON(b) },
	} {
		var got bytes.Buffer
		if err := write(fixedReport(), &got); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: run go test . -run TestReports -update in cmd/fielato-bench and look at what has changed:\n%s", golden, &got)
		}
	}
}

// TestEveryRowHasEveryColumn, so that Markdown shows a table.
func TestEveryRowHasEveryColumn(t *testing.T) {
	var table bytes.Buffer
	if err := fixedReport().writeTable(&table); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(table.String()) {
		if strings.HasPrefix(line, "|") {
			rows++
			if columns := strings.Count(line, "|") - 1; columns != len(figureNames)+6 {
				t.Errorf("%d columns: %s", columns, line)
			}
		}
	}
	if rows != len(fixedReport().Results)+2 {
		t.Errorf("%d rows", rows)
	}
}

// TestARunWithFailuresFails, and prints its report all the same.
func TestARunWithFailuresFails(t *testing.T) {
	var out, progress bytes.Buffer
	if code := conclude(fixedReport(), options{}, &out, &progress); code != exitFailed || out.Len() == 0 {
		t.Errorf("exit status %d, %q", code, &out)
	}
	if !strings.Contains(progress.String(), "2 requests failed") {
		t.Error(progress.String())
	}
	fine := fixedReport()
	fine.Results = fine.Results[:2]
	if code := conclude(fine, options{json: true}, &out, &progress); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

func TestJSONSaysWhatIsNotKnown(t *testing.T) {
	var text bytes.Buffer
	if err := fixedReport().writeJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Results []struct {
			Figures map[string]float64 `json:"figures"`
			OfUnit  map[string]float64 `json:"of_unit"`
		} `json:"results"`
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if enforce := got.Results[1]; enforce.OfUnit["capacity_per_second"] != 0.5 || enforce.OfUnit["p50_ms"] != 2 {
		t.Error(enforce)
	}
	if _, known := got.Results[2].Figures["memory_mib"]; known {
		t.Error("a figure that is not known has a value")
	}
	if len(got.Results[4].OfUnit) > 0 {
		t.Error("a ratio of nothing")
	}
}
