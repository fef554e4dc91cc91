package reading

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

type searchFlags struct {
	queryFlags
	cli.FormatFlags
}

func (f *searchFlags) bind(set *pflag.FlagSet) {
	f.queryFlags.bind(set)
	f.bindUntil(set)
	set.Uint64Var(&f.before, "before", 0, "Records before this index: the next page")
	set.IntVar(&f.limit, "limit", 50, "At most so many exchanges; 0 for all")
	f.FormatFlags.Bind(set, "table, or json: one object a line with the bodies")
}

func searchCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &searchFlags{queryFlags: queryFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}}
	cmd := &cobra.Command{
		Use:   "search [flags]",
		Short: "Lists the exchanges that match all flags, newest first",
		Long: `
Lists the exchanges that match all flags, newest first. If several gateways share the
store, those of all logs are listed, by the time at which they began, each with its record's
address (LOG/INDEX) for "audit show"; --log lists those of one log. An open exchange that
another gateway has settled is not listed as open. "unknown → not_issued" was unknown when the
client got its answer, and has been settled since. --before continues in one log: name it.`,
		Example: `  fielato wsfev1 audit search --store sqlite:./data/audit.db --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 15
  fielato wsfev1 audit search --store sqlite:./data/audit.db --outcome unknown --since 24h
  fielato wsfev1 audit search --store sqlite:./data/audit.db --finding 10016 --limit 20 --before 4711
  fielato wsfev1 audit search --store sqlite:./data/audit.db --cae 96479876543210 --format json
  fielato wsfev1 audit search --store sqlite:./data/audit.db --receiver 30-50001091-2 --since 2026-10-01 --until 2026-10-31
  fielato wsfev1 audit search --store sqlite:./data/audit.db --certainty unknown --min-duration 30s --client 192.0.2.7
  fielato wsfev1 audit search --store sqlite:./data/audit.db --trace 4bf92f3577b34da6a3ce929d0e0e4736
  fielato wsfev1 audit search --store sqlite:./data/audit.db --kind access --since 7d
  fielato wsfev1 audit search --store postgres://reader@db.example/invoices --log node-1 --limit 20 --before 4711`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runSearch(cmd, flags) }
	return cmd
}

func runSearch(cmd *cobra.Command, flags *searchFlags) error {
	wanted, err := flags.query()
	if err != nil {
		return err
	}
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), flags.cuit)
	return cli.WithLogs(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session, logs []string) error {
		if len(logs) > 1 && wanted.Before != 0 {
			return cli.UsageError(fmt.Errorf("--before %d is an index of one log, and the store has several: name one of them with --log: %s",
				wanted.Before, strings.Join(logs, ", ")))
		}
		show := func(wanted audit.Query) (found int, last uint64, err error) {
			printer := flags.Printer(cmd.OutOrStdout(), wanted.Kind)
			if len(logs) > 1 {
				printer = printer.WithAddresses()
			}
			return printMatches(ctx, s.Store, logs, wanted, printer)
		}
		found, last, err := show(wanted)
		if err != nil {
			return err
		}
		if found == 0 && wanted.Kind == 0 && wanted.ClientIdentity != "" {
			// Somebody who has sent nothing may have read the trail.
			readings := wanted
			readings.Kind = audit.KindAccess
			if found, last, err = show(readings); err != nil {
				return err
			}
			if found > 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "no exchange is of this identity; shown is how the trail was read, as with --kind access")
			}
		}
		if found == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), nothingMatches(&wanted))
		}
		switch more := wanted.Limit > 0 && found == wanted.Limit; {
		case more && len(logs) > 1:
			fmt.Fprintf(cmd.ErrOrStderr(), "%d shown, there may be older ones: raise --limit, or go on in one log with --log and --before\n", found)
		case more && last > 0:
			fmt.Fprintf(cmd.ErrOrStderr(), "%d shown, there may be older ones: go on with --before %d\n", found, last)
		}
		return nil
	})
}

// printMatches prints the records that match, and returns how many there are and the index of
// the last.
func printMatches(ctx context.Context, store audit.Store, logs []string, wanted audit.Query, printer view.Printer) (found int, last uint64, err error) {
	reader := &read.Reader{Store: store}
	for record, err := range audit.SearchLogs(ctx, store, logs, wanted) {
		if err != nil {
			return found, last, fmt.Errorf("searching: %w", err)
		}
		x, err := read.Found(ctx, store, record)
		if err == nil && record.Kind == audit.KindOutcome {
			err = reader.AddResult(ctx, x)
		}
		if err != nil {
			return found, last, err
		}
		found, last = found+1, record.Index
		if err := printer.Row(view.Entry{Exchange: x}); err != nil {
			return found, last, err
		}
	}
	return found, last, printer.Flush()
}
