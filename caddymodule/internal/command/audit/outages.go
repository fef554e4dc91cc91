package auditcmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/wsfev1"
)

type outagesFlags struct {
	cli.StoreFlags
	times  cli.TimeFlags
	format string
}

func (f *outagesFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.times.Since, "since", "", "Not over before: "+cli.TimeForms)
	set.StringVar(&f.times.Until, "until", "", "Begun before: the same forms")
	cli.FormatVar(set, &f.format, "table, or json: one object a line")
}

func outagesCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &outagesFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "outages [flags]",
		Short: "Lists the times in which the service did not answer, newest first, with the records that show it",
		Long: `
Lists the times in which the service did not answer, as the breaker of the wsfev1 handler
noticed them, newest first: beginning and end in Argentina, how long it took, how many
exchanges failed and why, and the records that show it: the first and the last failure,
and the answer that ended it. SCOPE is changes if queries were answered all the time, and
only operations that change something were not. "audit show" prints each of these records,
"audit prove" proves it. RECORD is the outage's own, for "audit prove"; if several gateways
share the store, its log shows which of them noticed it. An outage without an end lasts, or
the gateway has not seen an answer since. --since and --until select outages that lie at
least in part within that time.`,
		Example: `  fielato wsfev1 audit outages --store sqlite:./data/audit.db --since 2026-11-01
  fielato wsfev1 audit outages --store sqlite:./data/audit.db --since 7d --format json`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runOutages(cmd, flags) }
	return cmd
}

func runOutages(cmd *cobra.Command, flags *outagesFlags) error {
	since, until, err := flags.times.Read()
	if err != nil {
		return cli.UsageError(err)
	}
	printing := map[string]func(io.Writer, []*listedOutage) error{"table": printOutages, "json": printOutageLines}[flags.format]
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		logs, err := s.Logs(ctx)
		if err != nil {
			return err
		}
		all, err := outagesOf(ctx, s.Store, logs)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(o *listedOutage) bool {
			return !o.ended.IsZero() && o.ended.Before(since) || !until.IsZero() && !o.began.Before(until)
		})
		if len(all) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no outage matches")
			return nil
		}
		return printing(cmd.OutOrStdout(), all)
	})
}

// listedOutage is an outage to print. Times are in Argentina.
type listedOutage struct {
	began, ended time.Time // ended is zero while the outage lasts

	Record   string                `json:"record"`
	ID       string                `json:"id"`
	Began    string                `json:"began"`
	Ended    string                `json:"ended,omitzero"`
	Seconds  float64               `json:"seconds,omitzero"`
	Ongoing  bool                  `json:"ongoing"`
	Service  string                `json:"service,omitzero"`
	Scope    string                `json:"scope,omitzero"`
	Upstream string                `json:"upstream,omitzero"`
	Failures int                   `json:"failures"`
	Classes  map[audit.Failure]int `json:"classes,omitempty"`
	First    string                `json:"first,omitzero"`
	Last     string                `json:"last,omitzero"`
	Answer   string                `json:"answer,omitzero"`
	// Content is purged or sealed if only the times are left.
	Content string `json:"content,omitzero"`
}

// outagesOf returns the outages of these logs, newest first. The two records of an outage
// share an ID and a log; the later one has everything.
func outagesOf(ctx context.Context, store audit.Store, logs []string) (all []*listedOutage, err error) {
	seen := map[string]bool{}
	for record, err := range audit.SearchLogs(ctx, store, logs, audit.Query{Kind: audit.KindOutage}) {
		if err != nil {
			return nil, fmt.Errorf("searching: %w", err)
		}
		if seen[record.ID] {
			continue
		}
		seen[record.ID] = true
		o, err := outage.Read(record)
		if err != nil {
			return nil, err
		}
		all = append(all, listOutage(record, o))
	}
	return all, nil
}

func listOutage(r *audit.Record, o *outage.Incident) *listedOutage {
	l := &listedOutage{
		began: r.Time, Record: r.Address(), ID: r.ID,
		Began: r.Time.In(wsfev1.Argentina).Format(time.RFC3339), Service: o.Service, Scope: o.Scope, Upstream: o.Upstream,
		Failures: o.Count(), Classes: o.Failures, First: o.First, Last: o.Last, Answer: o.Answer,
		Ongoing: r.Outcome == outage.Began,
	}
	if !l.Ongoing {
		l.ended, l.Seconds = r.Time.Add(r.Duration), r.Duration.Seconds()
		l.Ended = l.ended.In(wsfev1.Argentina).Format(time.RFC3339)
	}
	if r.Presence != audit.Present {
		l.Content = r.Presence.String()
	}
	return l
}

func printOutages(w io.Writer, all []*listedOutage) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "RECORD\tBEGAN\tENDED\tLENGTH\tSCOPE\tSERVICE\tUPSTREAM\tFAILURES\tFIRST\tLAST\tANSWER")
	for _, o := range all {
		ended, length := "goes on", "-"
		if !o.Ongoing {
			ended = view.Moment(o.ended)
			length = o.ended.Sub(o.began).Round(time.Second / 10).String()
		}
		failures := classCounts(o)
		if o.Content != "" {
			failures = "(" + o.Content + ")"
		}
		fmt.Fprintln(table, strings.Join([]string{
			o.Record, view.Moment(o.began), ended, length, cmp.Or(o.Scope, "everything"), view.OrDash(o.Service), view.OrDash(o.Upstream),
			failures, view.OrDash(o.First), view.OrDash(o.Last), view.OrDash(o.Answer),
		}, "\t"))
	}
	return table.Flush()
}

// classCounts formats how many exchanges failed, by class.
func classCounts(o *listedOutage) string {
	var counts []string
	for _, class := range slices.Sorted(maps.Keys(o.Classes)) {
		counts = append(counts, fmt.Sprintf("%s %d", class, o.Classes[class]))
	}
	return strings.Join(counts, ", ")
}

func printOutageLines(w io.Writer, all []*listedOutage) error {
	return view.PrintLines(w, all, func(o *listedOutage) string { return o.Record })
}
