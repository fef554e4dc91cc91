package proving

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

func checkpointCommand(common *cli.TrailFlags) *cobra.Command {
	flags, report := &cli.StoreFlags{TrailFlags: common}, &cli.ReportFlags{}
	cmd := &cobra.Command{
		Use:   "checkpoint [flags]",
		Short: "Prints the newest signed checkpoint of the trail, for keeping elsewhere",
		Long: `
Prints the newest signed checkpoint (C2SP tlog-checkpoint: a signed note), exactly as it
is: name, size and root hash of the log, a line each, and the signature. Keep it out of
reach of anyone who can change the trail, and give it to "audit verify --checkpoint" later.`,
		Example: `  fielato wsfev1 audit checkpoint --store sqlite:./data/audit.db > kept-2026-11-20.txt`,
		Args:    cli.None,
	}
	flags.Bind(cmd.Flags())
	report.BindReport(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return cli.WithStore(cmd, flags, func(ctx context.Context, s *cli.Session) error {
			log, err := s.Log(ctx)
			if err != nil {
				return err
			}
			head, err := s.Store.Head(ctx, log)
			if err != nil {
				return fmt.Errorf("reading the head of log %s: %w", log, err)
			}
			if head.Checkpoint == nil {
				return fmt.Errorf("the log %s has no checkpoint", log)
			}
			object := keptCheckpoint{log, head.Size, string(head.Checkpoint)}
			return report.Report(cmd, object, cmd.OutOrStdout(), "%s", head.Checkpoint)
		})
	}
	return cmd
}

// keptCheckpoint is a checkpoint for programs. Note is what to keep.
type keptCheckpoint struct {
	Log  string `json:"log"`
	Size uint64 `json:"size"`
	Note string `json:"checkpoint"`
}

type consistencyFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	key string
}

func (f *consistencyFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.key, "key", "", cli.KeyFlagUsage)
	f.BindReport(set)
}

func consistencyCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &consistencyFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "consistency [flags] OLD NEW",
		Short: "Proves that the log with one kept checkpoint is an extension of the log with an older one",
		Long: `
Takes two files with signed checkpoints that were kept ("audit checkpoint" prints the
newest) and proves, by the hashes that the store keeps, that the log was only appended to
from one to the other (RFC 6962, consistency proof). It reads some hashes, no records:
"audit verify --checkpoint" compares all of the log with one checkpoint.

Exit status:
  0  NEW is an extension of OLD
  1  it is not, or one of them is signed by another key or was changed after it was
     signed, or the log is shorter than NEW
  2  unknown: the store or a file cannot be read, a file holds no checkpoint of this log, no
     public key is known, wrong flags`,
		Example: `  fielato wsfev1 audit consistency --store sqlite:./data/audit.db kept-october.txt kept-november.txt`,
		Args:    cli.Exactly(cli.Argument{Name: "OLD", What: "a file with a kept checkpoint"}, cli.Argument{Name: "NEW", What: "a file with a later one"}),
		RunE:    func(cmd *cobra.Command, args []string) error { return runConsistency(cmd, flags, args[0], args[1]) },
	}
	flags.bind(cmd.Flags())
	return cmd
}

// consistentLog is the report for programs. A log that is not consistent is an error.
type consistentLog struct {
	Log        string            `json:"log"`
	Consistent bool              `json:"consistent"`
	Old        *checkpointObject `json:"old_checkpoint"`
	New        *checkpointObject `json:"new_checkpoint"`
	PublicKey  string            `json:"public_key"`
	KeyFrom    string            `json:"public_key_from"`
}

func runConsistency(cmd *cobra.Command, flags *consistencyFlags, oldFile, newFile string) error {
	err := cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		older, err := checkpoint.ReadKept(oldFile)
		if err != nil {
			return err
		}
		newer, err := checkpoint.ReadKept(newFile)
		if err != nil {
			return err
		}
		log, err := s.Log(ctx)
		if err != nil {
			return err
		}
		key, err := cli.VerifierOf(ctx, flags.key, s.Store, log)
		if err != nil {
			return err
		}
		from, to, err := verify.Consistency(ctx, s.Store, log, key.Text, older, newer)
		if err != nil {
			return err
		}
		source, object := "which the store itself names", consistentLog{log, true, objectOf(&from), objectOf(&to), key.Text, keyFrom(key.FromFlag, "store")}
		if key.FromFlag {
			source = "given with --key"
		}
		return flags.Report(cmd, object, cmd.OutOrStdout(), "the log %s with %s records is an extension of the one with %s\nboth are signed by %s, %s\n",
			log, withCommas(to.Size), withCommas(from.Size), key.Text, source)
	})
	if errors.Is(err, audit.ErrUnsound) {
		return cli.Found(err)
	}
	return cli.Inconclusive(err)
}
