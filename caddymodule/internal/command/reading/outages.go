package reading

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
	"github.com/fielato/fielato/wsfev1"
)

type outagesFlags struct {
	cli.StoreFlags
	times  cli.TimeFlags
	cuit   wsfev1.CUIT
	format string
}

func (f *outagesFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.times.Since, "since", "", "Not over before: "+cli.TimeForms)
	set.StringVar(&f.times.Until, "until", "", "Begun until: "+cli.UntilForms)
	cli.CUITVar(set, &f.cuit, "The issuer whose invoices are listed with each outage")
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
least in part within that time.

With --cuit each outage has the invoices that the issuer asked for meanwhile, in how many
requests, and what became of each by now: issued_later, issued (meanwhile), recovered (it was
issued, and its answer was found out later), issued_before, unknown or not_issued, with the
record that shows it. The CAEA that the issuer had got for that fortnight stands there too.
These are facts: whether a CAEA may be used is for the rules of the authority to say.`,
		Example: `  fielato wsfev1 audit outages --store sqlite:./data/audit.db --since 2026-11-01
  fielato wsfev1 audit outages --store sqlite:./data/audit.db --since 7d --format json
  fielato wsfev1 audit outages --store sqlite:./data/audit.db --since 7d --cuit 20111111112`,
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
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), flags.cuit)
	return cli.WithLogs(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session, logs []string) error {
		all, err := outagesOf(ctx, s.Store, logs, since, until, flags.cuit)
		if err != nil {
			return err
		}
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
	// of and caeas are what became of the issuer's invoices; nil without an issuer.
	of    *history.Invoices
	caeas []history.CAEA

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
	// Invoices are the invoices of the issuer that was asked for.
	Invoices *listedInvoices `json:"invoices,omitzero"`
}

// outagesOf returns the outages of these logs, newest first, with the invoices of the issuer if there is one.
func outagesOf(ctx context.Context, store audit.Store, logs []string, since, until time.Time, cuit wsfev1.CUIT) (all []*listedOutage, err error) {
	found, err := history.Read(ctx, store, logs, since, until)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		listed := listOutage(o)
		if cuit != 0 {
			if err := listed.addInvoices(ctx, store, logs, o, cuit); err != nil {
				return nil, err
			}
		}
		all = append(all, listed)
	}
	return all, nil
}

func listOutage(o *history.Outage) *listedOutage {
	r := o.Record
	l := &listedOutage{
		began: o.Began, Record: r.Address(), ID: r.ID,
		Began: view.RFC3339(o.Began), Service: o.Service, Scope: o.Scope, Upstream: o.Upstream,
		Failures: o.Count(), Classes: o.Failures, First: o.First, Last: o.Last, Answer: o.Answer,
		Ongoing: o.Lasts(),
	}
	if !l.Ongoing {
		l.ended, l.Seconds = o.Ended, o.Length().Seconds()
		l.Ended = view.RFC3339(l.ended)
	}
	if r.Presence != audit.Present {
		l.Content = r.Presence.String()
	}
	return l
}

func printOutages(w io.Writer, all []*listedOutage) error {
	end := table.Moment("ENDED")
	end.Drop = 8
	list := table.New(table.Column{Head: "RECORD"}, table.Moment("BEGAN"), end, table.Column{Head: "LENGTH"},
		table.Column{Head: "SCOPE", Drop: 6}, table.Column{Head: "SERVICE", Drop: 4}, table.Column{Head: "UPSTREAM", Drop: 5},
		table.Column{Head: "FAILURES", Least: 14, Wrap: true, Drop: 7}, table.Column{Head: "FIRST", Drop: 2}, table.Column{Head: "LAST", Drop: 1}, table.Column{Head: "ANSWER", Drop: 3})
	for _, o := range all {
		ended, length := "-", "goes on"
		if !o.Ongoing {
			ended = view.Moment(o.ended)
			length = o.ended.Sub(o.began).Round(time.Second / 10).String()
		}
		failures := classCounts(o)
		if o.Content != "" {
			failures = "(" + o.Content + ")"
		}
		list.Row(o.Record, view.Moment(o.began), ended, length, cmp.Or(o.Scope, "everything"), view.OrDash(o.Service), view.OrDash(o.Upstream),
			failures, view.OrDash(o.First), view.OrDash(o.Last), view.OrDash(o.Answer))
	}
	if err := list.Print(w); err != nil {
		return fmt.Errorf("printing the outages: %w", err)
	}
	for _, o := range all {
		if err := o.printInvoices(w); err != nil {
			return err
		}
	}
	return nil
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
