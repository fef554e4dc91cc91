package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/tally"
)

type statsFlags struct {
	queryFlags
	cli.ColorFlags
	by, format string
}

func (f *statsFlags) bind(set *pflag.FlagSet) {
	f.queryFlags.bind(set)
	f.bindUntil(set)
	set.StringVar(&f.by, "by", "operation", "hour, day, operation, outcome, finding, client or cuit; several with commas between them")
	cli.Complete(set, "by", append(slices.Clone(groupingNames), "finding,client")...)
	cli.ChoiceVar(set, &f.format, "format", "table", "table, csv, or json: one object a line", "table", "json", "csv")
	f.BindColor(set)
}

func statsCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &statsFlags{queryFlags: queryFlags{StoreFlags: cli.StoreFlags{TrailFlags: common, Content: cli.ContentCounted}}}
	cmd := &cobra.Command{
		Use:   "stats [flags]",
		Short: "Counts exchanges by operation, outcome, finding or client, or over time",
		Long: `
Counts the exchanges that match all flags: --by operation and --by outcome show the largest
count first, --by hour and --by day (in Argentina) the oldest first, without the hours and
days that had none.

--by finding counts exchanges by the codes that the gateway found in them, and leaves out those
without a finding; an exchange with two codes counts for both. --by client counts by who sent
them: the authenticated user or the certificate, else the IP address. With these, with
--by cuit (the issuer), and with several at once, each row has the time of its newest exchange.
--by finding,client --finding 10246 answers who still sends what is refused from a day on.

It reads each exchange between --since and --until once and keeps none in
memory. If several gateways share the store it counts those of all logs; --log counts those
of one.`,
		Example: `  fielato wsfev1 audit stats --store sqlite:./data/audit.db --since 7d --by day
  fielato wsfev1 audit stats --store sqlite:./data/audit.db --since 30d --finding 10016 --by day
  fielato wsfev1 audit stats --store sqlite:./data/audit.db --by outcome --format json
  fielato wsfev1 audit stats --store sqlite:./data/audit.db --since 30d --by finding,client --finding 10245 --format csv`,
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
	by, err := parseGroupings(flags.by)
	if err != nil {
		return cli.UsageError(err)
	}
	printing := printerOf(cmd, flags, by)
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), flags.cuit)
	return cli.WithLogs(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session, logs []string) error {
		counted := newCounting(by)
		err := tally.Read(ctx, s.Store, logs, wanted, func(r *audit.Record) error {
			counted.add(r)
			return nil
		})
		if err != nil {
			return err
		}
		if len(counted.groups) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no exchange matches")
			return nil
		}
		return printing(cmd.OutOrStdout(), flags.by, counted)
	})
}

// barWidth returns the length of the longest bar, in characters.
func barWidth(w io.Writer) int {
	if width := table.Width(w); width > 0 {
		return max(8, min(30, width/8))
	}
	return 30
}

// groupTable prints counts for people.
type groupTable struct{ view.Painter }

func (p groupTable) print(w io.Writer, by string, counted *counting) error {
	groups, largest, total := counted.sorted(), 0, counted.exchanges
	for _, t := range groups {
		largest = max(largest, t.Count)
	}
	parts, key, word := "OUTCOMES", plain, p.Outcome
	if by == "outcome" {
		parts, key, word = "OPERATIONS", p.Outcome, plain
	}
	rows, longest := table.New(table.Column{Head: strings.ToUpper(by)}, table.Column{Head: "COUNT"}, table.Column{},
		table.Column{Head: parts, Least: 24, Wrap: true}), barWidth(w)
	for _, t := range groups {
		of := t.Outcomes
		if by == "outcome" {
			of = t.Operations
		}
		// Even the smallest group has a bar.
		bar := strings.Repeat("█", max(1, t.Count*longest/largest))
		rows.Row(key(t.Key), strconv.Itoa(t.Count), bar, countsText(of, word))
	}
	rows.Row("total", strconv.Itoa(total))
	return rows.Print(w)
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

func printGroupLines(w io.Writer, _ string, counted *counting) error {
	return view.PrintLines(w, counted.sorted(), func(t *groupCount) string { return t.Key })
}
