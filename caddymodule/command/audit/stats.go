package auditcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/cli"
	"github.com/fielato/fielato/caddymodule/command/view"
	"github.com/fielato/fielato/wsfev1"
)

// groupings are the values of --by, each with the group of an exchange.
var groupings = map[string]func(*audit.Record) string{
	"hour":      func(r *audit.Record) string { return r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:00Z07:00") },
	"day":       func(r *audit.Record) string { return r.Time.In(wsfev1.Argentina).Format("2006-01-02") },
	"operation": func(r *audit.Record) string { return cmp.Or(r.Operation, "unknown") },
	"outcome":   view.OutcomeText,
}

type statsFlags struct {
	queryFlags
	cli.ColorFlags
	by, format string
}

func (f *statsFlags) bind(set *pflag.FlagSet) {
	f.queryFlags.bind(set)
	f.bindUntil(set)
	cli.ChoiceVar(set, &f.by, "by", "operation", "hour, day, operation or outcome", "hour", "day", "operation", "outcome")
	cli.FormatVar(set, &f.format, "table, or json: one object a line")
	f.BindColor(set)
}

func statsCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &statsFlags{queryFlags: queryFlags{StoreFlags: cli.StoreFlags{TrailFlags: common, Content: cli.ContentCounted}}}
	cmd := &cobra.Command{
		Use:   "stats [flags]",
		Short: "Counts exchanges by operation and outcome, or over time",
		Long: `
Counts the exchanges that match all flags: --by operation and --by outcome show the largest
count first, --by hour and --by day (in Argentina) the oldest first, without the hours and
days that had none. It reads each exchange between --since and --until once and keeps none in
memory. If several gateways share the store it counts those of all logs; --log counts those
of one.`,
		Example: `  fielato wsfev1 audit stats --store sqlite:./data/audit.db --since 7d --by day
  fielato wsfev1 audit stats --store sqlite:./data/audit.db --since 30d --finding 10016 --by day
  fielato wsfev1 audit stats --store sqlite:./data/audit.db --by outcome --format json`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runStats(cmd, flags) }
	return cmd
}

func runStats(cmd *cobra.Command, flags *statsFlags) error {
	wanted, err := flags.query()
	if err != nil {
		return err
	}
	if wanted.Kind == audit.KindAccess {
		return cli.UsageError(errors.New("--kind access: stats counts exchanges, use search for who has read the trail"))
	}
	grouping := groupings[flags.by]
	printing := printGroupLines
	if flags.format == "table" {
		printing = groupTable{flags.Painter(cmd.OutOrStdout())}.print
	}
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), flags.cuit)
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		logs, err := s.Logs(ctx)
		if err != nil {
			return err
		}
		groups := map[string]*groupCount{}
		for record, err := range audit.SearchLogs(ctx, s.Store, logs, wanted) {
			if err != nil {
				return fmt.Errorf("counting: %w", err)
			}
			key := grouping(record)
			if groups[key] == nil {
				groups[key] = &groupCount{Key: key, Operations: map[string]int{}, Outcomes: map[string]int{}}
			}
			groups[key].add(record)
		}
		if len(groups) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no exchange matches")
			return nil
		}
		return printing(cmd.OutOrStdout(), flags.by, sortGroups(flags.by, groups))
	})
}

// groupCount counts the exchanges of one group.
type groupCount struct {
	Key        string         `json:"key"`
	Count      int            `json:"count"`
	Operations map[string]int `json:"operations"`
	Outcomes   map[string]int `json:"outcomes"`
}

func (t *groupCount) add(r *audit.Record) {
	t.Count++
	t.Operations[groupings["operation"](r)]++
	t.Outcomes[groupings["outcome"](r)]++
}

func sortGroups(by string, groups map[string]*groupCount) []*groupCount {
	return slices.SortedFunc(maps.Values(groups), func(a, b *groupCount) int {
		if by == "hour" || by == "day" {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
}

// barWidth is the length of the longest bar, in characters.
const barWidth = 30

// groupTable prints counts for people.
type groupTable struct{ view.Painter }

func (p groupTable) print(w io.Writer, by string, groups []*groupCount) error {
	largest, total := 0, 0
	for _, t := range groups {
		largest, total = max(largest, t.Count), total+t.Count
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	// The keys of a column are all painted or none: the table counts their letters.
	parts, key, word, rest := "OUTCOMES", plain, p.Outcome, plain
	if by == "outcome" {
		parts, key, word, rest = "OPERATIONS", p.Outcome, plain, p.Plain
	}
	fmt.Fprintf(table, "%s\tCOUNT\t\t%s\n", rest(strings.ToUpper(by)), parts)
	for _, t := range groups {
		of := t.Outcomes
		if by == "outcome" {
			of = t.Operations
		}
		// Even the smallest group has a bar.
		bar := strings.Repeat("█", max(1, t.Count*barWidth/largest))
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", key(t.Key), t.Count, bar, countsText(of, word))
	}
	fmt.Fprintf(table, "%s\t%d\t\t\n", rest("total"), total)
	return table.Flush()
}

func plain(text string) string { return text }

// countsText formats counts, the largest first.
func countsText(counts map[string]int, paint func(string) string) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", paint(name), counts[name])
	}
	return strings.Join(names, ", ")
}

func printGroupLines(w io.Writer, _ string, groups []*groupCount) error {
	return view.PrintLines(w, groups, func(t *groupCount) string { return t.Key })
}
