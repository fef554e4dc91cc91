package proving

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/internal/timestamp"
)

type timestampFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	output, day string
}

func (f *timestampFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.output, "output", ".", "A folder, which is made if it is not there")
	set.StringVar(&f.day, "day", "", "The last time-stamp of this day in Argentina, such as 2026-11-28 (default: the newest one)")
	f.BindReport(set)
}

func timestampCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &timestampFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "timestamp [flags]",
		Short: "Writes a time-stamp that an authority has given for the trail, and the checkpoint that it is for",
		Long: `
Writes two files: timestamp.txt, a signed checkpoint of the trail, and timestamp.tsr, the
answer of the time-stamping authority (RFC 3161) for it. All records under the checkpoint
existed at the time of the stamp. Anyone with the root certificate of the authority can
verify it, without the trail and without Fielato:

  openssl ts -verify -data timestamp.txt -in timestamp.tsr -CAfile ca.crt

The newest time-stamp is kept, and the last one of each day. Nothing is overwritten.`,
		Example: `  fielato wsfev1 audit timestamp --store sqlite:./data/audit.db --output for-the-court
  fielato wsfev1 audit timestamp --store sqlite:./data/audit.db --day 2026-11-28 --output for-the-court`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runTimestamp(cmd, flags) }
	return cmd
}

// writtenTimestamp is the report for programs.
type writtenTimestamp struct {
	Log       string `json:"log"`
	Records   uint64 `json:"records"`
	Time      string `json:"time"`
	Authority string `json:"authority"`
	Document  string `json:"document"`
	Reply     string `json:"reply"`
	PublicKey string `json:"public_key"`
}

func runTimestamp(cmd *cobra.Command, flags *timestampFlags) error {
	if flags.day != "" {
		if _, err := time.Parse(time.DateOnly, flags.day); err != nil {
			return cli.UsageError(fmt.Errorf("--day %q is not a day: write it as 2026-11-28", flags.day))
		}
	}
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		log, err := s.Log(ctx)
		if err != nil {
			return err
		}
		verifier, err := evidence.KeyOfLog(ctx, s.Store, log)
		if err != nil {
			return err
		}
		kept, err := timestamped.Shelf{Store: s.Store, Log: log, Verifier: verifier}.Of(ctx, flags.day)
		if errors.Is(err, timestamped.ErrNone) {
			return noTimestamp(log, flags.day)
		}
		if err != nil {
			return err
		}
		object := writtenTimestamp{
			log, kept.Records, view.RFC3339(kept.Time), kept.Authority,
			filepath.Join(flags.output, timestamp.DocumentFile), filepath.Join(flags.output, timestamp.ReplyFile), verifier,
		}
		if err := writeTimestamp(flags.output, object, kept); err != nil {
			return err
		}
		return flags.Report(cmd, object, cmd.OutOrStdout(), "%s has stamped the log %s with %s at %s\nverify it with: openssl ts -verify -data %s -in %s -CAfile ROOTS\n",
			object.Authority, log, cli.CountOf(kept.Records, "record"), object.Time, object.Document, object.Reply)
	})
}

func noTimestamp(log, day string) error {
	if day == "" {
		return fmt.Errorf("the log %s has no time-stamp: name an authority with timestamp in the block of audit", log)
	}
	return fmt.Errorf("the log %s has no time-stamp of %s: without --day the newest one is written", log, day)
}

// writeTimestamp writes both files or none.
func writeTimestamp(folder string, as writtenTimestamp, kept *timestamped.Kept) error {
	if err := durable.MakeFolder(folder); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	var made []*durable.NewFile
	write := func(path string, content []byte) error {
		file, err := durable.CreateNew(path)
		if err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		made = append(made, file)
		if _, err := file.Write(content); err != nil {
			return fmt.Errorf("--output: writing %s: %w", path, err)
		}
		return file.Finish()
	}
	err := write(as.Document, kept.Checkpoint)
	if err == nil {
		err = write(as.Reply, kept.Reply)
	}
	if err != nil {
		for _, file := range made {
			err = errors.Join(err, file.Abandon())
		}
	}
	return err
}
