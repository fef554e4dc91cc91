package reading

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsfev1"
)

// groupingNames are the values of --by.
var groupingNames = []string{"hour", "day", "operation", "outcome", "finding", "client", "cuit"}

// grouping returns the groups that an exchange is in: none for one that is left out.
type grouping func(*audit.Record) []string

// groupings have the groups of an exchange by each value of --by.
var groupings = map[string]grouping{
	"hour":      one(func(r *audit.Record) string { return r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:00Z07:00") }),
	"day":       one(func(r *audit.Record) string { return r.Time.In(wsfev1.Argentina).Format("2006-01-02") }),
	"operation": one(operationOf),
	"outcome":   one(view.OutcomeText),
	"finding":   findingsOf,
	// Who sent it: what was authenticated, else the address.
	"client": one(func(r *audit.Record) string { return cmp.Or(r.ClientIdentity, r.ClientAddress, "unknown") }),
	"cuit": one(func(r *audit.Record) string {
		if r.Cuit == 0 {
			return "unknown"
		}
		return r.Cuit.String()
	}),
}

func one(of func(*audit.Record) string) grouping {
	return func(r *audit.Record) []string { return []string{of(r)} }
}

func operationOf(r *audit.Record) string { return cmp.Or(r.Operation, "unknown") }

// findingsOf lists the codes of an exchange, each once.
func findingsOf(r *audit.Record) (codes []string) {
	for _, f := range r.Findings {
		if !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// parseGroupings reads --by.
func parseGroupings(text string) ([]string, error) {
	by := strings.Split(text, ",")
	for i, name := range by {
		switch {
		case groupings[name] == nil:
			return nil, fmt.Errorf("--by %q: use hour, day, operation or outcome, or finding, client or cuit; several with commas between them%s", name, nearest.Question(name, slices.Sorted(maps.Keys(groupings))))
		case slices.Contains(by[:i], name):
			return nil, fmt.Errorf("--by %q: %s is there twice", text, name)
		}
	}
	return by, nil
}

// groupCount counts the exchanges of one group.
type groupCount struct {
	Key string `json:"key"`
	// By has the parts of the key, LastSeen the time of the newest exchange; both are missing where
	// exchanges are counted by hour, day, operation or outcome alone.
	By         map[string]string `json:"by,omitzero"`
	Count      int               `json:"count"`
	LastSeen   time.Time         `json:"last_seen,omitzero"`
	Operations map[string]int    `json:"operations"`
	Outcomes   map[string]int    `json:"outcomes"`

	parts []string
}

// counting counts exchanges in groups.
type counting struct {
	by     []string
	groups map[string]*groupCount
	// exchanges counts each exchange once, in however many groups it is.
	exchanges int
}

func newCounting(by []string) *counting {
	return &counting{by: by, groups: map[string]*groupCount{}}
}

// detailed reports whether rows have parts and a time of their own.
func (c *counting) detailed() bool {
	return len(c.by) > 1 || slices.Contains([]string{"finding", "client", "cuit"}, c.by[0])
}

func (c *counting) add(r *audit.Record) {
	keys := [][]string{nil}
	for _, name := range c.by {
		var longer [][]string
		for _, group := range groupings[name](r) {
			for _, key := range keys {
				longer = append(longer, append(slices.Clip(key), group))
			}
		}
		keys = longer
	}
	if len(keys) > 0 {
		c.exchanges++
	}
	for _, parts := range keys {
		c.group(parts).add(r)
	}
}

// group returns the group of a key, which it makes.
func (c *counting) group(parts []string) *groupCount {
	key := strings.Join(parts, "\x00")
	g := c.groups[key]
	if g == nil {
		g = &groupCount{Key: strings.Join(parts, ", "), Operations: map[string]int{}, Outcomes: map[string]int{}, parts: parts}
		if c.detailed() {
			g.By = map[string]string{}
			for i, name := range c.by {
				g.By[name] = parts[i]
			}
		}
		c.groups[key] = g
	}
	return g
}

func (t *groupCount) add(r *audit.Record) {
	t.Count++
	t.Operations[operationOf(r)]++
	t.Outcomes[view.OutcomeText(r)]++
	if t.By != nil && r.Time.After(t.LastSeen) {
		t.LastSeen = r.Time
	}
}

// sorted returns the groups: by time where the first grouping is one of time, else the largest first.
func (c *counting) sorted() []*groupCount {
	return slices.SortedFunc(maps.Values(c.groups), func(a, b *groupCount) int {
		if c.by[0] == "hour" || c.by[0] == "day" {
			return cmp.Or(cmp.Compare(a.parts[0], b.parts[0]), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
		}
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
}

// printerOf returns how the counts are printed.
func printerOf(cmd *cobra.Command, flags *statsFlags, by []string) func(io.Writer, string, *counting) error {
	switch {
	case flags.format == "csv":
		return printGroupCSV
	case flags.format == "json":
		return printGroupLines
	case newCounting(by).detailed():
		return printGroupRows
	}
	return groupTable{flags.Painter(cmd.OutOrStdout())}.print
}

// printGroupRows prints a row for each group, with a column for each part.
func printGroupRows(w io.Writer, _ string, c *counting) error {
	var columns []table.Column
	for _, name := range c.by {
		column := table.Column{Head: strings.ToUpper(name)}
		switch name {
		case "client":
			column.Least, column.Wrap = 16, true
		case "operation":
			column.Least = len("FECAESolicitar")
		}
		columns = append(columns, column)
	}
	seen := table.Moment("LAST SEEN")
	seen.Drop = 1
	rows := table.New(append(columns, table.Column{Head: "COUNT"}, seen, table.Column{Head: "OUTCOMES", Least: 16, Wrap: true, Drop: 2})...)
	for _, t := range c.sorted() {
		parts := make([]string, len(t.parts))
		for i, part := range t.parts {
			parts[i] = printable.OneLine(part)
		}
		rows.Row(append(parts, strconv.Itoa(t.Count), view.Moment(t.LastSeen), countsText(t.Outcomes, plain))...)
	}
	total := make([]string, len(c.by)+1)
	total[0], total[len(c.by)] = "total exchanges", strconv.Itoa(c.exchanges)
	rows.Row(total...)
	return rows.Print(w)
}

// printGroupCSV prints a table for a spreadsheet, with a first row that names the columns.
func printGroupCSV(w io.Writer, _ string, c *counting) error {
	table := csv.NewWriter(w)
	head := append(slices.Clone(c.by), "count")
	if c.detailed() {
		head = append(head, "last_seen")
	}
	if err := table.Write(head); err != nil {
		return fmt.Errorf("printing the counts: %w", err)
	}
	for _, t := range c.sorted() {
		var row []string
		for _, part := range t.parts {
			row = append(row, spreadsheet.Text(part))
		}
		row = append(row, strconv.Itoa(t.Count))
		if c.detailed() {
			row = append(row, view.RFC3339(t.LastSeen))
		}
		if err := table.Write(row); err != nil {
			return fmt.Errorf("printing the counts: %w", err)
		}
	}
	table.Flush()
	return table.Error()
}
