package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

func purgeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "purge --before PERIOD (--dry-run | --yes)",
		Short: "Removes the content of records of earlier months for ever",
		Long: `
Removes the content of all records of the months before PERIOD: bodies, their digests and
what findings quote. There is no way back. What a record is found by stays, and so do its
hashes: the trail verifies as before, and says which records are purged. If content is
encrypted, the data keys of months of which nothing is left are destroyed as well.

Records of issuers under a legal hold (audit hold) keep their content. Nothing is purged
unless this command is run.

It may run beside a gateway at work: it writes in small steps and lets the gateway go
first. Interrupted, run it again: it goes on where it was.

In SQLite what is removed is overwritten, in the database and in its write-ahead log;
backups keep theirs. The file does not get smaller: the room is used for what comes next.
--compact then writes it anew; for that the gateway must be stopped, and disk be free for
twice the file.

PostgreSQL keeps what was removed in its files until an operator runs, as the owner of the
tables and while gateways may wait, VACUUM (FULL) audit_segments, audit_data_keys. Its
archive and its backups keep theirs. The role needs rights of its own (wsfev1 migrate --help).`,
		Example: `  fielato wsfev1 audit purge --store sqlite:./data/audit.db --before 2016-11 --dry-run
  fielato wsfev1 audit purge --store sqlite:./data/audit.db --before 2016-11 --yes`,
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.String("store", "", storeFlagUsage)
	flags.String("before", "", "The first month that keeps its content, in Argentina: 2026-11")
	flags.Bool("dry-run", false, "Count, and remove nothing")
	flags.Bool("yes", false, "Remove for ever; without it nothing is done")
	flags.Bool("compact", false, "Make the file smaller afterwards; only while no gateway has it open")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runPurge(cmd) }
	return cmd
}

func runPurge(cmd *cobra.Command) error {
	request, err := purgeRequestOf(cmd, time.Now())
	if err != nil {
		return err
	}
	compact, _ := cmd.Flags().GetBool("compact")
	return withPurger(cmd, func(ctx context.Context, store audit.Store, purger audit.Purger) error {
		if request.Log, err = logOf(ctx, cmd, store); err != nil {
			return err
		}
		result, err := purger.Purge(ctx, request)
		// What was removed was removed, also before an error.
		if err := errors.Join(err, reportPurge(cmd, request, result)); err != nil {
			return err
		}
		if !compact || request.DryRun {
			return nil
		}
		smaller, ok := purger.(interface{ Compact(context.Context) error })
		if !ok {
			return errors.New("--compact: this store's server has its own way to get smaller (VACUUM)")
		}
		return smaller.Compact(ctx)
	})
}

// purgeRequestOf reads the flags. The month that is under way cannot be purged.
func purgeRequestOf(cmd *cobra.Command, now time.Time) (request audit.PurgeRequest, err error) {
	flags := cmd.Flags()
	before, _ := flags.GetString("before")
	if before == "" {
		return request, errors.New("--before is missing: give the first month that keeps its content, such as 2016-11")
	}
	if request.Before, err = audit.ParsePeriod(before); err != nil {
		return request, fmt.Errorf("--before: %w", err)
	}
	if current := audit.PeriodOf(now); request.Before > current {
		return request, fmt.Errorf("--before %s: the newest that can be given is this month, %s", request.Before, current)
	}
	yes, _ := flags.GetBool("yes")
	request.DryRun, _ = flags.GetBool("dry-run")
	switch {
	case yes && request.DryRun:
		return request, errors.New("--dry-run and --yes: give one of them")
	case !yes && !request.DryRun:
		return request, errors.New("purge removes content for ever: look with --dry-run first, and give --yes if that is meant")
	}
	if show := terminalOf(cmd); show != nil {
		request.Progress = func(r audit.PurgeResult) {
			fmt.Fprintf(show, "purged: %d records, %s\r", r.Total().Purged, humanize.IBytes(uint64(r.Bytes)))
		}
	}
	return request, nil
}

// reportPurge says what a purge has done. It is the one place that knows all of it: who
// wants a purge to be written down, writes it down here.
func reportPurge(cmd *cobra.Command, request audit.PurgeRequest, result audit.PurgeResult) error {
	purged, stays := "PURGED", "HELD"
	if request.DryRun {
		purged, stays = "TO PURGE", "HELD"
	}
	if len(result.Periods) > 0 {
		table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(table, "MONTH\t%s\t%s\t\n", purged, stays)
		for _, period := range slices.Sorted(maps.Keys(result.Periods)) {
			count := result.Periods[period]
			fmt.Fprintf(table, "%s\t%d\t%d\t\n", period, count.Purged, count.Held)
		}
		total := result.Total()
		fmt.Fprintf(table, "total\t%d\t%d\t\n", total.Purged, total.Held)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	switch total := result.Total(); {
	case total.Purged == 0 && result.Keys == 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "nothing to purge before %s in log %s\n", request.Before, request.Log)
	case request.DryRun:
		fmt.Fprintf(cmd.ErrOrStderr(), "would remove %s and destroy %d keys; nothing was changed\n", humanize.IBytes(uint64(result.Bytes)), result.Keys)
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "removed %s and destroyed %d keys\n", humanize.IBytes(uint64(result.Bytes)), result.Keys)
	}
	return nil
}

// withPurger opens the store that the flag names twice: to read, and to purge. An
// interrupt ends what do does in good order.
func withPurger(cmd *cobra.Command, do func(context.Context, audit.Store, audit.Purger) error) error {
	address, err := addressFlag(cmd, "store", auditFile)
	if err != nil {
		return err
	}
	key, err := contentKeyFlag(cmd)
	if err != nil {
		return err
	}
	store, err := address.kind.read(cmd.Context(), address.place, nil)
	if err != nil {
		return err
	}
	if err := noteRead(cmd.Context(), cmd, store, address, commandText(cmd)); err != nil {
		return errors.Join(err, store.Close())
	}
	purger, err := address.kind.purger(cmd.Context(), address.place, key)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return errors.Join(do(ctx, store, purger), purger.Close(), store.Close())
}
