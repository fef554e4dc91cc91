package auditcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/cli"
)

type purgeFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	before                            string
	dryRun, yes, acknowledge, compact bool
}

func (f *purgeFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	f.BindWriter(set)
	set.StringVar(&f.before, "before", "", "The first month that keeps its content, in Argentina: 2026-11")
	set.BoolVar(&f.dryRun, "dry-run", false, "Count, and remove nothing")
	set.BoolVar(&f.yes, "yes", false, "Remove for ever; without it nothing is done")
	set.BoolVar(&f.acknowledge, "acknowledge", false, "Vouch, once, for what was purged before purges were recorded")
	set.BoolVar(&f.compact, "compact", false, "Make the file smaller afterwards; only while no gateway has it open")
	f.BindReport(set)
}

func purgeCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &purgeFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "purge (--before PERIOD | --acknowledge) (--dry-run | --yes)",
		Short: "Removes the content of records of earlier months for ever",
		Long: `
Removes the content of all records of the months before PERIOD: bodies, their digests and
what findings quote. There is no way back. The fields that a record is found by stay, and so
do its hashes: the trail verifies as before, and shows which records are purged. If content
is encrypted, the data keys of months with nothing left are destroyed as well.

Records of issuers under a legal hold (audit hold) keep their content. Nothing is purged
unless this command is run.

Before anything is removed, a record of the purge is written to the log: by whom, the
months, the range of records, how many, and the held issuers. audit verify names content
that is gone without such a record. The running gateway writes it (--admin), or the command
itself while none runs (--key-file). If it cannot be written, nothing is purged.

It may run while a gateway does: it writes in small steps and gives the gateway precedence.
If it is interrupted, run it again: it continues where it stopped, with a record of its own.

--acknowledge purges nothing. Older builds did not record their purges: what they removed is
no flaw, but anyone who can write the store can hide a removal among it. The command verifies
the log, counts the content that is gone without a record, and with --yes records in the log
that you know of it. After that, more of the kind is a flaw. It is given once, with the first
build that records purges.

In SQLite what is removed is overwritten, in the database and in its write-ahead log;
backups keep theirs. The file does not get smaller: its space is used again. --compact
rewrites it; the gateway must be stopped for that, and the disk must have room for twice the
file.

PostgreSQL keeps what was removed in its files until an operator runs, as the owner of the
tables and while gateways may wait, VACUUM (FULL) audit_segments, audit_data_keys. Its
archive and its backups keep theirs. The role needs rights of its own (wsfev1 migrate --help);
it may not write the log, so without a gateway --writer names a role that may.`,
		Example: `  fielato wsfev1 audit purge --store sqlite:./data/audit.db --before 2016-11 --dry-run
  fielato wsfev1 audit purge --store sqlite:./data/audit.db --before 2016-11 --yes
  fielato wsfev1 audit purge --store sqlite:./data/audit.db --acknowledge --yes`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if flags.acknowledge {
			return runAcknowledge(cmd, flags)
		}
		return runPurge(cmd, flags)
	}
	return cmd
}

func runPurge(cmd *cobra.Command, flags *purgeFlags) error {
	request, err := flags.request(time.Now())
	if err != nil {
		return cli.UsageError(err)
	}
	if show := cli.TerminalOf(cmd); show != nil {
		request.Progress = func(r audit.PurgeResult) {
			fmt.Fprintf(show, "purged: %d records, %s\r", r.Total().Purged, humanize.IBytes(uint64(r.Bytes)))
		}
	}
	return cli.WithPurger(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		if request.Log, err = s.Log(ctx); err != nil {
			return err
		}
		result, err := audit.PurgeRecorded(ctx, s.Store, s.Purger, request, func(ctx context.Context, scope audit.PurgeScope) (uint64, error) {
			return s.NotePurge(ctx, request.Log, audit.AccessPurge, &scope)
		})
		// Report also what was removed before an error.
		if err := errors.Join(err, flags.reportPurge(cmd, request, result, err)); err != nil {
			return err
		}
		if !flags.compact || request.DryRun {
			return nil
		}
		smaller, ok := s.Purger.(interface{ Compact(context.Context) error })
		if !ok {
			return errors.New("--compact: the server of this store frees space by itself (VACUUM)")
		}
		return smaller.Compact(ctx)
	})
}

// request returns the purge that the flags ask for. The current month cannot be purged.
func (f *purgeFlags) request(now time.Time) (request audit.PurgeRequest, err error) {
	if f.before == "" {
		return request, errors.New("--before is missing: give the first month that keeps its content, such as 2016-11")
	}
	if request.Before, err = audit.ParsePeriod(f.before); err != nil {
		return request, fmt.Errorf("--before: %w", err)
	}
	if current := audit.PeriodOf(now); request.Before > current {
		return request, fmt.Errorf("--before %s: the latest possible month is this one, %s", request.Before, current)
	}
	request.DryRun, err = f.isDryRun("purge removes content for ever")
	return request, err
}

// isDryRun requires one of --dry-run and --yes, and reports whether it is the first.
func (f *purgeFlags) isDryRun(why string) (bool, error) {
	switch {
	case f.yes && f.dryRun:
		return false, errors.New("--dry-run and --yes: give one of them")
	case !f.yes && !f.dryRun:
		return false, fmt.Errorf("%s: look with --dry-run first, and give --yes to confirm", why)
	}
	return f.dryRun, nil
}

// reportPurge prints what a purge has done, also if it failed in the middle.
func (f *purgeFlags) reportPurge(cmd *cobra.Command, request audit.PurgeRequest, result audit.PurgeResult, failed error) error {
	if errors.Is(failed, audit.ErrUnrecorded) {
		return nil // nothing was done
	}
	if f.AsJSON() {
		return f.Report(cmd, purgeObject(request, result), nil, "")
	}
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
