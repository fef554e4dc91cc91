package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

var (
	errExport  = errors.New("the export is broken")
	errWhoseIs = errors.New("the export fits itself, but who made it up could have made the key too: give --key, the public key that the gateway logs when it starts")
)

// runVerifyExport verifies the export in a folder. The flags are key, the log's public
// key or a file that has it, and checkpoint, a file with a signed checkpoint that was
// kept elsewhere.
func runVerifyExport(cmd *cobra.Command, path string) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	check, err := exportCheckOf(cmd)
	if err != nil {
		return exitWith(statusCannotTell, err)
	}
	progress := newProgress(cmd, "verified")
	check.Progress = progress.tell
	report, err := verifyFolder(ctx, path, check)
	progress.end()
	if err != nil {
		return exitWith(statusCannotTell, fmt.Errorf("--export %s: %w", path, err))
	}
	out := cmd.OutOrStdout()
	for _, fault := range report.Faults {
		fmt.Fprintln(out, fault)
	}
	if more := report.FaultCount - len(report.Faults); more > 0 {
		fmt.Fprintf(out, "… and %s more\n", humanize.Comma(int64(more)))
	}
	if len(report.Unfinished) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "not looked at, of a later export that is not finished: %s\n", strings.Join(report.Unfinished, ", "))
	}
	if old := report.Unrecorded; old.Count > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "content of %s of the months before %s was purged by a build that did not record it, or by somebody: nothing proves which\n",
			countOf(old.Count, "record"), old.Before)
	}
	switch {
	case !report.Sound():
		return fmt.Errorf("%s: %w: %s", path, errExport, countOf(uint64(report.FaultCount), "fault"))
	case check.Verifier == "":
		return exitWith(statusCannotTell, fmt.Errorf("%s: %w; the export's own is %s", path, errWhoseIs, report.PublicKey))
	}
	fmt.Fprintf(out, "sound: %s of the log %s (%s purged, %s sealed) and %s are what the checkpoint over %s says, signed by %s\n",
		countOf(report.Records, "record"), report.Log, humanize.Comma(int64(report.Purged)), humanize.Comma(int64(report.Sealed)),
		countOf(report.Invoices, "invoice row"), humanize.Comma(int64(report.Checkpoint.Size)), report.PublicKey)
	return nil
}

func verifyFolder(ctx context.Context, path string, check audit.ExportCheck) (*audit.ExportReport, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	report, err := audit.VerifyExport(ctx, root.FS(), check)
	return report, errors.Join(err, root.Close())
}

// exportCheckOf reads the flags.
func exportCheckOf(cmd *cobra.Command) (check audit.ExportCheck, err error) {
	if text, _ := cmd.Flags().GetString("key"); text != "" {
		if check.Verifier, err = parseVerifier(text); err != nil {
			return check, err
		}
	}
	if file, _ := cmd.Flags().GetString("checkpoint"); file != "" {
		if check.Known, err = os.ReadFile(file); err != nil {
			return check, fmt.Errorf("--checkpoint: %w", err)
		}
	}
	return check, nil
}
