package keeping

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
)

type purgeFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	before, override                  string
	dryRun, yes, acknowledge, compact bool
}

func (f *purgeFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	f.BindWriter(set)
	set.StringVar(&f.before, "before", "", "The first month that keeps its content, in Argentina: 2026-11")
	set.StringVar(&f.override, "override-retention", "", fmt.Sprintf("Why content goes that must still be kept: one line, at most %d characters", audit.MaxOverride))
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

Content must be kept for whole years after the year of its voucher: 12, or what the gateway's
option retention has set. A voucher counts by CbteFch, a record without one by its own day. If
anything would go too early, nothing is purged, and the error says from when it may go.
--override-retention gives the reason to purge all the same; it stands in the purge's record.
Where CbteFch is encrypted, --encryption-key lets it be read; without it a record of the last
days of December counts as of the next year.

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
		Example: `  fielato wsfev1 audit purge --store sqlite:./data/audit.db --before 2014-01 --dry-run
  fielato wsfev1 audit purge --store sqlite:./data/audit.db --before 2014-01 --yes
  fielato wsfev1 audit purge --store sqlite:./data/audit.db --acknowledge --yes`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("override-retention") {
			if err := flags.checkOverride(); err != nil {
				return cli.UsageError(err)
			}
		}
		if flags.acknowledge {
			return runAcknowledge(cmd, flags)
		}
		return runPurge(cmd, flags)
	}
	return cmd
}

// checkOverride checks the reason that was given.
func (f *purgeFlags) checkOverride() error {
	if f.acknowledge {
		return errors.New("--override-retention: --acknowledge purges nothing, leave it out")
	}
	if err := audit.CheckOverride(f.override); err != nil {
		return fmt.Errorf("--override-retention: %w", err)
	}
	return nil
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
		var early *audit.RetainedError
		if errors.As(err, &early) && !request.DryRun {
			return fmt.Errorf("nothing was purged: %w; give an earlier --before, or the reason for it with --override-retention", err)
		}
		if early != nil {
			err = nil // a dry run refuses nothing
		}
		years, failed := audit.Retention(ctx, s.Store, request.Log)
		// Report also what was removed before an error.
		if err := errors.Join(err, failed, flags.reportPurge(cmd, retainedPurge{request, result, years, early}, err)); err != nil {
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
		return request, errors.New("--before is missing: give the first month that keeps its content, such as 2014-01")
	}
	if request.Before, err = audit.ParsePeriod(f.before); err != nil {
		return request, fmt.Errorf("--before: %w", err)
	}
	if current := audit.PeriodOf(now); request.Before > current {
		return request, fmt.Errorf("--before %s: the latest possible month is this one, %s", request.Before, current)
	}
	request.Now, request.Override = now, f.override
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

// retainedPurge is a purge and the retention that it went by.
type retainedPurge struct {
	request audit.PurgeRequest
	result  audit.PurgeResult
	years   int
	// early is why it would be refused, nil if it would not.
	early *audit.RetainedError
}

// reportPurge prints what a purge has done, also if it failed in the middle.
func (f *purgeFlags) reportPurge(cmd *cobra.Command, done retainedPurge, failed error) error {
	if errors.Is(failed, audit.ErrUnrecorded) {
		return nil // nothing was done
	}
	object := purgeObject(done)
	if f.AsJSON() {
		return f.Report(cmd, object, nil, "")
	}
	purged := "PURGED"
	if object.DryRun {
		purged = "TO PURGE"
	}
	if len(object.Months) > 0 {
		months := table.New(table.Column{Head: "MONTH"}, table.Column{Head: purged, Right: true}, table.Column{Head: "HELD", Right: true})
		for _, month := range append(object.Months, purgedMonth{"total", object.Purged, object.Held}) {
			months.Row(month.Month, strconv.FormatUint(month.Purged, 10), strconv.FormatUint(month.Held, 10))
		}
		if err := months.Print(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	switch size := humanize.IBytes(uint64(object.Bytes)); {
	case object.Purged == 0 && object.Keys == 0 && failed != nil: // there may be more
	case object.Purged == 0 && object.Keys == 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "nothing to purge before %s in log %s\n", object.Before, object.Log)
	case object.DryRun:
		fmt.Fprintf(cmd.ErrOrStderr(), "would remove %s and destroy %d keys; nothing was changed\n", size, object.Keys)
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "removed %s and destroyed %d keys\n", size, object.Keys)
	}
	done.warn(cmd.ErrOrStderr())
	return nil //nolint:nilerr // the caller reports what failed
}

// warn warns of an unusual retention.
func (p retainedPurge) warn(out io.Writer) {
	if p.early != nil {
		fmt.Fprintf(out, "a purge needs --override-retention: %v\n", p.early)
	}
	if p.years < audit.DefaultRetention && p.result.Total().Purged > 0 {
		fmt.Fprintf(out, "the retention of log %s is set to %d, less than the %d that the tax regulation asks for by our reckoning\n",
			p.request.Log, p.years, audit.DefaultRetention)
	}
}
