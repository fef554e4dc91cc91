package proving

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
)

const exportHelp = `
Writes the whole trail into a folder, for an accountant, a court or another program, and
so that "audit verify --export" can verify it on a machine that has nothing else:

  records-FIRST-LAST.jsonl    the records, one JSON object a line, 65536 in a file
  invoices-FIRST-LAST.csv     a row for each invoice of each of these records
  manifest.json               the signed checkpoint, and each file with its SHA-256
  timestamp.txt, .tsr         the newest time-stamp of the trail, if an authority gives any,
                              and the checkpoint that it is for

The folder is an export once manifest.json is there. The command may be interrupted and
run again: it continues after the last whole file. Run again after the trail has grown, it
adds what is new. One run at a time; a folder with anything else in it is refused.

A line has everything that the tree proves. "request" and "answer" are strings, so that
the bytes are exact: jq -r .answer shows one. Text that is not UTF-8 is {"base64":"…"}.
Token and Sign are replaced by a fingerprint. A record that was purged or that is encrypted
("content":"purged", "sealed") has only its summary. What is purged from the trail later
stays in exports that were made before. If another gateway has found out what became of a
request, that is in the export of its log.

The CSV has commas, decimal points, and times in Argentina. An intent and its outcome have
a row each: filter by the column kind, outcome or exchange, before you add up. A text that
a spreadsheet would take for a formula begins with an apostrophe.

Exit status:
  0  the export is whole
  1  the trail does not hold: something in it was changed
  2  the export is not whole: mend what the message names, and run the command again`

type exportFlags struct {
	cli.StoreFlags
	cli.ReportFlags
	output string
	zstd   bool
}

func (f *exportFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	set.StringVar(&f.output, "output", "", "A new or empty folder, or that of an export to continue")
	set.BoolVar(&f.zstd, "zstd", false, "Compress the records; the invoices stay as they are")
	f.BindReport(set)
}

func exportCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &exportFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "export --output DIR [flags]",
		Short: "Writes the whole trail into a folder, as JSON Lines and CSV, to be verified anywhere",
		Long:  exportHelp,
		Example: `  fielato wsfev1 audit export --store sqlite:./data/audit.db --output ./export
  fielato wsfev1 audit export --store sqlite:./data/audit.db --output ./export --zstd
  zstdcat ./export/records-*.jsonl.zst | jq -r 'select(.outcome == "approved") | .vouchers[].code'`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runTrailExport(cmd, flags) }
	return cmd
}

// exported is the report for programs.
type exported struct {
	Output    string `json:"output"`
	Log       string `json:"log"`
	Records   uint64 `json:"records"`
	Purged    uint64 `json:"purged"`
	Sealed    uint64 `json:"sealed"`
	PublicKey string `json:"public_key"`
}

func runTrailExport(cmd *cobra.Command, flags *exportFlags) error {
	path := flags.output
	if path == "" {
		return cli.UsageError(errors.New("--output is missing: give the folder to export into"))
	}
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) (err error) {
		ctx, stop := cli.UntilInterrupted(ctx)
		defer stop()
		log, err := s.Log(ctx)
		if err != nil {
			return err
		}
		options := export.Options{Compress: flags.zstd}
		if options.Verifier, err = evidence.KeyOfLog(ctx, s.Store, log); err != nil {
			return err
		}
		if options.Stamp, err = newestStamp(ctx, s.Store, log, options.Verifier); err != nil {
			return err
		}
		progress := cli.NewProgress(cmd, "exported")
		options.Progress = progress.Update
		folder, err := export.OpenDirectory(path)
		if err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		defer func() { err = errors.Join(err, folder.Close()) }()
		manifest, err := export.Write(ctx, s.Store, log, folder, options)
		progress.Clear()
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: run the same command again to continue: %w", ctx.Err())
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		object := exported{filepath.Clean(path), log, manifest.Size, manifest.Purged, manifest.Sealed, manifest.PublicKey}
		return flags.Report(cmd, object, cmd.ErrOrStderr(), "%s is the log %s with %s, %s purged and %s encrypted\nverify it: fielato wsfev1 audit verify --export %s --key %s\n",
			filepath.Clean(path), log, cli.CountOf(manifest.Size, "record"), withCommas(manifest.Purged), withCommas(manifest.Sealed),
			filepath.Clean(path), manifest.PublicKey)
	})
}

// newestStamp returns the newest time-stamp of a log, nil for none. It is read before the log: a gateway at work adds to
// both.
func newestStamp(ctx context.Context, store audit.Store, log, verifier string) (*export.Stamp, error) {
	kept, err := timestamped.Shelf{Store: store, Log: log, Verifier: verifier}.Newest(ctx)
	switch {
	case errors.Is(err, timestamped.ErrNone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &export.Stamp{Checkpoint: kept.Checkpoint, Reply: kept.Reply}, nil
}
