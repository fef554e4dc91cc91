package keeping

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
)

// runAcknowledge records that the purges of older builds, which were not recorded, are known.
func runAcknowledge(cmd *cobra.Command, flags *purgeFlags) error {
	if flags.before != "" || cmd.Flags().Changed("compact") {
		return cli.UsageError(errors.New("--acknowledge purges nothing: leave --before and --compact out"))
	}
	dry, err := flags.isDryRun("--acknowledge says for ever that you know what was purged")
	if err != nil {
		return cli.UsageError(err)
	}
	return cli.WithPurger(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		log, err := s.Log(ctx)
		if err != nil {
			return err
		}
		old, err := unrecordedIn(ctx, cmd, s.Store, log)
		if err != nil {
			return err
		}
		object := acknowledged{Log: log, DryRun: dry, Records: old.Count}
		text := "no record has lost its content without a record of the purge"
		if old.Count > 0 {
			object.Before = old.Before.String()
			text = fmt.Sprintf("%s of the months before %s, from %d to %d, lost the content without a record of the purge",
				cli.CountOf(old.Count, "record"), old.Before, old.Records.First, old.Records.Next-1)
		}
		if dry {
			return flags.Report(cmd, object, cmd.ErrOrStderr(), "%s; nothing was written\n", text)
		}
		scope := audit.PurgeScope{Before: old.Before, First: old.Records.First, Next: old.Records.Next, Records: old.Count}
		index, err := s.NotePurge(ctx, log, audit.AccessAcknowledge, &scope)
		if err != nil {
			return fmt.Errorf("nothing was acknowledged: %w", err)
		}
		object.Record = audit.Address(log, index)
		return flags.Report(cmd, object, cmd.ErrOrStderr(), "%s: acknowledged in record %s\n", text, object.Record)
	})
}

// unrecordedIn verifies the log and returns the purges that can be acknowledged.
func unrecordedIn(ctx context.Context, cmd *cobra.Command, store audit.Store, log string) (verify.Unrecorded, error) {
	verifier, err := evidence.KeyOfLog(ctx, store, log)
	if err != nil {
		return verify.Unrecorded{}, err
	}
	shown := cli.NewProgress(cmd, "verified")
	report, err := verify.Log(ctx, store, log, verifier, verify.Options{Progress: shown.Update})
	shown.Clear()
	switch {
	case err != nil:
		return verify.Unrecorded{}, err
	case !report.Sound():
		return verify.Unrecorded{}, fmt.Errorf("the log %s is broken, so nothing can be acknowledged: %s", log, report.Flaws.Items[0])
	case report.Acknowledged:
		return verify.Unrecorded{}, fmt.Errorf("the log %s has an acknowledgement already: there is one for the life of a log", log)
	case report.PurgesRecorded && report.PurgesFrom == 0:
		return verify.Unrecorded{}, fmt.Errorf("the log %s has recorded its purges from its first record on: there is nothing to acknowledge", log)
	}
	return report.Unrecorded, nil
}
